const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

/** Text for a page, in an element or in a quoted attribute. */
export function escapeHtml (text: string): string {
  return text.replace(/[&<>"']/g, char => ENTITIES[char])
}
