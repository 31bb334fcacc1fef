import { latticeWords } from '../native.js'

/** Splits a text into lower-case words, and identifiers into their parts. Returns each word with its count. */
export function tokenizeForSearch(text: string): Map<string, number> {
  return new Map(latticeWords(text).map(({ word, count }) => [word, count]))
}
