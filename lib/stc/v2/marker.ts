/**
 * One line that tells a model how to read STC 2, for the place before a text that it was not told about:
 * 40 tokens of o200k_base at most. It is no part of the format: a decoder must not be given it.
 */
// eslint-disable-next-line no-template-curly-in-string -- the gaps of templates, as text
export const STC2_MARKER = 'STC 2: header, rows. k=v in all rows; k~v where empty, else empty means no key; ${k} is cell k, ${} own cell'
