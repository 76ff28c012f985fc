import { writeFileSync } from 'node:fs'
import { EndpointError } from './ask.js'
import { askAll } from './ask-all.js'
import type { Answered } from './ask-all.js'
import { SettingsError, VARIABLES, readEndpoint } from './endpoint.js'
import { FlagError, HELP, readFlags } from './flags.js'
import type { Flags } from './flags.js'
import { formatLog, formatPrompts, formatQuestions, formatScores, formatTokens, toRatios } from './format-results.js'
import { makePayloads } from './payloads.js'
import type { Payload } from './payloads.js'
import { makePlan, meanTokens } from './plan.js'
import type { Plan } from './plan.js'
import { readCorpus } from './read-corpus.js'
import { scoreAll } from './score.js'
import type { Score } from './score.js'

/** Where the bench writes to. */
export interface Output {
  out: (text: string) => void
  /** Progress and errors. */
  note: (text: string) => void
}

/** Runs the bench; returns its exit code. */
export async function run (argv: string[], env: Record<string, string | undefined>, output: Output): Promise<number> {
  try {
    const flags = readFlags(argv)
    if (flags.isHelp) output.out(HELP + describeVariables())
    else await compare(flags, env, output)
    return 0
  } catch (error) {
    if (!(error instanceof FlagError || error instanceof SettingsError || error instanceof EndpointError)) throw error
    output.note(`readability: ${error.message}\n`)
    return 1
  }
}

async function compare (flags: Flags, env: Record<string, string | undefined>, output: Output): Promise<void> {
  const endpoint = readEndpoint(env)
  const plan = await makePlan(readPayloads(flags, output), flags)
  for (const reason of plan.left) output.note(`left out: ${reason}\n`)
  if (plan.parts.length === 0) throw new FlagError('there is no document to ask about')
  let scores: Score[] = []
  if (flags.isPrinting) {
    output.out(formatPrompts(plan) + formatQuestions(plan))
  } else if (endpoint === null) {
    output.out(`${formatQuestions(plan)}\n${formatTokens(plan)}\n${describeRun(plan)}${describeVariables()}`)
  } else {
    output.note(describeRun(plan))
    const answers = await askAll(plan, endpoint, { limits: flags, concurrency: flags.concurrency, onAnswer: makeProgress(output) })
    scores = scoreAll(answers, meanTokens(plan))
    output.out(`${endpoint.model}, seed ${flags.seed}\n\n${formatScores(scores, answers)}`)
    writeLog(flags, answers)
  }
  if (flags.json !== null) writeFileSync(flags.json, `${JSON.stringify(toRatios(plan, scores), null, 2)}\n`)
}

function readPayloads ({ corpus, payloads: names }: Flags, { note }: Output): Payload[] {
  const { payloads, broken } = corpus === null ? { payloads: makePayloads(), broken: [] } : readCorpus(corpus)
  for (const reason of broken) note(`left out: ${reason}\n`)
  const unknown = names?.filter(name => !payloads.some(payload => payload.name === name)) ?? []
  if (unknown.length > 0) throw new FlagError(`--payloads must be a list of ${payloads.map(({ name }) => name).join(',')}`)
  return payloads.filter(({ name }) => names === null || names.includes(name))
}

function writeLog ({ log }: Flags, answers: readonly Answered[]): void {
  if (log !== null) writeFileSync(log, formatLog(answers))
}

/** What a run takes, so that nobody is surprised by the bill. */
function describeRun ({ parts, formats }: Plan): string {
  const requests = parts.reduce((sum, { questions }) => sum + questions.length * formats.length, 0)
  const tokens = parts.reduce((sum, { questions, renditions }) => sum + questions.length * renditions.reduce((all, rendition) => all + rendition.tokens, 0), 0)
  return `${requests} requests with about ${tokens} tokens of documents in all.\n`
}

function describeVariables (): string {
  const lines = Object.entries(VARIABLES).map(([name, text]) => `  ${name.padEnd(18)}  ${text}\n`)
  return `\nTo ask a model, set these environment variables:\n\n${lines.join('')}`
}

/** A line for every twentieth part of the answers. */
function makeProgress ({ note }: Output): (answered: number, total: number) => void {
  return (answered, total) => {
    if (Math.floor(20 * answered / total) > Math.floor(20 * (answered - 1) / total)) note(`${answered} of ${total} answered\n`)
  }
}
