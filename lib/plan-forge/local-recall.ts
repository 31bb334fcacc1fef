// Searches the thoughts of a project by TF-IDF, as Plan Forge does: the newest thoughts of its files, and the hits of
// the engine's recall, which covers the whole history.
import { LocalEmbedder, modelStatus } from '../native.js'
import { cutWithEllipsis } from '../shared/line.js'
import { CORPUS_MAX, readLocalThoughts, recallThoughts, textOf } from './local-thoughts.js'
import { keepIndex } from './recall-index.js'
import { buildIdf, tfIdfVector, tokenize, vecCosineSimilarity } from './similarity.js'
import { type Fields, reasonOf, textIn } from './soft.js'

export { readLocalThoughts, THOUGHT_SOURCES } from './local-thoughts.js'
export {
  buildCorpusIndex,
  clearPersistedIndex,
  getIndexStatus,
  loadCachedIndex,
  persistIndex,
} from './recall-index.js'
export { buildIdf, tfIdfVector, vecCosineSimilarity } from './similarity.js'

const LIMIT = 5
const THRESHOLD = 0.02
const SNIPPET_CHARS = 120
/** How many recall hits are ranked together with the newest thoughts. */
const RECALLED = 50

let probe: Promise<boolean> | undefined

/** True if the embedding model is installed (`forge-memory model install`). The result is cached. */
export function isNeuralEmbeddingAvailable(): Promise<boolean> {
  probe ??= modelStatus().then(
    ({ state }) => state === 'installed',
    () => false,
  )
  return probe
}

export function _resetNeuralProbeCache(): void {
  probe = undefined
}

export interface LocalSearchOptions {
  cwd?: string
  limit?: number
  threshold?: number
  sources?: string[]
  /** `auto` when absent, which means `tfidf`. */
  forceBackend?: 'auto' | 'tfidf' | 'neural'
  /** True writes no index file. */
  noCache?: boolean
}

export interface LocalHit {
  source: string | null
  project: string | null
  type: string | null
  snippet: string
  score: number
  createdAt: string | null
}

export interface LocalSearchAnswer {
  hits: LocalHit[]
  total: number
  corpusSize: number
  backend: 'tfidf' | 'neural' | 'none'
  query: string
  truncated: boolean
  message: string
}

/** Finds the thoughts of a project that are similar to a query. Never rejects. */
export async function searchLocalThoughts(query: string, options: LocalSearchOptions = {}): Promise<LocalSearchAnswer> {
  const words = typeof query === 'string' ? query.trim() : ''
  const nothing = { hits: [], total: 0, corpusSize: 0, backend: 'none' as const, query: words, truncated: false }
  if (words === '') return { ...nothing, message: 'The query must be a non-empty string.' }
  try {
    const { cwd = process.cwd(), sources, limit = LIMIT, threshold = THRESHOLD, noCache } = options
    const newest = readLocalThoughts(cwd, sources === undefined ? {} : { sources })
    const corpus = sources === undefined ? withRecalled(newest, cwd, words) : newest
    if (corpus.length === 0) return { ...nothing, message: 'No local thoughts are stored in this project.' }
    if (sources === undefined && noCache !== true) keepIndex(cwd, newest)
    const { backend, scores, message } = await scoresOf(words, corpus, options.forceBackend)
    const ranked = corpus
      .map((record, at) => ({ record, score: scores[at] ?? 0 }))
      .filter(({ score }) => score >= threshold)
      .sort((a, b) => b.score - a.score)
    const hits = ranked.slice(0, Math.max(0, limit)).map(({ record, score }) => hitOf(record, score))
    const truncated = newest.length >= CORPUS_MAX
    const summary =
      message ??
      (hits.length === 0
        ? `No thoughts matched: no results for "${words}" in ${corpus.length}.`
        : `${hits.length} of ${ranked.length} matches in ${corpus.length} thoughts.`)
    return { hits, total: hits.length, corpusSize: corpus.length, backend, query: words, truncated, message: summary }
  } catch (error) {
    return { ...nothing, message: `The search failed: ${reasonOf(error).message}` }
  }
}

function withRecalled(newest: Fields[], cwd: string, query: string): Fields[] {
  const known = new Set(newest.map(textOf))
  return [...newest, ...recallThoughts(cwd, query, RECALLED).filter((record) => !known.has(textOf(record)))]
}

async function scoresOf(query: string, corpus: Fields[], wanted: LocalSearchOptions['forceBackend']) {
  const texts = corpus.map(textOf)
  if (wanted === 'neural') {
    if (await isNeuralEmbeddingAvailable()) return { backend: 'neural' as const, scores: await byMeaning(query, texts) }
    const message = 'Searched by words: there is no model. forge-memory model install fetches it.'
    return { backend: 'tfidf' as const, scores: byWords(query, texts), message }
  }
  return { backend: 'tfidf' as const, scores: byWords(query, texts) }
}

function byWords(query: string, texts: string[]): number[] {
  const bags = texts.map(tokenize)
  const idf = buildIdf(bags)
  const vector = tfIdfVector(query, idf)
  return bags.map((bag) => vecCosineSimilarity(vector, tfIdfVector(bag, idf)))
}

async function byMeaning(query: string, texts: string[]): Promise<number[]> {
  const embedder = LocalEmbedder.open()
  try {
    // The model returns unit vectors, so the dot product is the cosine.
    const [first] = await embedder.embed([query], 'query')
    return (await embedder.embed(texts)).map((vector) =>
      vector.reduce((sum, value, at) => sum + value * (first?.[at] ?? 0), 0),
    )
  } finally {
    embedder.close()
  }
}

function hitOf(record: Fields, score: number): LocalHit {
  const { source, project, type, _enqueuedAt, created_at, timestamp, captured_at, capturedAt } = record
  const times = [_enqueuedAt, created_at, timestamp, captured_at, capturedAt]
  return {
    source: textIn(source) ?? null,
    project: textIn(project) ?? null,
    type: textIn(type) ?? null,
    snippet: cutWithEllipsis(textOf(record), SNIPPET_CHARS),
    score: Math.round(score * 10_000) / 10_000,
    createdAt: times.map(textIn).find((time) => time !== undefined) ?? null,
  }
}
