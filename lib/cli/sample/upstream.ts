import fastify from 'fastify'
import type { FastifyInstance } from 'fastify'
import { sampleMcp } from './mcp.js'
import { sampleRest } from './rest.js'

/** A server with the sample REST API and the sample MCP endpoint, not yet listening. */
export function createSampleUpstream (): FastifyInstance {
  const app = fastify()
  app.register(sampleRest)
  app.register(sampleMcp)
  return app
}
