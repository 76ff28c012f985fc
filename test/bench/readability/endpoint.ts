/** The two ways to ask a model: `POST …/chat/completions` as OpenAI has it, `POST …/v1/messages` as Anthropic has it. */
export const APIS = ['openai', 'anthropic'] as const
export type Api = typeof APIS[number]

/** Where a model answers. */
export interface Endpoint {
  api: Api
  /** The whole address that is posted to. */
  url: string
  /** Null for an endpoint that wants none, such as a local one. */
  key: string | null
  model: string
  /** Members of the body that are added or, where null, taken out. */
  extra: Record<string, unknown>
}

/** The environment variables that name an endpoint. */
export const VARIABLES = {
  READABILITY_API: 'openai or anthropic',
  READABILITY_URL: 'base address: https://host/v1 for openai (/chat/completions is added), https://host for anthropic (/v1/messages is added)',
  READABILITY_MODEL: 'name of the model',
  READABILITY_KEY: 'key of the API; may be left out where none is wanted',
  READABILITY_BODY: 'JSON object of further members of each request\'s body; null takes one out: {"temperature":null}'
} as const

/** An environment variable that is missing or wrong. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError'
}

/**
 * The endpoint that the environment names; null where it names none.
 *
 * @throws SettingsError where it names one in part
 */
export function readEndpoint (env: Record<string, string | undefined>): Endpoint | null {
  const { READABILITY_API: api = '', READABILITY_URL: base = '', READABILITY_MODEL: model = '', READABILITY_KEY: key = '', READABILITY_BODY: body = '' } = env
  if (api === '' && base === '' && model === '') return null
  if (!APIS.includes(api as Api)) throw new SettingsError(`READABILITY_API must be ${APIS.join(' or ')}`)
  if (!URL.canParse(base) || !/^https?:/.test(base)) throw new SettingsError('READABILITY_URL must be an http or https URL')
  if (model === '') throw new SettingsError('READABILITY_MODEL must name a model')
  const path = api === 'openai' ? '/chat/completions' : '/v1/messages'
  const trimmed = base.replace(/\/+$/, '')
  return { api: api as Api, url: trimmed.endsWith(path) ? trimmed : `${trimmed}${path}`, key: key === '' ? null : key, model, extra: readExtra(body) }
}

function readExtra (text: string): Record<string, unknown> {
  if (text === '') return {}
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>
  } catch {
    // Told below, as is JSON of another kind.
  }
  throw new SettingsError('READABILITY_BODY must be a JSON object')
}

/** What a model is asked. */
export interface Prompt {
  system: string
  question: string
}

/** The header fields and the body of a request. */
export function makeRequest ({ api, key, model, extra }: Endpoint, { system, question }: Prompt, maxTokens: number): { headers: Record<string, string>, body: string } {
  const headers: Record<string, string> = { 'content-type': 'application/json', accept: 'application/json' }
  const user = { role: 'user', content: question }
  const common = { model, max_tokens: maxTokens, temperature: 0 }
  if (api === 'openai') {
    if (key !== null) headers.authorization = `Bearer ${key}`
    return { headers, body: write({ ...common, messages: [{ role: 'system', content: system }, user], ...extra }) }
  }
  headers['anthropic-version'] = '2023-06-01'
  if (key !== null) headers['x-api-key'] = key
  return { headers, body: write({ ...common, system, messages: [user], ...extra }) }
}

function write (body: Record<string, unknown>): string {
  return JSON.stringify(Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null)))
}

/** What a model said. */
export interface Reply {
  text: string
  /** Whether it was cut off at the bound of its tokens. */
  isCut: boolean
}

interface OpenAiReply { choices?: { message?: { content?: unknown }, finish_reason?: unknown }[] }
interface AnthropicReply { content?: { type?: unknown, text?: unknown }[], stop_reason?: unknown }

/** The reply in the body of a response; null where the body is none. A reply without text is an empty one. */
export function readReply (api: Api, body: string): Reply | null {
  let json: unknown
  try {
    json = JSON.parse(body)
  } catch {
    return null
  }
  if (api === 'openai') {
    const choice = (json as OpenAiReply | null)?.choices?.[0]
    if (choice?.message === undefined || choice.message === null) return null
    const { content } = choice.message
    return { text: typeof content === 'string' ? content : '', isCut: choice.finish_reason === 'length' }
  }
  const { content, stop_reason: stop } = (json as AnthropicReply | null) ?? {}
  if (!Array.isArray(content)) return null
  return { text: content.map(({ text }) => typeof text === 'string' ? text : '').join(''), isCut: stop === 'max_tokens' }
}
