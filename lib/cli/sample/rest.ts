import type { FastifyInstance } from 'fastify'
import { makeCustomers, makeEvents, makeIssues, makeLedgerText, makeOrders, makeSettingsText } from './data.js'

/** A document of the sample API: its path, what it shows, and its bytes. */
export interface Resource {
  path: string
  about: string
  text: string
}

/** Every document of the sample API but the index; the texts are the same on every run. */
export function listResources (): Resource[] {
  const orders = makeOrders()
  return [
    { path: '/orders', about: 'uniform rows', text: JSON.stringify({ total: orders.length, orders }) },
    { path: '/customers', about: 'uniform rows with nested objects', text: JSON.stringify(makeCustomers()) },
    { path: '/issues', about: 'mostly prose', text: JSON.stringify(makeIssues()) },
    { path: '/events', about: 'ragged rows', text: JSON.stringify(makeEvents()) },
    { path: '/ledger', about: 'numbers that no double holds', text: makeLedgerText() },
    { path: '/settings', about: 'pretty-printed, not a list', text: makeSettingsText() }
  ]
}

/** Fastify plugin: the read-only sample API, with an index of its documents at `/`. */
export async function sampleRest (app: FastifyInstance): Promise<void> {
  const resources = listResources()
  const index = JSON.stringify({ resources: resources.map(({ path, about }) => ({ path, about })) })
  for (const { path, text } of [{ path: '/', text: index }, ...resources]) {
    app.get(path, async (_request, reply) => reply.type('application/json; charset=utf-8').send(text))
  }
}
