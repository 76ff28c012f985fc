import { createServer } from 'node:http'
import type { IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Test } from 'tap'
import type { Api } from '../bench/readability/endpoint.js'

/** A request that an endpoint got. */
export interface ModelRequest {
  path: string
  headers: IncomingHttpHeaders
  body: Record<string, unknown>
  system: string
  question: string
}

/** What an endpoint does: says something, answers with a status or a body of its own, stays silent, or breaks off. */
export type ModelReply = string | { status?: number, headers?: Record<string, string>, body: string } | 'stall' | 'reset'

export interface ModelEndpoint {
  url: string
  requests: ModelRequest[]
  /** How many requests it worked on at a time, at most. */
  mostAtOnce: () => number
}

/** The text of a reply in the form of an API. */
export function wrapReply (api: Api, text: string, isCut = false): string {
  return JSON.stringify(api === 'openai'
    ? { id: 'r1', object: 'chat.completion', choices: [{ index: 0, message: { role: 'assistant', content: text }, finish_reason: isCut ? 'length' : 'stop' }] }
    : { id: 'r1', type: 'message', role: 'assistant', content: [{ type: 'text', text }], stop_reason: isCut ? 'max_tokens' : 'end_turn' })
}

/** A server that answers as a model does, by what `answer` makes of each request; closed with the test. */
export async function startModel (t: Test, api: Api, answer: (request: ModelRequest, count: number) => ModelReply): Promise<ModelEndpoint> {
  const requests: ModelRequest[] = []
  let atOnce = 0
  let most = 0
  const server = createServer((message, response) => {
    const chunks: Buffer[] = []
    most = Math.max(most, ++atOnce)
    response.on('close', () => { atOnce-- })
    message.on('data', (chunk: Buffer) => chunks.push(chunk))
    message.on('end', () => {
      const body = JSON.parse(Buffer.concat(chunks).toString())
      const [system, question] = api === 'openai' ? body.messages.map(({ content }: { content: string }) => content) : [body.system, body.messages[0].content]
      const request = { path: message.url ?? '', headers: message.headers, body, system, question }
      requests.push(request)
      const reply = answer(request, requests.length)
      if (reply === 'stall') return
      if (reply === 'reset') return message.socket.destroy()
      const { status = 200, headers = {}, body: text } = typeof reply === 'string' ? { body: wrapReply(api, reply) } : reply
      // Later than at once, so that requests overlap.
      setTimeout(() => response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(text), 1)
    })
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests, mostAtOnce: () => most }
}
