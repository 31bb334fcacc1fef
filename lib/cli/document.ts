import { printableJson } from '../text/printable.js'
import type { Answer } from './answer.js'

/** Returns an answer that people read as programs do: indented JSON. */
export function documentAnswer(document: object, isFine = true): Answer {
  return { document, text: () => printableJson(document, 2), ...(isFine ? {} : { exitCode: 1 }) }
}
