// Likeness of texts as the older tool measures it: the cosine of plain term frequencies. Words are the engine's, so that texts of any
// script have some; whether a capture is a duplicate is the engine's own, stricter rule.
import { textWords } from '../native.js'
import { fieldsIn, listIn } from './soft.js'

/** Splits a text into its words with counts; what is no text has none. */
export function tokenize(text: unknown): Map<string, number> {
  return new Map(typeof text === 'string' ? textWords(text).map(({ word, count }) => [word, count]) : [])
}

/** Returns the cosine of two weighted bags of words; 0 when one is empty. */
export function vecCosineSimilarity(a: Map<string, number>, b: Map<string, number>): number {
  let dot = 0
  for (const [word, weight] of a) dot += weight * (b.get(word) ?? 0)
  const norm = Math.sqrt(squares(a) * squares(b))
  return norm === 0 ? 0 : dot / norm
}

function squares(vector: Map<string, number>): number {
  let sum = 0
  for (const weight of vector.values()) sum += weight * weight
  return sum
}

/** Returns the cosine of two texts, or of what `tokenize` made of them. */
export function cosineSimilarity(a: unknown, b: unknown): number {
  return vecCosineSimilarity(bagOf(a), bagOf(b))
}

function bagOf(value: unknown): Map<string, number> {
  return value instanceof Map ? value : tokenize(value)
}

export interface SimilarThoughts<T> {
  kept: T[]
  dropped: { thought: T; similarTo: T; similarity: number }[]
}

/** Keeps the first of thoughts that are alike; thoughts without a text are all kept. */
export function dedupeThoughtsBySimilarity<T>(
  list: T[],
  { threshold = 0.9 }: { threshold?: number } = {},
): SimilarThoughts<T> {
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
