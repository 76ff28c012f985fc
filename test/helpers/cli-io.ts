import { EventEmitter } from 'node:events'
import { Readable, Writable } from 'node:stream'
import { run } from '../../lib/cli/run.js'
import type { Io } from '../../lib/cli/io.js'

/** A stream that keeps what is written to it. */
export class Collector extends Writable {
  text = ''
  isTTY = false
  columns?: number

  override _write (chunk: Buffer, _encoding: string, done: () => void): void {
    this.text += chunk.toString()
    this.emit('text')
    done()
  }

  /** Waits until the text matches, and returns the match. */
  async waitFor (pattern: RegExp): Promise<RegExpExecArray> {
    for (;;) {
      const match = pattern.exec(this.text)
      if (match !== null) return match
      await new Promise(resolve => this.once('text', resolve))
    }
  }
}

export interface TestIo extends Io {
  stdout: Collector
  stderr: Collector
  signals: EventEmitter
}

/** Surroundings for `run`, with `input` on standard input. */
export function createIo (input: string | Uint8Array | readonly Uint8Array[] = '', env: Io['env'] = {}): TestIo {
  const chunks = Array.isArray(input) ? input : [Buffer.from(input as Uint8Array)]
  return { stdin: Readable.from(chunks), stdout: new Collector(), stderr: new Collector(), env, signals: new EventEmitter() }
}

/** Runs the command line to its end. */
export async function runCli (argv: readonly string[], io: TestIo = createIo()): Promise<{ code: number, stdout: string, stderr: string }> {
  const code = await run(argv, io)
  return { code, stdout: io.stdout.text, stderr: io.stderr.text }
}
