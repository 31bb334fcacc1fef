import { latticeWords } from '../native.js'

/** Splits a text into lower-case words, identifiers into their parts, with counts. */
export function tokenizeForSearch(text: string): Map<string, number> {
  return new Map(latticeWords(text).map(({ word, count }) => [word, count]))
}
