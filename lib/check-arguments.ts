import { CODING_NAMES } from './codec.js'
import type { CodecOptions, CodingName } from './codec.js'

/* For callers without types: a wrong argument must not show as a failure somewhere inside, still less as a wrong text. */

const DELIMITERS: readonly unknown[] = [',', '\t', '|']
const SPACINGS: readonly unknown[] = ['dense', 'adr']

/** @throws TypeError where it is the name of no coding, nor one of `others` */
export function checkCodecName (name: unknown, others: readonly string[]): void {
  const names: readonly unknown[] = [...CODING_NAMES, ...others]
  if (!names.includes(name)) throw new TypeError(`codec must be one of ${list(names)}, got ${list([name])}`)
}

/** @throws TypeError for an option that no decoder could take back */
export function checkCodecOptions ({ delimiter, spacing }: CodecOptions): void {
  if (delimiter !== undefined && !DELIMITERS.includes(delimiter)) throw new TypeError(`options.delimiter must be one of ${list(DELIMITERS)}, got ${list([delimiter])}`)
  if (spacing !== undefined && !SPACINGS.includes(spacing)) throw new TypeError(`options.spacing must be one of ${list(SPACINGS)}, got ${list([spacing])}`)
}

/** @throws TypeError where it names another thing than codings */
export function checkAccepted (accepted: readonly { codec: CodingName }[]): void {
  for (const { codec } of accepted) checkCodecName(codec, [])
}

function list (values: readonly unknown[]): string {
  return values.map(value => typeof value === 'string' ? JSON.stringify(value) : typeof value).join(', ')
}
