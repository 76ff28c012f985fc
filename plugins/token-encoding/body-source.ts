import { Readable } from 'node:stream'
import { BrokenBodyError } from './errors.js'

/** A body that is read chunk by chunk, whatever kind of stream it came as. */
export interface BodySource {
  /** Rejects where the stream breaks before its end. */
  next: () => Promise<IteratorResult<unknown, unknown>>
  /** Frees what is behind the stream; a `next` that is pending settles. */
  destroy: () => void
}

/** Bytes that are written at once. */
const SLICE = 128 * 1024

const ignore = (): void => {}

/**
 * Starts to read a node stream or a web stream; from here on nobody else may.
 *
 * @returns null for what is neither, for a web stream that is locked and for a stream without an iterator
 */
export function openSource (payload: unknown): BodySource | null {
  if (isWebStream(payload)) return payload.locked ? null : openWebStream(payload)
  if (isNodeStream(payload) && Symbol.asyncIterator in payload) return openNodeStream(payload as Readable)
  return null
}

/**
 * Makes one stream of what was read and of what is still to come. It reads no faster than it is read, and
 * destroys the source when it is destroyed itself.
 *
 * @param chunks what was read, in order
 */
export function resumeSource (chunks: readonly Uint8Array[], source: BodySource): Readable {
  const pending = [...chunks]
  return new Readable({
    read () {
      const chunk = pending.shift()
      if (chunk !== undefined) {
        this.push(chunk)
        return
      }
      source.next().then(
        ({ done, value }) => { this.push(done === true ? null : value) },
        (error) => { this.destroy(toError(error)) }
      )
    },
    destroy (error, callback) {
      source.destroy()
      callback(error)
    }
  })
}

/** Gives bytes piece by piece, a turn of the event loop for each, since to write them all at once takes long. */
export function streamSlices (bytes: Uint8Array): Readable {
  let at = 0
  return new Readable({
    read () {
      setImmediate(() => {
        const slice = bytes.subarray(at, at + SLICE)
        at += slice.length
        this.push(slice.length > 0 ? slice : null)
      })
    }
  })
}

/** A stream may break with anything, undefined included; whoever handles errors wants an Error. */
export function toError (error: unknown): Error {
  return error instanceof Error ? error : new BrokenBodyError({ cause: error })
}

export function isNodeStream (payload: unknown): payload is NodeJS.ReadableStream {
  return typeof (payload as { pipe?: unknown } | null)?.pipe === 'function'
}

export function isWebStream (payload: unknown): payload is ReadableStream {
  return typeof (payload as { getReader?: unknown } | null)?.getReader === 'function'
}

function openNodeStream (stream: Readable): BodySource {
  const iterator = stream[Symbol.asyncIterator]()
  // Errors come by the iterator; one that comes after its end must not bring the process down.
  stream.on('error', ignore)
  return {
    next: () => iterator.next(),
    destroy: () => { stream.destroy() }
  }
}

function openWebStream (stream: ReadableStream): BodySource {
  const reader = stream.getReader()
  return {
    next: async () => await reader.read() as IteratorResult<unknown>,
    destroy: () => { reader.cancel().catch(ignore) }
  }
}
