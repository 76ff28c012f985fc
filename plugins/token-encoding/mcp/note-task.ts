import { isUtf8 } from 'node:buffer'
import { readTaskId } from '../../../lib/mcp/request.js'
import type { Task } from '../task.js'

/** Where a call has become a task of a session, keeps its tool for those who ask for the task's result. */
export function noteTask (answer: Uint8Array, { request, calls }: Task): void {
  if (calls === null || calls.session === null || calls.taskTool === null) return
  try {
    const taskId = readTaskId(answer, isUtf8)
    if (taskId !== null) calls.session.rememberTask(taskId, calls.taskTool)
  } catch (error) {
    request.log.debug({ err: error }, 'the answer names no task, since it is no JSON')
  }
}
