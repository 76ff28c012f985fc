import type { CodingName } from '../../lib/codec.js'
import { encodeJson, toBodyOptions } from './encode-json.js'
import { createJudge } from './judge-prefix.js'
import type { RouteOptions } from './options.js'
import { makeSamples, makeStretching } from './warm-up-samples.js'

/** How often the samples are encoded: after so many times the engine has compiled what it will use. */
const ROUNDS = 8
/** In how many of these the tables are made to grow. */
const STRETCHED_ROUNDS = 2
/** Milliseconds between two rounds, for the engine to compile beside. */
const PAUSE = 25
/** No more time than this, in ms, however slow the machine. */
const MOST_MS = 500

const JSON_CLIENT = { headers: { accept: 'application/json' } }

/** The codings that this process has compiled, or is about to. */
const warm = new Set<CodingName>()

/**
 * Encodes some bodies of its own so that the engine compiles what encoding takes, in small steps between which requests are
 * answered: the first ten responses of a process take about twice as long otherwise, and some code stays slower if
 * it first sees bodies of one kind alone (`npm run bench:warm-up`).
 */
export class WarmUp {
  #timer: NodeJS.Timeout | undefined
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
      const { done, value } = steps.next()
      spent += performance.now() - from
      if (done === true || spent > MOST_MS) this.#unfinished = []
      else this.#timer = setTimeout(step, value)
    }
    this.#timer = setTimeout(step, 0)
  }

  stop (): void {
    clearTimeout(this.#timer)
    for (const coding of this.#unfinished) warm.delete(coding)
  }
}

/** Reads or encodes a sample, and gives the milliseconds to wait before the next. */
function * makeSteps (route: RouteOptions, codings: CodingName[]): Generator<number> {
  // Whatever the operator leaves alone, the code is the same.
  const options = { ...route, mode: 'adaptive' as const, minBytes: 0, minSavings: 0, tabularOnly: undefined }
  const bodyOptions = toBodyOptions(options, false)
  const wishes = [...new Set<string>([...codings, codings.join()])].map((names) => ({ negotiation: route.negotiator.negotiate({ 'accept-encoding': names }), isMarkdown: false, format: undefined, fields: undefined }))
  const samples = makeSamples()
  for (let round = 0; round < ROUNDS; round++) {
    for (const sample of round < STRETCHED_ROUNDS ? [...samples, ...makeStretching()] : samples) {
      // What is judged by its beginning ends anywhere.
      const beginning = sample.subarray(0, sample.length - round * 7 % sample.length)
      for (const wish of wishes) {
        createJudge({ request: JSON_CLIENT, wish, calls: null, refusal: null, options })?.(beginning)
        yield 0
        encodeJson(sample, { negotiation: wish.negotiation, accept: JSON_CLIENT.headers.accept, options: bodyOptions })
        yield 0
      }
    }
    yield PAUSE
  }
}
