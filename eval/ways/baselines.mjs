// What the package is measured against, each set up as its own documentation advises. Every one takes documents and answers a
// question with ids, best first.
import MiniSearch from 'minisearch'
import sqlite from 'node-sqlite3-wasm'
import { DEPTH } from '../quality.mjs'
import { stem, wordsOf } from './tokens.mjs'

const K1 = 1.2
const B = 0.75

/** The number of the question's words that a text contains; of equals the newest first. */
export function substring({ documents }) {
  const texts = documents.map(({ text }) => text.toLowerCase())
  return (question) => {
    const words = [...new Set(question.toLowerCase().split(/\s+/).filter(Boolean))]
    const scored = texts.map((text, at) => [at, words.filter((word) => text.includes(word)).length])
    const found = scored.filter(([, count]) => count > 0)
    return best(found, documents)
  }
}

/** BM25 over Snowball stems without stop words. */
export function bm25({ documents }) {
  const postings = new Map()
  const lengths = documents.map(({ text }, at) => {
    const words = wordsOf(text).map(stem)
    for (const word of words) {
      if (!postings.has(word)) postings.set(word, new Map())
      const counts = postings.get(word)
      counts.set(at, (counts.get(at) ?? 0) + 1)
    }
    return words.length
  })
  const average = lengths.reduce((sum, length) => sum + length, 0) / documents.length
  return (question) => {
    const scores = new Map()
    for (const word of new Set(wordsOf(question).map(stem))) {
      const counts = postings.get(word)
      if (counts === undefined) continue
      const rarity = Math.log(1 + (documents.length - counts.size + 0.5) / (counts.size + 0.5))
      for (const [at, count] of counts) {
        const weight = (count * (K1 + 1)) / (count + K1 * (1 - B + (B * lengths[at]) / average))
        scores.set(at, (scores.get(at) ?? 0) + rarity * weight)
      }
    }
    return best([...scores], documents)
  }
}

/** SQLite FTS5 with its Porter tokenizer; stop words are left out of the question. */
export function fts5({ documents }) {
  const database = new sqlite.Database()
  database.exec("CREATE VIRTUAL TABLE texts USING fts5(text, tokenize = 'porter unicode61')")
  database.exec('BEGIN')
  const insert = database.prepare('INSERT INTO texts (rowid, text) VALUES (?, ?)')
  for (const [at, { text }] of documents.entries()) insert.run([at + 1, text])
  insert.finalize()
  database.exec('COMMIT')
  const select = database.prepare(`SELECT rowid FROM texts WHERE texts MATCH ? ORDER BY rank LIMIT ${DEPTH}`)
  return (question) => {
    const words = [...new Set(wordsOf(question))]
    if (words.length === 0) return []
    const rows = select.all([words.map((word) => `"${word}"`).join(' OR ')])
    return rows.map(({ rowid }) => documents[Number(rowid) - 1].id)
  }
}

/** MiniSearch with prefixes and fuzzy matching on, as its page shows. */
export function miniSearch({ documents }) {
  const index = new MiniSearch({ fields: ['text'], storeFields: [], searchOptions: { prefix: true, fuzzy: 0.2 } })
  index.addAll(documents.map(({ id, text }) => ({ id, text })))
  return (question) =>
    index
      .search(question)
      .slice(0, DEPTH)
      .map(({ id }) => id)
}

function best(scored, documents) {
  scored.sort((a, b) => b[1] - a[1] || b[0] - a[0])
  return scored.slice(0, DEPTH).map(([at]) => documents[at].id)
}
