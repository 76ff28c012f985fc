import type { Document } from '../../json/document.js'
import { Failure } from '../../json/errors.js'
import { Verifier } from './verify/cells.js'

/**
 * Whether a text is a document of STC 2 that a reader decodes to exactly this document. It reads the text by the
 * grammar, in lock-step with the tape; what templates and copies insert is what the document holds in the cells
 * that they refer to, which are compared with the text in their turn.
 */
export function verifyStc2 (text: Uint8Array, document: Document, maxDepth: number): boolean {
  try {
    return new Verifier(text, document, maxDepth).isWhole()
  } catch (error) {
    // A header that is none is the answer "no"; anything else is a defect of ours and must be seen.
    if (!(error instanceof Failure)) throw error
    return false
  }
}
