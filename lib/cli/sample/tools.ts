import { STATUSES, makeCustomers, makeOrders } from './data.js'

/** What `tools/call` answers: text blocks, and whether they tell of a failure. */
export interface ToolResult {
  content: { type: 'text', text: string }[]
  isError: boolean
}

/** A tool as `tools/list` shows it, and the function behind it. */
export interface Tool {
  name: string
  description: string
  inputSchema: object
  annotations: { readOnlyHint: boolean }
  /** Returns null when the arguments do not fit inputSchema. */
  call (args: Record<string, unknown>): ToolResult | null
}

const MAX_LIMIT = 100
const DEFAULT_LIMIT = 20

/** Pretty-printed, as many MCP servers send it. */
function toResult (value: unknown): ToolResult {
  return { content: [{ type: 'text', text: JSON.stringify(value, null, 2) }], isError: false }
}

function isLimit (value: unknown): value is number {
  return Number.isInteger(value) && Number(value) >= 1 && Number(value) <= MAX_LIMIT
}

function isStatus (value: unknown): boolean {
  return STATUSES.some(status => status === value)
}

function hasOnly (args: Record<string, unknown>, names: readonly string[]): boolean {
  return Object.keys(args).every(name => names.includes(name))
}

const listOrders: Tool = {
  name: 'list_orders',
  description: 'Lists orders, oldest first.',
  inputSchema: {
    type: 'object',
    properties: {
      limit: { type: 'integer', minimum: 1, maximum: MAX_LIMIT, default: DEFAULT_LIMIT },
      status: { type: 'string', enum: STATUSES }
    },
    additionalProperties: false
  },
  annotations: { readOnlyHint: true },
  call (args) {
    const { limit = DEFAULT_LIMIT, status } = args
    if (!isLimit(limit) || (status !== undefined && !isStatus(status)) || !hasOnly(args, ['limit', 'status'])) return null
    const orders = makeOrders().filter(order => status === undefined || order.status === status)
    return toResult({ total: orders.length, orders: orders.slice(0, limit) })
  }
}

const findCustomer: Tool = {
  name: 'find_customer',
  description: 'Finds one customer by id (C-001 to C-040), with the orders of that customer.',
  inputSchema: {
    type: 'object',
    properties: { id: { type: 'string' } },
    required: ['id'],
    additionalProperties: false
  },
  annotations: { readOnlyHint: true },
  call (args) {
    const { id } = args
    if (typeof id !== 'string' || !hasOnly(args, ['id'])) return null
    const customer = makeCustomers().find(candidate => candidate.id === id)
    // A failure of the tool, not of the protocol: the model shall see it.
    if (customer === undefined) return { content: [{ type: 'text', text: `There is no customer ${id}.` }], isError: true }
    return toResult({ customer, orders: makeOrders().filter(order => order.customer === id) })
  }
}

/** The tools of the sample MCP endpoint. */
export const TOOLS: readonly Tool[] = [listOrders, findCustomer]
