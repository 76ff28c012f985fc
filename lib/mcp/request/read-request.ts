import { Document } from '../../json/document.js'
import type { ParseOptions } from '../../json/document.js'
import { ARRAY, NUMBER, OBJECT, STRING, nextNode } from '../../json/tape.js'
import { toText } from '../../json/utf8.js'
import type { Call } from '../context.js'
import { kindOf, spellingOf } from '../members.js'
import { findSole } from './find-sole.js'
import { parseFields, parseFormat } from './wishes.js'

/** The members of a request's `params._meta` by which a client asks for a format and for fields. */
const FORMAT_KEY = 'fastify-token-gateway/format'
const FIELDS_KEY = 'fastify-token-gateway/fields'

/** One request of a JSON-RPC body. */
export interface RequestMessage {
  /** The id as JSON text, as the answer will have it. */
  id: string
  call: Call
  /** The task whose result is asked for (`tasks/result`, `tasks/get`); null where none is. */
  taskId: string | null
  /** Whether the answer names a task that will have the result (MCP 2025-11-25). */
  createsTask: boolean
}

/**
 * Reads the requests of a JSON-RPC body, a batch (MCP 2025-03-26) included.
 *
 * @param readsMeta whether wishes in `params._meta` count
 * @returns in order
 * @throws JsonSyntaxError
 */
export function readRequest (body: Uint8Array, readsMeta: boolean, isUtf8?: ParseOptions['isUtf8']): RequestMessage[] {
  return withDocument(body, isUtf8, document => {
    if (kindOf(document, 0) !== ARRAY) return readMessage(document, 0, readsMeta)
    const { tape } = document
    const messages: RequestMessage[] = []
    for (let node = 6; node < tape[2]; node = nextNode(tape, node)) messages.push(...readMessage(document, node, readsMeta))
    return messages
  })
}

/**
 * The task that an answer names as the one that will have its result; null where it names none.
 *
 * @throws JsonSyntaxError
 */
export function readTaskId (answer: Uint8Array, isUtf8?: ParseOptions['isUtf8']): string | null {
  return withDocument(answer, isUtf8, document => {
    const result = findSole(document, 0, 'result')
    return readString(document, findSole(document, findSole(document, result, 'task'), 'taskId'))
  })
}

function readMessage (document: Document, node: number, readsMeta: boolean): RequestMessage[] {
  const method = readString(document, findSole(document, node, 'method'))
  const id = readId(document, findSole(document, node, 'id'))
  if (method === null || id === null) return []
  const params = findSole(document, node, 'params')
  return [{
    id,
    call: {
      tool: method === 'tools/call' ? readString(document, findSole(document, params, 'name')) : null,
      ...(readsMeta ? readWishes(document, findSole(document, params, '_meta')) : {})
    },
    taskId: method.startsWith('tasks/') ? readString(document, findSole(document, params, 'taskId')) : null,
    createsTask: method === 'tools/call' && kindOf(document, findSole(document, params, 'task')) === OBJECT
  }]
}

function readWishes (document: Document, meta: number): Pick<Call, 'format' | 'fields'> {
  const format = readString(document, findSole(document, meta, FORMAT_KEY))
  const fields = readStrings(document, findSole(document, meta, FIELDS_KEY))
  return { format: parseFormat(format ?? ''), fields: parseFields(fields.join(',')) }
}

function readId (document: Document, node: number): string | null {
  const kind = kindOf(document, node)
  if (kind !== NUMBER && kind !== STRING) return null
  const text = toText(spellingOf(document, node))
  return kind === STRING ? `"${text}"` : text
}

function readString (document: Document, node: number): string | null {
  return kindOf(document, node) === STRING ? JSON.parse(`"${toText(spellingOf(document, node))}"`) : null
}

/** A string, or the strings of an array. */
function readStrings (document: Document, node: number): string[] {
  const { tape } = document
  const found: (string | null)[] = []
  if (kindOf(document, node) !== ARRAY) found.push(readString(document, node))
  else for (let element = node + 6; element < tape[node + 2]; element = nextNode(tape, element)) found.push(readString(document, element))
  return found.filter(text => text !== null)
}

function withDocument<T> (body: Uint8Array, isUtf8: ParseOptions['isUtf8'], use: (document: Document) => T): T {
  const document = Document.parse(body, { isUtf8 })
  try {
    return use(document)
  } finally {
    document.dispose()
  }
}
