import { setTimeout as wait } from 'node:timers/promises'
import { makeRequest, readReply } from './endpoint.js'
import type { Endpoint, Prompt, Reply } from './endpoint.js'

/** What a question may take. */
export interface Limits {
  /** Tokens of an answer. */
  maxTokens: number
  /** Milliseconds for one try, from the request to the last byte of the response. */
  timeout: number
  /** Tries beyond the first. */
  retries: number
  /** Milliseconds before the first retry; doubled for each further one, with up to half of it at random on top. */
  backoff: number
}

/** The longest that is waited before a retry, in milliseconds; an endpoint that asks for more has failed. */
const LONGEST_WAIT = 600_000

/** An endpoint that gave no reply, and why. */
export class EndpointError extends Error {
  override readonly name = 'EndpointError'
}

/** A try that failed in a way that another may not. */
interface Failure {
  message: string
  /** Milliseconds that the endpoint asks to wait. */
  retryAfter: number | null
}

/**
 * Asks one question, again where the endpoint is busy, out of order, silent or cannot be reached.
 * @param signal gives up, with its reason
 * @throws EndpointError
 */
export async function ask (endpoint: Endpoint, prompt: Prompt, limits: Limits, signal: AbortSignal): Promise<Reply & { retries: number }> {
  for (let retries = 0; ; retries++) {
    const result = await tryOnce(endpoint, prompt, limits, signal)
    if ('text' in result) return { ...result, retries }
    if (retries === limits.retries) throw new EndpointError(`${result.message} (tries: ${retries + 1})`)
    if ((result.retryAfter ?? 0) > LONGEST_WAIT) throw new EndpointError(`${result.message} (asks to wait for ${Math.ceil((result.retryAfter as number) / 1000)} s)`)
    const pause = Math.min(limits.backoff * 2 ** retries, LONGEST_WAIT) * (1 + Math.random() / 2)
    await wait(result.retryAfter ?? pause, undefined, { signal })
  }
}

async function tryOnce (endpoint: Endpoint, prompt: Prompt, { maxTokens, timeout }: Limits, signal: AbortSignal): Promise<Reply | Failure> {
  const patience = AbortSignal.timeout(timeout)
  let response: Response
  let body: string
  try {
    // A redirect would take the key to another place.
    response = await fetch(endpoint.url, { method: 'POST', redirect: 'manual', signal: AbortSignal.any([signal, patience]), ...makeRequest(endpoint, prompt, maxTokens) })
    body = await response.text()
  } catch (error) {
    signal.throwIfAborted()
    return { message: patience.aborted ? `The endpoint did not answer within ${timeout} ms` : `The endpoint cannot be reached: ${reasonOf(error)}`, retryAfter: null }
  }
  if (response.ok) {
    const reply = readReply(endpoint.api, body)
    if (reply === null) throw new EndpointError(`The endpoint answered with something that is no reply of the ${endpoint.api} API: ${excerpt(body)}`)
    return reply
  }
  const message = `The endpoint answered ${response.status} ${response.statusText}: ${excerpt(body)}`
  if (!isPassing(response.status)) throw new EndpointError(message)
  return { message, retryAfter: readRetryAfter(response.headers.get('retry-after')) }
}

function isPassing (status: number): boolean {
  return status === 408 || status === 429 || status >= 500
}

/** RFC 9110 section 10.2.3: seconds, or a date. */
function readRetryAfter (field: string | null): number | null {
  if (field === null) return null
  if (/^\d+$/.test(field)) return Number(field) * 1000
  const date = Date.parse(field)
  return Number.isNaN(date) ? null : Math.max(0, date - Date.now())
}

function reasonOf (error: unknown): string {
  const { message, cause } = error as Error
  return cause instanceof Error && cause.message !== '' ? cause.message : message
}

function excerpt (body: string): string {
  const line = body.replace(/\s+/g, ' ').trim()
  return line.length > 300 ? `${line.slice(0, 300)}…` : line
}
