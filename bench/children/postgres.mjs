// A shared store in PostgreSQL with pgvector: a first load, deliveries, searches by words and by meaning, and how many of the exact
// answers they find; beside it the same questions to pgvector and to full-text search in plain SQL. The server is of this process alone.
import pg from 'pg'
import { startPostgres } from '../../__test__/support/postgres.mjs'
import { openWire } from '../../__test__/support/wire.mjs'
import { PostgresStore } from '../../dist/openbrain/postgres/store.js'
import { embedRest } from '../../dist/outbox/embedding.js'
import { lessons } from '../data/lessons.mjs'
import { makeQueries } from '../data/queries.mjs'
import { Random } from '../data/random.mjs'
import { input, report } from './process.mjs'

const DIMENSIONS = 384
const CLUSTERS = 200
const TOP = 10
const SCHEMA = 'forge_memory'
const { count, searches = 100, roundTripMs = 80 } = input

const random = new Random(20_261_123)
const normal = () => random.next() + random.next() + random.next() - 1.5
const centres = Array.from({ length: CLUSTERS }, () => Float32Array.from({ length: DIMENSIONS }, normal))

function vectorNear(centre) {
  const vector = centre.map((value) => value + 0.5 * normal())
  const length = Math.hypot(...vector)
  return vector.map((value) => value / length)
}

/** An embedder whose vectors are at hand: what is measured is the store. */
class AtHand {
  model = 'bench:384'
  #vectors = new Map()
  async dimensions() {
    return DIMENSIONS
  }
  async embed(texts) {
    return texts.map((text) => this.of(text))
  }
  of(text) {
    if (!this.#vectors.has(text)) this.#vectors.set(text, vectorNear(random.pick(centres)))
    return this.#vectors.get(text)
  }
}

const milliseconds = async (work) => {
  const start = performance.now()
  await work()
  return performance.now() - start
}
const percentile = (list, share) =>
  list.toSorted((a, b) => a - b)[Math.min(list.length - 1, Math.floor(list.length * share))]
const log = (text) => process.stderr.write(`    ${text}\n`)

const contents = [...lessons(count, 1)].map(({ content, type }) => ({ content, type }))
const idOf = (at) => `mem_${String(at).padStart(32, '0')}`
function delivery(at, content, type = 'lesson') {
  const id = idOf(at)
  const capturedAt = new Date(1_767_225_600_000 + at * 1000).toISOString()
  const base = { id, content, project: `project-${at % 50}`, type, source: 'bench', createdBy: 'bench', capturedAt }
  const thought = { ...base, tags: [], confidence: 0.7, metadata: '{}' }
  return {
    key: id,
    action: 'store',
    id,
    ids: [id],
    projects: [thought.project],
    thought,
    attempts: 0,
    enqueuedAt: capturedAt,
  }
}

async function deliver(store, batch) {
  for (let at = 0; at < batch.length; at += store.batchMax) {
    const outcomes = await store.put(batch.slice(at, at + store.batchMax))
    const wrong = outcomes.find(({ kind }) => kind !== 'delivered')
    if (wrong) throw new Error(`not delivered: ${wrong.reason}`)
  }
}

const server = await startPostgres()
const url = await server.database()
const embedder = new AtHand()
const target = (address) => ({ backend: 'postgres', url: new URL(address), password: undefined })
const open = (address = url) => new PostgresStore(target(address), embedder, 60_000)
const store = open()
const client = new pg.Client(url)
await client.connect()

const texts = contents.map(({ content, type }, at) => delivery(at, content, type))
for (const { content } of contents) embedder.of(content)
const putMs = await milliseconds(() => deliver(store, texts))
log(`${count} thoughts without vectors: ${(putMs / 1000).toFixed(1)} s`)
const embedMs = await milliseconds(() => embedRest(store, undefined, () => undefined))
log(`their vectors and the index: ${(embedMs / 1000).toFixed(1)} s`)
await client.query(`vacuum analyze ${SCHEMA}.thoughts`)

// What pgvector takes for the vectors alone, in batches of the same size.
const PLAIN_TABLE = 'plain_vectors'
const insertPlain = async (from, to, step) => {
  for (let at = from; at < to; at += step) {
    const part = texts.slice(at, Math.min(at + step, to))
    const values = part.map(({ thought }) => `[${embedder.of(thought.content).join(',')}]`)
    const text = `insert into ${PLAIN_TABLE} select i, v::vector from unnest($1::text[], $2::text[]) as u (i, v)`
    await client.query(text, [part.map(({ id }) => id), values])
  }
}
await client.query(`create table ${PLAIN_TABLE} (id text primary key, embedding vector(${DIMENSIONS}))`)
const plainMs = await milliseconds(async () => {
  await insertPlain(0, count - 1000, 1000)
  await client.query("set maintenance_work_mem = '512MB'")
  await client.query(`create index on ${PLAIN_TABLE} using hnsw (embedding vector_cosine_ops)`)
})
const plainInsertMs = await milliseconds(() => insertPlain(count - 1000, count, 50))
await client.query(`drop table ${PLAIN_TABLE}`)
log(`pgvector alone: ${(plainMs / 1000).toFixed(1)} s; 1000 more by 50: ${plainInsertMs.toFixed(0)} ms`)

// Deliveries beside an index that is there: batches that a worker stores with their vectors, and larger ones.
const random2 = new Random(7)
const more = Array.from({ length: 2000 }, (_, at) =>
  delivery(count + at, `${contents[random2.below(count)].content} again ${at}`),
)
for (const { thought } of more) embedder.of(thought.content)
const smallMs = await milliseconds(async () => {
  for (let at = 0; at < 1000; at += 50) await deliver(store, more.slice(at, at + 50))
})
const largeMs = await milliseconds(() => deliver(store, more.slice(1000)))
const fillMs = await milliseconds(() => embedRest(store, undefined, () => undefined))
log(
  `1000 more by 50 with vectors: ${smallMs.toFixed(0)} ms; 1000 at once: ${largeMs.toFixed(0)} ms, their vectors and all into the index ${fillMs.toFixed(0)} ms`,
)
await embedRest(store, undefined, () => undefined)
await client.query(`vacuum analyze ${SCHEMA}.thoughts`)

const queries = makeQueries(
  contents.map(({ content }) => content),
  searches / 2,
  11,
)
const now = new Date().toISOString()
const asking = (text, extra = {}) => ({ text, limit: TOP, now, ...extra })

/** Searches one after the other, and returns the times and the answers. */
async function run(searching, list) {
  const times = []
  const answers = []
  for (const query of list) {
    let answer
    times.push(await milliseconds(async () => (answer = await searching.search(query))))
    answers.push(answer.thoughts)
  }
  return { p50: percentile(times, 0.5), p95: percentile(times, 0.95), answers }
}

// By words alone.
const lexical = new PostgresStore(target(url), undefined, 60_000)
const kinds = {
  rare: queries.filter(({ kind }) => kind === 'rare').map(({ text }) => text),
  mixed: queries.filter(({ kind }) => kind === 'mixed').map(({ text }) => text),
  'one frequent word': queries.map(({ text }) => text.split(' ').at(-1)).slice(0, searches / 2),
  sentence: queries.slice(0, searches / 2).map(({ target: at }) => contents[at].content),
}

/** The exact answer under the same score: every match is ranked. */
const EXACT = `with size as (select greatest(reltuples, 1)::float8 as total from pg_class where oid = '${SCHEMA}.thoughts'::regclass),
  w as (select ('''' || lexeme || '''')::tsquery as query, ln(1 + 1 / greatest(coalesce(f.share, 0), 1 / total)) as weight
    from unnest(to_tsvector('english', $1)) l left join (select unnest(most_common_elems::text::text[]) as word,
      unnest(most_common_elem_freqs) as share from pg_stats where schemaname = '${SCHEMA}' and tablename = 'thoughts' and attname = 'words') f
      on f.word = l.lexeme, size)
  select t.id, (select sum(w.weight * ts_rank(t.words, w.query, 1)) from w) as score from ${SCHEMA}.thoughts t
  where t.words @@ (select string_agg(query::text, '|')::tsquery from w) order by score desc, id desc limit ${TOP}`
const PLAIN_WORDS = `select id from ${SCHEMA}.thoughts where words @@ plainto_tsquery('english', $1)
  order by ts_rank(words, plainto_tsquery('english', $1)) desc limit ${TOP}`
const ANY_WORD = `select id from ${SCHEMA}.thoughts, (select replace(plainto_tsquery('english', $1)::text, '&', '|')::tsquery as q) q
  where words @@ q order by ts_rank(words, q) desc limit ${TOP}`

await lexical.search(asking('warm up'))
const byWords = {}
for (const [kind, list] of Object.entries(kinds)) {
  const { p50, p95, answers } = await run(
    lexical,
    list.map((text) => asking(text)),
  )
  let [found, wanted] = [0, 0]
  for (const [at, text] of list.entries()) {
    const { rows } = await client.query(EXACT, [text])
    const least = rows.at(-1)?.score ?? 0
    wanted += rows.length
    // A hit with the score of the last exact one is as good.
    found += answers[at].filter(({ score }) => score >= least * (1 - 1e-6)).length
  }
  const times = []
  for (const text of list) times.push(await milliseconds(() => client.query(PLAIN_WORDS, [text])))
  const anyTimes = []
  for (const text of list) anyTimes.push(await milliseconds(() => client.query(ANY_WORD, [text])))
  byWords[kind] = {
    p50,
    p95,
    recall: found / wanted,
    everyWordP50: percentile(times, 0.5),
    anyWordP50: percentile(anyTimes, 0.5),
  }
  log(
    `words, ${kind}: p50 ${p50.toFixed(1)} p95 ${p95.toFixed(1)} recall ${(found / wanted).toFixed(3)}; plain SQL: every word ${percentile(times, 0.5).toFixed(1)}, any word ${percentile(anyTimes, 0.5).toFixed(1)}`,
  )
}
await lexical.close()

// By meaning: the vector of the query is near one centre. The words of the queries are found nowhere.
const nearby = Array.from({ length: searches }, (_, at) => `qqqq${at}`)
for (const text of nearby) embedder.of(text)
const { rows: spaces } = await client.query(`select id from ${SCHEMA}.spaces`)
const table = `${SCHEMA}.vectors_${spaces[0].id}`
const vectorText = (text) => `[${embedder.of(text).join(',')}]`
// What was added since the index was built is not in it; by now everything is.
const PLAIN_NEAREST = `select id from ${table} where is_indexed order by embedding <=> $1::vector limit ${TOP}`
await client.query('set enable_indexscan = off')
const exact = []
const exactTimes = []
for (const text of nearby)
  exactTimes.push(
    await milliseconds(async () =>
      exact.push((await client.query(PLAIN_NEAREST, [vectorText(text)])).rows.map(({ id }) => id)),
    ),
  )
await client.query('set enable_indexscan = on')
const recallOf = (answers) =>
  answers.reduce((sum, ids, at) => sum + ids.filter((id) => exact[at].includes(id)).length, 0) / (TOP * answers.length)
const plain = {}
for (const ef of [40, 100, 200]) {
  await client.query(`set hnsw.ef_search = ${ef}`)
  const [times, answers] = [[], []]
  for (const text of nearby)
    times.push(
      await milliseconds(async () =>
        answers.push((await client.query(PLAIN_NEAREST, [vectorText(text)])).rows.map(({ id }) => id)),
      ),
    )
  plain[ef] = { p50: percentile(times, 0.5), recall: recallOf(answers) }
}
await store.search(asking('warm up'))
const meaning = await run(
  store,
  nearby.map((text) => asking(text)),
)
const byMeaning = {
  p50: meaning.p50,
  p95: meaning.p95,
  recall: recallOf(meaning.answers.map((hits) => hits.map(({ id }) => id))),
  plain,
  exactP50: percentile(exactTimes, 0.5),
}
log(`meaning: ${JSON.stringify(byMeaning)}`)

// Both at once, and within one project.
const both = await run(
  store,
  queries.map(({ text }) => asking(text)),
)
const inProject = await run(
  store,
  queries.map(({ text, target: at }) => asking(text, { project: `project-${at % 50}` })),
)
log(
  `both: p50 ${both.p50.toFixed(1)} p95 ${both.p95.toFixed(1)}; in one project p50 ${inProject.p50.toFixed(1)} p95 ${inProject.p95.toFixed(1)}`,
)

// From afar, twenty at once.
const wire = await openWire(undefined, server.port, { roundTripMs })
const farUrl = url.replace(`:${server.port}/`, `:${wire.port}/`)
// An earlier process has searched there.
const earlier = open(farUrl)
await earlier.search(asking(queries[0].text))
await earlier.close()
const far = open(farUrl)
const atOnce = async () => {
  const times = await Promise.all(queries.slice(0, 20).map(({ text }) => milliseconds(() => far.search(asking(text)))))
  return { p50: percentile(times, 0.5), max: Math.max(...times) }
}
const distant = { cold: await atOnce(), warm: await atOnce(), again: await atOnce() }
wire.reset()
const one = await milliseconds(() => far.search(asking(queries.at(-1).text)))
log(`from ${roundTripMs} ms away: ${JSON.stringify({ ...distant, one, statements: wire.counts.statements })}`)
const { rows: sizes } = await client.query(
  `select pg_total_relation_size('${SCHEMA}.thoughts') as thoughts, pg_total_relation_size('${table}') as vectors`,
)
const { rows: left } = await client.query(
  `select count(*)::int as count from ${SCHEMA}.thoughts t where not exists (select 1 from ${table} v where v.id = t.id)`,
)
await Promise.all([store.close(), far.close(), client.end()])
wire.close()
await server.close()
report({
  count,
  putMs,
  embedMs,
  plainMs,
  plainPerSecond: 1e6 / plainInsertMs,
  smallPerSecond: 1e6 / smallMs,
  largePerSecond: 1e6 / largeMs,
  byWords,
  byMeaning,
  both: { p50: both.p50, p95: both.p95 },
  inProject: { p50: inProject.p50, p95: inProject.p95 },
  distant,
  one,
  oneStatements: wire.counts.statements,
  withoutVector: left[0].count,
  bytes: { thoughts: Number(sizes[0].thoughts), vectors: Number(sizes[0].vectors) },
})
