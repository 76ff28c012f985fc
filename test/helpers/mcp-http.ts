import type { IncomingMessage } from 'node:http'
import { createParser } from 'eventsource-parser'
import type { EventSourceMessage } from 'eventsource-parser'
import { entriesOf, decodeBlock, resultOf } from './mcp-messages.js'
import type { Answer } from './faulty-upstream.js'

/** What every MCP client sends. */
export const MCP: Record<string, string> = { accept: 'application/json, text/event-stream', 'content-type': 'application/json' }
export const MCP_TOON: Record<string, string> = { ...MCP, 'accept-encoding': 'toon' }
export const EVENTS: Record<string, string> = { 'content-type': 'text/event-stream', 'cache-control': 'no-cache, no-transform' }

/** The body of a tools/call request. */
export function callBody (name: string, id: number | string = 1, params: object = {}): string {
  return `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":${JSON.stringify({ name, arguments: {}, ...params })}}`
}

/** An event as servers of the SDK send it. */
export function event (data: string, id = ''): string {
  return `event: message\n${id === '' ? '' : `id: ${id}\n`}data: ${data}\n\n`
}

/** Answers every request with this body, once it has been read. */
export function sendBody (body: string | Buffer, headers: Record<string, string> = { 'content-type': 'application/json' }): Answer {
  return (request, response) => {
    request.resume().on('end', () => { response.writeHead(200, headers).end(body) })
  }
}

/** The events of a stream, as a reader that is not ours finds them. */
export function parseEvents (text: string): EventSourceMessage[] {
  const events: EventSourceMessage[] = []
  createParser({ onEvent: (event) => { events.push(event) } }).feed(text)
  return events
}

/** The JSON in the first text block of a message, and the codec that it came in; null where it came as it was. */
export function readText (message: string): { json: string, codec: string | null } {
  const result = resultOf(message)
  const entry = entriesOf(result).find(({ index }) => index === 0)
  return { json: decodeBlock(result.content[0].text, entry), codec: entry?.codec ?? null }
}

/** Reads a response until it holds a text. */
export async function readUntil (response: IncomingMessage, text: string): Promise<string> {
  let read = ''
  for await (const chunk of response.iterator({ destroyOnReturn: false })) {
    read += chunk
    if (read.includes(text)) return read
  }
  throw new Error(`the response ended without ${text}: ${read}`)
}
