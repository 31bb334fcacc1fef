import { printableJson } from '../text/printable.js'
import type { Answer } from './answer.js'

/** Answers with a document that people read as programs do: as JSON, indented. */
export function documentAnswer(document: object, isFine = true): Answer {
  return { document, text: () => printableJson(document, 2), ...(isFine ? {} : { exitCode: 1 }) }
}
