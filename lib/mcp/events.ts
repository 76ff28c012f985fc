/** Server-sent events: a stream of them passes as it comes, but for the data of the events that are to be rewritten. */
export { HeldBytes } from './events/held-bytes.js'
export { EventStreamRewriter } from './events/rewriter.js'
export type { EventStreamOptions, Piece, RewriteData } from './events/types.js'
