/** What a request tells about the results that answer it: the tool's name, and what was asked for by `_meta`. */
export { findCall } from './request/call-table.js'
export type { CallTable } from './request/call-table.js'
export { readToolHeader } from './request/tool-header.js'
export { readRequest, readTaskId } from './request/read-request.js'
export type { RequestMessage } from './request/read-request.js'
export { parseFields, parseFormat } from './request/wishes.js'
export { McpSessions } from './request/sessions.js'
export type { McpSession } from './request/sessions.js'
