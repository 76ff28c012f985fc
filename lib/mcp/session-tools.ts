/** Past this many tools, or for longer names, a session's knowledge ends; such tools are left alone. */
const MAX_TOOLS = 2048
const MAX_NAME_LENGTH = 256

/**
 * What is known of the tools of one MCP session: those that a tools/list of this session has named to the client
 * without an `outputSchema`, so that their structuredContent may be missing. Bounded.
 */
export class SessionTools {
  readonly #listed = new Set<string>()

  /** Notes that the client has seen the tool without a schema; false where there is no room for it. */
  add (tool: string): boolean {
    if (this.#listed.has(tool)) return true
    if (tool.length > MAX_NAME_LENGTH || this.#listed.size >= MAX_TOOLS) return false
    this.#listed.add(tool)
    return true
  }

  /** Whether the client has seen the tool without a schema. */
  has (tool: string): boolean {
    return this.#listed.has(tool)
  }
}
