import { PRETTY_ROWS, ROWS } from './mcp-messages.js'

/** What the tools of the demo servers return, by name. */
export const DEMO_RESULTS = {
  echo: { content: [{ type: 'text', text: 'just words' }] },
  list_rows: { content: [{ type: 'text', text: PRETTY_ROWS }] },
  read_text_file: { content: [{ type: 'text', text: PRETTY_ROWS }] },
  get_numbers: { content: [{ type: 'text', text: '[{"id":12345678901234567890,"n":1.5},{"id":12345678901234567891,"n":2.5}]' }] },
  json_and_more: { content: [{ type: 'text', text: `${ROWS} is what I found` }] },
  fail: { content: [{ type: 'text', text: PRETTY_ROWS }], isError: true },
  structured: { content: [{ type: 'text', text: ROWS }], structuredContent: { rows: JSON.parse(ROWS), total: 8 }, _meta: { 'example.com/note': 1 } },
  mixed: {
    content: [
      { type: 'text', text: ROWS, annotations: { audience: ['user'] } }, { type: 'image', data: 'iVBORw0KGgo=', mimeType: 'image/png' },
      { type: 'resource', resource: { uri: 'demo://rows', mimeType: 'application/json', text: PRETTY_ROWS } },
      { type: 'resource_link', uri: 'demo://rows', name: 'rows' }, { type: 'text', text: PRETTY_ROWS, _meta: { x: 1 } }
    ]
  }
} as const

export type DemoTool = keyof typeof DEMO_RESULTS
export const DEMO_TOOLS = Object.keys(DEMO_RESULTS) as DemoTool[]
