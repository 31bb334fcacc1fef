// The ways that are measured: four that stand for the state of the art without a model, and the package itself.
import { positionOf } from '../../bench/data/store.mjs'
import { DEPTH } from '../quality.mjs'
import { byCosine, openEmbedder, vectorsOf } from '../vectors.mjs'
import { bm25, fts5, miniSearch, substring } from './baselines.mjs'
import {
  byRecall,
  byThoughts,
  captureProject,
  embedProject,
  lendModel,
  recallModes,
  writeProject,
  writeThoughts,
} from './library.mjs'

/** Key and title of each way, in the order of the table. */
export const WAYS = {
  substring: 'substrings of words',
  minisearch: 'MiniSearch, prefixes and fuzzy',
  fts5: 'SQLite FTS5, Porter',
  bm25: 'BM25, Snowball, stop words',
  'captured-words': '`recall`, words, captured',
  'recall-words': '`recall`, words',
  'recall-meaning': '`recall`, meaning',
  'recall-auto': '`recall`, auto',
  'search-words': '`searchThoughts`, words',
  'search-fused': '`searchThoughts`, fused',
  cosine: 'the model alone, exact cosine',
}
/** The methods that depend on the model. */
export const MODEL_WAYS = ['recall-meaning', 'recall-auto', 'search-fused', 'cosine']
export const BASELINES = { substring, minisearch: miniSearch, fts5, bm25 }
/** What needs no model and little time. */
export const WORD_WAYS = [...Object.keys(BASELINES), 'captured-words', 'recall-words', 'search-words']

/**
 * Prepares the wanted ways for a set, one after the other, and yields `{ way, ask }`; `ask(text, at)` answers
 * `{ ids, isWeak }`. Those that need a model are left out when there is none, or when the set is too large for vectors.
 */
export async function* prepareWays(set, { wanted, work, model, progress }) {
  const wants = (way) => wanted.includes(way)
  for (const [way, prepare] of Object.entries(BASELINES)) if (wants(way)) yield { way, ask: plain(prepare(set)) }
  if (wants('captured-words')) {
    const { projectDir, documentOf } = captureProject(set, work)
    yield { way: 'captured-words', ask: byRecall(projectDir, documentOf, 'words') }
  }
  if (wanted.some((way) => way.startsWith('recall-'))) yield* recallWays(set, work, wants, { model, progress })
  const meaning = model !== undefined && !set.wordsOnly && ['search-fused', 'cosine'].some(wants)
  if (meaning) yield* meaningWays(set, { work, model, progress, wants })
  else if (wants('search-words')) yield* thoughtWays(set, work, wants)
}

const plain = (search) => async (text, at) => ({ ids: search(text, at), isWeak: false })

async function* recallWays(set, work, wants, { model, progress }) {
  const hasMeaning = model !== undefined && !set.wordsOnly
  if (hasMeaning) lendModel(model)
  const projectDir = writeProject(set, work)
  if (hasMeaning && ['recall-meaning', 'recall-auto'].some(wants)) {
    await embedProject(projectDir, (done, all) => progress('vectors of passages', done, all))
  }
  const known = recallModes(projectDir)
  const documentOf = (id) => set.documents[positionOf(id)].id
  for (const mode of known.length === 0 ? ['words'] : known) {
    const way = `recall-${mode}`
    const lacksModel = mode !== 'words' && (model === undefined || set.wordsOnly)
    if (wants(way) && !lacksModel)
      yield { way, ask: byRecall(projectDir, documentOf, known.includes(mode) ? mode : undefined) }
  }
}

async function* thoughtWays(set, work, wants, vectors, model) {
  await writeThoughts(set, vectors, model)
  if (wants('search-words')) yield { way: 'search-words', ask: byThoughts(set, work, false) }
  if (vectors !== undefined && wants('search-fused')) yield { way: 'search-fused', ask: byThoughts(set, work, true) }
}

async function* meaningWays(set, { work, model, progress, wants }) {
  lendModel(model)
  const embedder = openEmbedder(model)
  const of = (items, what, kind) =>
    vectorsOf(
      embedder,
      items.map(({ text }) => text),
      work,
      (done, all) => progress(`vectors of ${what}`, done, all),
      kind,
    )
  const documents = await of(set.documents, 'texts')
  const questions = await of(set.questions, 'questions', 'query')
  embedder.close()
  yield* thoughtWays(set, work, wants, documents, embedder.key)
  if (wants('cosine')) yield { way: 'cosine', ask: plain(byCosine(set, documents, questions, DEPTH)) }
}
