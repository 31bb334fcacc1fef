// The index of a vector table is built at once when there are many vectors, not with every vector of a first load: in one transaction, so that a
// process that dies leaves nothing, and with settings that end with it, so that it works behind a pooler. Below that number an exact scan is quick
// enough. Later vectors are compared exactly as well, and taken into the index when nothing else is to do (as an LSM tree does): an insertion into
// HNSW takes about as long as a search. Writers of vectors do not wait for it: an advisory lock tells them to come back later. A graph that does not fit
// into the memory of a build is built many times more slowly: a larger table has an index of several parts, each a range of ids, built one after the
// other. A part that is there stays, also when the work is interrupted between two.
import type { PoolClient, QueryConfig } from 'pg'
import { rootCodeOf } from '../../shared/problem.js'
import { type Embedder, queryVector } from '../embedder/embedder.js'
import type { Indexing } from '../store.js'
import type { Database } from './database.js'
import { vectorText } from './rows.js'
import { SCHEMA, type Space, type VectorTable } from './schema.js'
import * as sql from './sql.js'
import { partConditions } from './vector-parts.js'

/**
 * How many candidates a vector index of PostgreSQL examines (`hnsw.ef_search`) before the index of a store was measured: docs/reference/teams.md has
 * the gain from more of them. A search takes about as long with 400 as with 100.
 */
export const EF_SEARCH = 400
/** The limit of pgvector. */
export const EF_SEARCH_MAX = 1000

/** The number of vectors from which a table has an index. */
export const INDEXED_FROM = 5000
/** How many vectors beside the index are compared exactly, and how many of them are taken into it at a time. */
const TAIL_MAX = 2000
const TAIL_PAGE = 200
/** pgvector's limit of dimensions for an index of half precision. */
export const DIMENSIONS_MAX = 4000
/** The first key of the advisory locks of vector tables; the second is the table's number. */
const LOCK = 1_742_601
/** A build of millions of vectors takes hours. */
const BUILD_MS_MAX = 24 * 3_600_000
/** The memory of a build: the graph should fit, else it is built many times more slowly. */
const MEMORY_MB_MIN = 64
const MEMORY_MB_MAX = 2048
/** How many times the size of a part the newest one has when it is divided: ordinary insertions fill it until then. */
const GROWN = 2
const PROGRESS_MS = 1000
/** The bytes of the graph for each vector beside its values. */
const GRAPH_BYTES = 700

/** The bytes of a vector in the memory of a build, with what is to spare. */
const bytesOf = (dimensions: number) => (dimensions * 4 + GRAPH_BYTES) * 1.2

/** Returns how many megabytes a build may take: what its graph needs, and no more than is usual or than whoever runs the database gives. */
export function buildMemory(vectors: number, dimensions: number, givenMb: number): number {
  const needed = Math.ceil((vectors * bytesOf(dimensions)) / 2 ** 20)
  return Math.min(Math.max(needed, MEMORY_MB_MIN), Math.max(givenMb, MEMORY_MB_MAX))
}

/** How many vectors fit into the memory of a build: so many does a part of an index have. */
export function partSize(dimensions: number, givenMb: number): number {
  return Math.floor((Math.max(givenMb, MEMORY_MB_MAX) * 2 ** 20) / bytesOf(dimensions))
}

/** True if a table has a valid index of vectors, with all its parts. */
export const hasIndex = (
  table: string,
  parts = 0,
) => `(select count(*) from pg_index i join pg_class c on c.oid = i.indexrelid
  join pg_am a on a.oid = c.relam where i.indrelid = ${table}::regclass and i.indisvalid and a.amname in ('hnsw', 'ivfflat')) > ${parts}`

/** True if the index is being built at the moment, so that an insertion would wait. */
export async function isBeingIndexed(database: Database, { id }: VectorTable): Promise<boolean> {
  const { rows } = await database.query('select pg_try_advisory_xact_lock_shared($1, $2) as free', [LOCK, id])
  return rows[0]?.free === false
}

/** How an index is built. */
export interface Building {
  /** How many vectors a part has at most; as many as fit into the memory of a build, when absent. */
  partMax?: number | undefined
  /** Is told every second how many vectors are in the index, about. */
  onProgress?: ((progress: Indexing) => void) | undefined
}

/**
 * Takes vectors that were added since the index was built into it, page by page, when they are many. Returns true when the newest part, which they are
 * in, has become so large that it is divided, which `buildIndex` does.
 */
export async function indexTail(database: Database, space: VectorTable, { partMax }: Building): Promise<boolean> {
  const { rows } = await database.query(sql.tailCount(space))
  if (Number(rows[0]?.count) < TAIL_MAX) return false
  for (let taken = TAIL_PAGE; taken > 0; )
    taken = (await database.query(sql.indexSome(space), [TAIL_PAGE])).rowCount ?? 0
  const { dimensions, given } = await factsOf(database, space)
  const size = partMax ?? partSize(dimensions, given)
  const plan = `select ${SCHEMA}.plan_parts($1, $2, $3, $4) as is_divided`
  const [planned] = await patiently(database, (run) => run(plan, [space.id, space.kind, size, GROWN * size]))
  return planned?.is_divided === true
}

interface Facts {
  /** Up to as many as an index is built from. */
  rows: number
  isIndexed: boolean
  /** The number of parts that the index has, or will have. */
  parts: number
  dimensions: number
  /** The megabytes that whoever runs the database gives. */
  given: number
}

async function factsOf(database: Database, { id, kind, table }: VectorTable): Promise<Facts> {
  const { rows } = await database.query(
    `select (select count(*) from (select 1 from ${table} where embedding is not null limit ${INDEXED_FROM}) part)::int as rows,
       ${hasIndex('$1')} as "isIndexed", (select count(*) from ${SCHEMA}.parts_of($2, $3))::int as parts,
       (select atttypmod from pg_attribute where attrelid = $1::regclass and attname = 'embedding') as dimensions,
       (pg_size_bytes(current_setting('maintenance_work_mem')) / 1048576)::int as given`,
    [table, id, kind],
  )
  return rows[0] as Facts
}

/**
 * Builds the index, or what is missing of its parts, if the table is large enough. One client does it at a time, and each part is kept, so that the next
 * one continues.
 */
export async function buildIndex(database: Database, space: VectorTable, building: Building): Promise<boolean> {
  const facts = await factsOf(database, space)
  // One index that is there stays, whoever made it.
  if ((facts.isIndexed && facts.parts === 1) || facts.rows < INDEXED_FROM || facts.dimensions > DIMENSIONS_MAX)
    return false
  const count = `select count(*)::int as count from ${space.table} where embedding is not null`
  const [counted] = await patiently(database, (run) => run(count))
  const work = { ...building, ...facts, count: Number(counted?.count) }
  let isLast: boolean | undefined = false
  while (isLast === false) isLast = await buildNext(database, space, work)
  if (isLast === undefined) return false
  // The planner has to know how few vectors are beside the index. Only the owner may do that; autovacuum does it too.
  await database.query(`analyze ${space.table}`).catch(() => undefined)
  return true
}

type Run = (text: string, values?: unknown[]) => Promise<Record<string, unknown>[]>

interface Work extends Building, Facts {
  count: number
  /** Without parallel workers. */
  isAlone?: boolean
}

/** Builds the next part. Returns whether it was the last; undefined while another client builds. */
async function buildNext(database: Database, space: VectorTable, work: Work): Promise<boolean | undefined> {
  const once = (how: Work) =>
    patiently(database, async (run, session) => {
      const stop = watched(database, session, space, how)
      return build(run, space, how).finally(stop)
    })
  try {
    return await once(work)
  } catch (error) {
    // Parallel workers share memory, of which a container may have little (53100, 53200).
    if (!rootCodeOf(error)?.startsWith('53')) throw error
    return once({ ...work, isAlone: true })
  }
}

/** Tells every second how far a build is, as the server counts it, until the returned function is called. */
function watched(database: Database, session: PoolClient, { id, kind }: VectorTable, { count, onProgress }: Work) {
  // The process of the server, which a client knows: behind a pooler it may be another, of which nothing is told.
  const { processID } = session as PoolClient & { processID?: number }
  const text = `select (count(*) filter (where is_there) + (select coalesce(max(blocks_done::float8 / nullif(blocks_total, 0)), 0)
      from pg_stat_progress_create_index where pid = $3)) / count(*) as share from ${SCHEMA}.parts_of($1, $2)`
  let isAsking = false
  const ask = async () => {
    if (isAsking) return
    isAsking = true
    const { rows } = await database.query(text, [id, kind, processID]).catch(() => ({ rows: [] }))
    isAsking = false
    onProgress?.({ done: Math.round(Number(rows[0]?.share ?? 0) * count), total: count })
  }
  const timer = onProgress && setInterval(ask, PROGRESS_MS)
  return () => clearInterval(timer)
}

/** How many queries measure the index, by how many nearest vectors each, and the share of these that it has to find. */
const QUERIES = 20
const NEAREST = 10
const RECALL_MIN = 0.95
/** The numbers of candidates that are tried. The planner prefers an exact scan to a larger one than the last. */
const CANDIDATES = [200, 400, 700, EF_SEARCH_MAX]
/** Of each part, where there are several: the nearest are spread over all of them, and a search takes longer with each. */
const CANDIDATES_OF_PARTS = [100, ...CANDIDATES]

/** How many words a question has that is made of a stored text: the longest of its first ones, as people ask for something that they know. */
const QUESTION_WORDS = 4
const FIRST_WORDS = 40

function questionOf(content: string): string {
  const words = [...new Set(content.split(/\s+/u).filter(Boolean).slice(0, FIRST_WORDS))]
  const longest = new Set(words.toSorted((a, b) => b.length - a.length).slice(0, QUESTION_WORDS))
  return words.filter((word) => longest.has(word)).join(' ')
}

/**
 * Measures how many candidates a search has to examine in the index of this table to find most of the results of an exact scan, and notes it for all
 * clients. It depends on how the vectors lie, and on how many there are. It asks as people do: short questions lie beside the texts, and are harder to
 * answer than a text itself.
 */
export async function measureIndex(database: Database, space: Space, done: number, embedder: Embedder): Promise<void> {
  const { table, cast } = space
  const nearest = partConditions(space).map(
    (part) =>
      `(select embedding <=> $1::${cast} as distance from ${table} where ${part} order by embedding <=> $1::${cast} limit ${NEAREST})`,
  )
  const sampled = `select left(t.content, 2000) as content from (select id from ${table} where is_indexed order by md5(id) limit ${QUERIES}) v
    join ${SCHEMA}.thoughts t on t.id = v.id`
  const text = `select distance from (${nearest.join(' union all ')}) of_parts order by distance limit ${NEAREST}`
  const { rows } = await database.query(sampled)
  const questions: string[] = []
  for (const { content } of rows) {
    const vector = await queryVector(embedder, questionOf(String(content))).catch(() => undefined)
    if (vector !== undefined) questions.push(vectorText(vector))
  }
  // An embedder that is away: at the next need.
  if (questions.length === 0) return
  const efSearch = await patiently(database, async (run) => {
    const answers = async () => {
      const distances: number[][] = []
      for (const question of questions)
        distances.push((await run(text, [question])).map(({ distance }) => Number(distance)))
      return distances
    }
    await run('set local enable_indexscan = off')
    const exact = await answers()
    await run('set local enable_indexscan = on')
    for (const candidates of space.parts.length > 0 ? CANDIDATES_OF_PARTS : CANDIDATES) {
      await run(`set local hnsw.ef_search = ${candidates}`)
      if (recallOf(await answers(), exact) >= RECALL_MIN) return candidates
    }
    return EF_SEARCH_MAX
  })
  await database.query(`select ${SCHEMA}.tune_space($1, $2, $3)`, [space.id, efSearch, done])
}

/** The share of the exact answers that are found. One that is as near as the last of them is as good. */
function recallOf(found: number[][], exact: number[][]): number {
  const limits = exact.map((distances) => (distances.at(-1) ?? 0) + 1e-9)
  const hits = found.flatMap((distances, at) => distances.filter((distance) => distance <= (limits[at] ?? 0)))
  return hits.length / Math.max(exact.flat().length, 1)
}

/** Runs statements in one transaction, however long each of them takes. */
function patiently<T>(database: Database, work: (run: Run, session: PoolClient) => Promise<T>): Promise<T> {
  return database.withSession(async (session) => {
    const run: Run = (text, values = []) =>
      session.query({ text, values, query_timeout: BUILD_MS_MAX } as QueryConfig).then(({ rows }) => rows)
    await session.query('begin')
    try {
      await session.query('set local statement_timeout = 0')
      const result = await work(run, session)
      await session.query('commit')
      return result
    } catch (error) {
      await session.query('rollback').catch(() => undefined)
      throw error
    }
  })
}

/** Divides a table that is too large for one part, before the first of them is built. */
const PLAN = `select ${SCHEMA}.plan_parts($1, $2, $3, $3) from ${SCHEMA}.parts_of($1, $2) having count(*) = 1 and not bool_or(is_there)`

async function build(run: Run, { id, cast, kind }: VectorTable, work: Work): Promise<boolean | undefined> {
  const { count, dimensions, given, partMax, isAlone } = work
  const [locked] = await run('select pg_try_advisory_xact_lock($1, $2) as mine', [LOCK, id])
  if (locked?.mine !== true) return undefined
  const size = partMax ?? partSize(dimensions, given)
  await run(PLAN, [id, kind, size])
  await run(`set local maintenance_work_mem = '${buildMemory(Math.min(count, size), dimensions, given)}MB'`)
  if (isAlone) await run('set local max_parallel_maintenance_workers = 0')
  const [built] = await run(`select ${SCHEMA}.index_part($1, $2, $3) as is_last`, [id, kind, cast])
  return built?.is_last === true
}
