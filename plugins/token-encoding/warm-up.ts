import type { CodingName } from '../../lib/codec.js'
import { SNIFF_BYTES } from '../../lib/sniff.js'
import { encodeJson, toBodyOptions } from './encode-json.js'
import { createJudge } from './judge-prefix.js'
import type { RouteOptions } from './options.js'
import { makeSamples } from './warm-up-samples.js'

/** How often each sample is encoded: after so many the engine has compiled what it will use. */
const ROUNDS = 24
/** No more time than this, in ms, however slow the machine. */
const MOST_MS = 500

const JSON_CLIENT = { headers: { accept: 'application/json' } }

/** The codings that this process has compiled, or is about to. */
const warm = new Set<CodingName>()

/**
 * Encodes some bodies of its own so that the engine compiles what encoding takes, in small steps between which requests are
 * answered: the first ten responses of a process take two to three times as long otherwise, and some code stays slower if
 * it first sees bodies of one kind alone (`npm run bench:warm-up`).
 */
export class WarmUp {
  #next: NodeJS.Immediate | undefined
  #unfinished: CodingName[] = []

  /** Starts with those codings that no other has started with. */
  start (options: RouteOptions): void {
    const cold = options.encodings.filter((coding) => !warm.has(coding))
    if (cold.length === 0) return
    for (const coding of cold) warm.add(coding)
    this.#unfinished = cold
    const steps = makeSteps(options, cold)
    let spent = 0
    const step = (): void => {
      const from = performance.now()
      const { done } = steps.next()
      spent += performance.now() - from
      // One that keeps nothing alive would wait for the next request.
      if (done !== true && spent < MOST_MS) this.#next = setImmediate(step)
      else this.#unfinished = []
    }
    this.#next = setImmediate(step)
  }

  stop (): void {
    clearImmediate(this.#next)
    for (const coding of this.#unfinished) warm.delete(coding)
  }
}

function * makeSteps (route: RouteOptions, codings: CodingName[]): Iterator<void> {
  // Whatever the operator leaves alone, the code is the same.
  const options = { ...route, mode: 'adaptive' as const, minBytes: 0, minSavings: 0, tabularOnly: undefined }
  const bodyOptions = toBodyOptions(options, false)
  const wishes = [...codings, codings.join()].map((names) => ({ negotiation: route.negotiator.negotiate({ 'accept-encoding': names }), isMarkdown: false, format: undefined, fields: undefined }))
  const samples = makeSamples()
  for (let round = 0; round < ROUNDS; round++) {
    for (const sample of samples) {
      for (const wish of wishes) {
        if (sample.length >= SNIFF_BYTES) createJudge({ request: JSON_CLIENT, wish, calls: null, refusal: null, options })?.(sample)
        encodeJson(sample, { negotiation: wish.negotiation, accept: JSON_CLIENT.headers.accept, options: bodyOptions })
      }
      yield
    }
  }
}
