import type { IncomingMessage, ServerResponse } from 'node:http'
import type { OAuthClientProvider } from '@modelcontextprotocol/sdk/client/auth.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { DemoInMemoryAuthProvider } from '@modelcontextprotocol/sdk/examples/server/demoInMemoryOAuthProvider.js'
import { requireBearerAuth } from '@modelcontextprotocol/sdk/server/auth/middleware/bearerAuth.js'
import { getOAuthProtectedResourceMetadataUrl, mcpAuthRouter } from '@modelcontextprotocol/sdk/server/auth/router.js'
import { createMcpExpressApp } from '@modelcontextprotocol/sdk/server/express.js'
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import type { OAuthClientInformationMixed, OAuthClientMetadata, OAuthTokens } from '@modelcontextprotocol/sdk/shared/auth.js'
import { PRETTY_ROWS } from './mcp-messages.js'

/** An MCP server behind a login, with the authorization server of the SDK beside it, both known under this origin. */
export function createProtected (origin: string): (request: IncomingMessage, response: ServerResponse) => unknown {
  const app = createMcpExpressApp()
  app.set('trust proxy', 1)
  const provider = new DemoInMemoryAuthProvider()
  const resource = new URL('/mcp', origin)
  app.use(mcpAuthRouter({ provider, issuerUrl: new URL(origin), resourceServerUrl: resource }))
  app.use('/mcp', requireBearerAuth({ verifier: provider, resourceMetadataUrl: getOAuthProtectedResourceMetadataUrl(resource) }))
  app.post('/mcp', async (request: IncomingMessage & { body?: unknown }, response: ServerResponse) => {
    const server = new McpServer({ name: 'protected', version: '1' })
    server.registerTool('list_rows', {}, async () => ({ content: [{ type: 'text', text: PRETTY_ROWS }] }))
    const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: undefined, enableJsonResponse: true })
    await server.connect(transport as Transport)
    await transport.handleRequest(request, response, request.body)
  })
  return app
}

/** Logs in as a client of the SDK does, and takes the place of the browser. */
export class LoginProvider implements OAuthClientProvider {
  readonly redirectUrl = 'http://127.0.0.1/callback'
  readonly clientMetadata: OAuthClientMetadata = { client_name: 'test', redirect_uris: [this.redirectUrl], grant_types: ['authorization_code', 'refresh_token'], response_types: ['code'] }
  #client: OAuthClientInformationMixed | undefined
  #tokens: OAuthTokens | undefined
  #verifier = ''
  #code = ''
  #transport: StreamableHTTPClientTransport | undefined

  open (url: URL, fetchWith: typeof fetch): StreamableHTTPClientTransport {
    this.#transport = new StreamableHTTPClientTransport(url, { authProvider: this, fetch: fetchWith })
    return this.#transport
  }

  /** Trades the code of the login for tokens. */
  async finish (): Promise<void> {
    await this.#transport?.finishAuth(this.#code)
  }

  clientInformation (): OAuthClientInformationMixed | undefined { return this.#client }
  saveClientInformation (client: OAuthClientInformationMixed): void { this.#client = client }
  tokens (): OAuthTokens | undefined { return this.#tokens }
  saveTokens (tokens: OAuthTokens): void { this.#tokens = tokens }
  codeVerifier (): string { return this.#verifier }
  saveCodeVerifier (verifier: string): void { this.#verifier = verifier }

  async redirectToAuthorization (url: URL): Promise<void> {
    const response = await fetch(url, { redirect: 'manual', headers: { 'accept-encoding': 'toon' } })
    this.#code = new URL(response.headers.get('location')!).searchParams.get('code')!
  }
}
