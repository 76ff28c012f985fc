import type { Seed } from './seed.js'

export const GIVEN_NAMES = ['Ada', 'Bo', 'Chidi', 'Dóra', 'Emre', 'Fatima', 'Grace', 'Hiro', 'Inès', 'João']
export const FAMILY_NAMES = ['Abara', 'Björk', 'Costa', 'Dupont', 'Endo', 'Fischer', 'García', 'Haddad', 'Ito']
export const STREETS = ['Mill Lane', 'Harbour Road', 'Rue du Port', 'Lindenallee', 'Calle Mayor', 'Station Street']
export const CITIES = [
  { city: 'Lyon', country: 'FR' },
  { city: 'Bremen', country: 'DE' },
  { city: 'Porto', country: 'PT' },
  { city: 'Malmö', country: 'SE' },
  { city: '京都', country: 'JP' }
]
export const SKUS = ['LAMP-20', 'DESK-140', 'CHAIR-07', 'SHELF-3', 'RUG-160', 'CLOCK-1']

const SUBJECTS = ['The importer', 'Our nightly job', 'The search page', 'A colleague', 'The mobile app', 'The cache']
const VERBS = ['drops', 'repeats', 'shows', 'stores', 'rejects', 'waits for']
const OBJECTS = ['the last row', 'every second request', 'names with accents', 'an empty list', 'the "paid" flag']
const ENDINGS = [
  'since the last release.',
  'when two people save at once; a reload helps.',
  '(seen on staging, not yet in production).',
  'as soon as the file is larger than 2 MB.',
  'and the log says nothing: no warning, no error.'
]

/** One sentence without a full stop, for titles. */
export function makeTitle (seed: Seed): string {
  return `${seed.pick(SUBJECTS)} ${seed.pick(VERBS)} ${seed.pick(OBJECTS)}`
}

/**
 * Several sentences in paragraphs, with line ends and quotes as people type them.
 * @param sentences how many, at least 1
 */
export function makeProse (seed: Seed, sentences: number): string {
  let text = ''
  for (let i = 0; i < sentences; i++) {
    if (i > 0) text += i % 3 === 0 ? '\n\n' : ' '
    text += `${makeTitle(seed)} ${seed.pick(ENDINGS)}`
  }
  return text
}
