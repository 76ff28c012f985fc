import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

/** Bytes that are in use, buffers included, once garbage has been collected. */
export function measureMemory (): number {
  // What buffers held is given back by the second.
  collectGarbage()
  collectGarbage()
  const { heapUsed, arrayBuffers } = process.memoryUsage()
  return heapUsed + arrayBuffers
}

/** Measures the most that is in use above what is in use now. */
export class MemoryPeak {
  readonly #base = measureMemory()
  readonly #baseBuffers = process.memoryUsage().arrayBuffers
  #peak = 0
  #buffersPeak = 0
  readonly #timer = setInterval(() => {
    this.#buffersPeak = Math.max(this.#buffersPeak, process.memoryUsage().arrayBuffers - this.#baseBuffers)
  }, 2)

  /** To be called while much is on its way; it takes some milliseconds. */
  sample (): void {
    this.#peak = Math.max(this.#peak, measureMemory() - this.#base)
  }

  /** @returns bytes: the highest sample, and what buffers took at any time in one piece of work */
  stop (): { sampled: number, buffers: number } {
    clearInterval(this.#timer)
    this.sample()
    return { sampled: this.#peak, buffers: this.#buffersPeak }
  }
}
