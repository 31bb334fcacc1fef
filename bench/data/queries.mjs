// Three-word queries, each made from the words of one lesson drawn evenly from the whole history: its target.
import { Random } from './random.mjs'
import { isStopWord, rankOf } from './vocabulary.mjs'

const WORDS_NEEDED = 8

function queryWords(content, { rankOf, isStopWord }) {
  const words = content.toLowerCase().replaceAll('.', '').split(' ')
  const known = [...new Set(words)].filter((word) => rankOf(word) !== undefined && !isStopWord(word))
  return known.sort((left, right) => rankOf(right) - rankOf(left))
}

/**
 * Returns `perKind` queries of each kind, alternating: `{ kind, text, target }`.
 * `rare`: three words of the lesson's rarer half. `mixed`: two of these and one of its more frequent half, so that a
 * search engine has to deal with one long list of matches.
 */
export function makeQueries(contents, perKind, seed, vocabulary = { rankOf, isStopWord }) {
  const random = new Random(seed)
  const queries = []
  while (queries.length < 2 * perKind) {
    const target = random.below(contents.length)
    const words = queryWords(contents[target], vocabulary)
    if (words.length < WORDS_NEEDED) continue
    const rare = words.slice(0, words.length >> 1)
    const frequent = words.slice(words.length >> 1)
    const kind = queries.length % 2 === 0 ? 'rare' : 'mixed'
    const last = kind === 'rare' ? rare : frequent
    const text = [random.take(rare), random.take(rare), random.take(last)].join(' ')
    queries.push({ kind, text, target })
  }
  return queries
}
