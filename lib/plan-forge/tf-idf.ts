// TF-IDF (Spärck Jones 1972) in Plan Forge's variant: smoothed IDF, and term frequency divided by the number of
// distinct terms.
import { bagOf } from './similarity.js'
import { listIn } from './soft.js'

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
