import { isUtf8 } from 'node:buffer'
import { JsonSyntaxError } from '../../../lib/json/errors.js'
import { readTaskId } from '../../../lib/mcp/request.js'
import type { Calls } from './find-calls.js'

/** Where a call has become a task of a session, keeps its tool for those who ask for the task's result. */
export function noteTask (answer: Uint8Array, { session, taskTool }: Calls): void {
  if (session === null || taskTool === null) return
  const taskId = findTaskId(answer)
  if (taskId !== null) session.rememberTask(taskId, taskTool)
}

function findTaskId (answer: Uint8Array): string | null {
  try {
    return readTaskId(answer, isUtf8)
  } catch (error) {
    // Whoever rewrites the answer finds that out too, and reports it.
    if (error instanceof JsonSyntaxError) return null
    throw error
  }
}
