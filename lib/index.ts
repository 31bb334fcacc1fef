/**
 * The package's main entry: everything the native engine exports.
 *
 * The binding (`index.js` and `index.d.ts` in the package root) is generated from `src/`; this file only hands it on.
 */
import { latticeWords } from '../index.js'

export * from '../index.js'

/** Splits a text into lower-case words, identifiers into their parts, with counts. */
export function tokenizeForSearch(text: string): Map<string, number> {
  return new Map(latticeWords(text).map(({ word, count }) => [word, count]))
}
