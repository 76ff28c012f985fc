import type { Document } from '../../json/document.js'
import { Failure } from '../../json/errors.js'
import { Verifier } from './verify/cells.js'

/** Making a verifier costs as much as comparing a row, so the last one is kept, unless it would hold on to much memory: a small document may be part of a large body. */
const MOST_KEPT = 1 << 16
let spare: Verifier | null = null

/**
 * Whether a text is a document of STC 2 that a reader decodes to exactly this document. It reads the text by the
 * grammar, in lock-step with the tape; what templates and copies insert is what the document holds in the cells
 * that they refer to, which are compared with the text in their turn.
 */
export function verifyStc2 (text: Uint8Array, document: Document, maxDepth: number): boolean {
  const verifier = spare ?? new Verifier()
  spare = null
  try {
    const isWhole = verifier.isWhole(text, document, maxDepth)
    // Where it stopped halfway, it is not ready for another text.
    if (isWhole && document.bytes.buffer.byteLength <= MOST_KEPT && text.buffer.byteLength <= MOST_KEPT) spare = verifier
    return isWhole
  } catch (error) {
    // A header that is none is the answer "no"; anything else is a defect of ours and must be seen.
    if (!(error instanceof Failure)) throw error
    return false
  }
}
