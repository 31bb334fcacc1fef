// Text similarity as Plan Forge computes it: the cosine of raw term-frequency vectors (bag of words). The engine splits
// the words, so it works for every script. The engine's duplicate detection is a different, stricter rule.
import { textWords } from '../native.js'
import { fieldsIn, listIn, optionsIn } from './soft.js'

/** Returns the words of a text with their counts; empty for anything but a string. */
export function tokenize(text: unknown): Map<string, number> {
  return new Map(typeof text === 'string' ? textWords(text).map(({ word, count }) => [word, count]) : [])
}

/** Returns the cosine of two texts, or of two results of `tokenize`; 0 when one is empty. */
export function cosineSimilarity(a: unknown, b: unknown): number {
  const [bag, other] = [bagOf(a), bagOf(b)]
  let dot = 0
  for (const [word, weight] of bag) dot += weight * (other.get(word) ?? 0)
  const norm = Math.sqrt(squares(bag) * squares(other))
  return norm === 0 ? 0 : dot / norm
}

/** The same of two bags of words. */
export const vecCosineSimilarity: (a: Map<string, number>, b: Map<string, number>) => number = cosineSimilarity

function squares(vector: Map<string, number>): number {
  let sum = 0
  for (const weight of vector.values()) sum += weight * weight
  return sum
}

/** Returns a bag of words unchanged, and tokenizes anything else. */
export function bagOf(value: unknown): Map<string, number> {
  return value instanceof Map ? value : tokenize(value)
}

export interface SimilarThoughts<T> {
  kept: T[]
  dropped: { thought: T; similarTo: T; similarity: number }[]
}

/** Keeps the first of each group of similar thoughts. Thoughts without a text are all kept. */
export function dedupeThoughtsBySimilarity<T>(list: T[], options: { threshold?: number } = {}): SimilarThoughts<T> {
  const { threshold = 0.9 } = optionsIn(options)
  const found: SimilarThoughts<T> = { kept: [], dropped: [] }
  const bags: { thought: T; bag: Map<string, number> }[] = []
  for (const thought of listIn<T>(list)) {
    const bag = tokenize(fieldsIn(thought).content)
    const [best] = bags
      .map((other) => ({ similarTo: other.thought, similarity: vecCosineSimilarity(bag, other.bag) }))
      .sort((x, y) => y.similarity - x.similarity)
    if (best !== undefined && best.similarity >= threshold) {
      found.dropped.push({ thought, ...best, similarity: Math.round(best.similarity * 1000) / 1000 })
      continue
    }
    found.kept.push(thought)
    if (bag.size > 0) bags.push({ thought, bag })
  }
  return found
}

// TF-IDF (Spärck Jones 1972) in Plan Forge's variant: smoothed IDF, and term frequency divided by the number of
// distinct terms.

/** Returns the weight of each term: ln((N + 1) / (df + 1)) + 1. */
export function buildIdf(bags: Map<string, number>[]): Map<string, number> {
  const counts = new Map<string, number>()
  const all = listIn(bags).map(bagOf)
  for (const bag of all) for (const word of bag.keys()) counts.set(word, (counts.get(word) ?? 0) + 1)
  return new Map([...counts].map(([word, count]) => [word, Math.log((all.length + 1) / (count + 1)) + 1]))
}

/** Returns the TF-IDF vector of a text: per term, count / number of distinct terms × IDF. */
export function tfIdfVector(text: unknown, idf: Map<string, number>): Map<string, number> {
  const [bag, weights] = [bagOf(text), bagOf(idf)]
  return new Map([...bag].map(([word, count]) => [word, (count / bag.size) * (weights.get(word) ?? 1)]))
}
