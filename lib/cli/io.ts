import { createReadStream } from 'node:fs'
import type { EventEmitter } from 'node:events'
import type { Readable, Writable } from 'node:stream'

/** Everything of the process that the command line touches; tests bring their own. */
export interface Io {
  stdin: Readable
  stdout: Writable & { isTTY?: boolean }
  stderr: Writable & { isTTY?: boolean, columns?: number }
  env: Record<string, string | undefined>
  /** Emits `SIGTERM` and `SIGINT`. */
  signals: Pick<EventEmitter, 'on' | 'off'>
}

/**
 * Reads a whole file or standard input, as bytes.
 * @param file a path; `-` or undefined: standard input
 * @throws what the stream throws, system errors above all
 */
export async function readInput (file: string | undefined, io: Io): Promise<Uint8Array> {
  const chunks: Buffer[] = []
  for await (const chunk of file === undefined || file === '-' ? io.stdin : createReadStream(file)) chunks.push(Buffer.from(chunk))
  return Buffer.concat(chunks)
}

/** The name of an input in messages. */
export function nameInput (file: string | undefined): string {
  return file === undefined || file === '-' ? '<stdin>' : file
}

/**
 * Writes to standard output and waits until it is handed over. A reader that went away (`| head -1`)
 * is no error.
 * @throws other errors of the stream, a full disk say
 */
export async function write (text: string, io: Io): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    io.stdout.write(text, error => {
      if (error && (error as NodeJS.ErrnoException).code !== 'EPIPE') reject(error)
      else resolve()
    })
  })
}

/** Writes to standard error and waits until it is handed over. */
export async function writeError (text: string, io: Io): Promise<void> {
  await new Promise<void>(resolve => { io.stderr.write(text, () => { resolve() }) })
}

/** Writes a document as it is; a terminal alone gets a line end after it, for the prompt's sake. */
export async function writeDocument (text: string, io: Io): Promise<void> {
  await write(io.stdout.isTTY === true ? `${text}\n` : text, io)
}
