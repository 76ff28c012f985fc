/** JSON with all that is not ASCII as escapes. */
export const escapeAll = (json: string): string => json.replace(/[^ -~]/g, char => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`)
