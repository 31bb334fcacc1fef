// Term frequency, inverse document frequency, in the older tool's variant: smooth IDF, and counts by the number of different words.
import { tokenize } from './similarity.js'

/** Returns the weight of each word: ln((N + 1) / (df + 1)) + 1. */
export function buildIdf(bags: Map<string, number>[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const bag of bags) for (const word of bag.keys()) counts.set(word, (counts.get(word) ?? 0) + 1)
  return new Map([...counts].map(([word, count]) => [word, Math.log((bags.length + 1) / (count + 1)) + 1]))
}

/** Returns the vector of a text: how often each word is there, for the number of its words, by the word's weight. */
export function tfIdfVector(text: unknown, idf: Map<string, number>): Map<string, number> {
  const bag = text instanceof Map ? (text as Map<string, number>) : tokenize(text)
  return new Map([...bag].map(([word, count]) => [word, (count / bag.size) * (idf.get(word) ?? 1)]))
}
