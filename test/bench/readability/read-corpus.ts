import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { Document, minify } from '../../../lib/index.js'
import type { Payload } from './payloads.js'

/** The `.json` files of a folder and below, minified; what is no JSON is left to whoever wants to know. */
export function readCorpus (folder: string): { payloads: Payload[], broken: string[] } {
  const payloads: Payload[] = []
  const broken: string[] = []
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(file => file.endsWith('.json')).sort()) {
    try {
      payloads.push({ name, json: minify(Document.parse(readFileSync(join(folder, name)))) })
    } catch (error) {
      if ((error as { code?: unknown }).code !== 'ERR_JSON_SYNTAX') throw error
      broken.push(`${name}: ${(error as Error).message}`)
    }
  }
  return { payloads, broken }
}
