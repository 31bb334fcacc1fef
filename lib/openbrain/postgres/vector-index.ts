// The index of a vector table is built at once when there are many vectors, not with every vector of a first load: in one transaction, so that a
// process that dies leaves nothing, and with settings that end with it, so that it works behind a pooler. Below that number an exact scan is quick
// enough. Later vectors are compared exactly as well, and taken into the index when nothing else is to do (as an LSM tree does): an insertion into
// HNSW takes about as long as a search. Writers of vectors do not wait for it: an advisory lock tells them to come back later.
import type { PoolClient, QueryConfig } from 'pg'
import { rootCodeOf } from '../../shared/problem.js'
import { EF_SEARCH_MAX } from '../ef-search.js'
import { type Embedder, queryVector } from '../embedder/embedder.js'
import type { Database } from './database.js'
import { vectorText } from './rows.js'
import { SCHEMA, type Space, type VectorTable } from './schema.js'
import * as sql from './sql.js'

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
/** The bytes of the graph for each vector beside its values. */
const GRAPH_BYTES = 700

/** Returns how many megabytes a build may take: what its graph needs, and no more than is usual or than whoever runs the database gives. */
export function buildMemory(vectors: number, dimensions: number, givenMb: number): number {
  const needed = Math.ceil((vectors * (dimensions * 4 + GRAPH_BYTES) * 1.2) / 2 ** 20)
  return Math.min(Math.max(needed, MEMORY_MB_MIN), Math.max(givenMb, MEMORY_MB_MAX))
}

/** True if a table has a valid index of vectors. */
export const hasIndex = (table: string) => `exists (select 1 from pg_index i join pg_class c on c.oid = i.indexrelid
  join pg_am a on a.oid = c.relam where i.indrelid = ${table}::regclass and i.indisvalid and a.amname in ('hnsw', 'ivfflat'))`

/** True if the index is being built at the moment, so that an insertion would wait. */
export async function isBeingIndexed(database: Database, { id }: VectorTable): Promise<boolean> {
  const { rows } = await database.query('select pg_try_advisory_xact_lock_shared($1, $2) as free', [LOCK, id])
  return rows[0]?.free === false
}

/** Takes vectors that were added since the index was built into it, page by page, when they are many. */
export async function indexTail(database: Database, space: VectorTable): Promise<void> {
  const { rows } = await database.query(sql.tailCount(space))
  if (Number(rows[0]?.count) < TAIL_MAX) return
  for (let taken = TAIL_PAGE; taken > 0; )
    taken = (await database.query(sql.indexSome(space), [TAIL_PAGE])).rowCount ?? 0
}

/** Builds the index, if the table is large enough and has none. One client does it at a time. */
export async function buildIndex(database: Database, space: VectorTable): Promise<boolean> {
  const { rows } = await database.query(
    `select (select count(*) from (select 1 from ${space.table} where embedding is not null limit ${INDEXED_FROM}) part)::int as rows,
       (select reltuples from pg_class where oid = $1::regclass) as estimate,
       ${hasIndex('$1')} as indexed,
       (select atttypmod from pg_attribute where attrelid = $1::regclass and attname = 'embedding') as dimensions`,
    [space.table],
  )
  const { rows: some, indexed, dimensions } = rows[0] ?? {}
  if (indexed || Number(some) < INDEXED_FROM || Number(dimensions) > DIMENSIONS_MAX) return false
  const isBuilt = await database.withSession(async (session) => {
    try {
      return await build(session, space, Number(dimensions), true)
    } catch (error) {
      // Parallel workers share memory, of which a container may have little (53100, 53200).
      if (!rootCodeOf(error)?.startsWith('53')) throw error
      return build(session, space, Number(dimensions), false)
    }
  })
  // The planner has to know how few vectors are beside the index. Only the owner may do that; autovacuum does it too.
  if (isBuilt) await database.query(`analyze ${space.table}`).catch(() => undefined)
  return isBuilt
}

/** How many queries measure the index, by how many nearest vectors each, and the share of these that it has to find. */
const QUERIES = 20
const NEAREST = 10
const RECALL_MIN = 0.95
/** The numbers of candidates that are tried. The planner prefers an exact scan to a larger one than the last. */
const CANDIDATES = [200, 400, 700, EF_SEARCH_MAX]

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
  const sampled = `select left(t.content, 2000) as content from (select id from ${table} where is_indexed order by md5(id) limit ${QUERIES}) v
    join ${SCHEMA}.thoughts t on t.id = v.id`
  const text = `select embedding <=> $1::${cast} as distance from ${table} where is_indexed order by embedding <=> $1::${cast} limit ${NEAREST}`
  const { rows } = await database.query(sampled)
  const questions: string[] = []
  for (const { content } of rows) {
    const vector = await queryVector(embedder, questionOf(String(content))).catch(() => undefined)
    if (vector !== undefined) questions.push(vectorText(vector))
  }
  // An embedder that is away: at the next need.
  if (questions.length === 0) return
  const efSearch = await database.withSession(async (session) => {
    await session.query('begin')
    try {
      await session.query('set local statement_timeout = 0')
      const answers = async () => {
        const distances: number[][] = []
        for (const question of questions) {
          const { rows } = await session.query({ text, values: [question], query_timeout: BUILD_MS_MAX } as QueryConfig)
          distances.push(rows.map(({ distance }) => Number(distance)))
        }
        return distances
      }
      await session.query('set local enable_indexscan = off')
      const exact = await answers()
      await session.query('set local enable_indexscan = on')
      for (const candidates of CANDIDATES) {
        await session.query(`set local hnsw.ef_search = ${candidates}`)
        if (recallOf(await answers(), exact) >= RECALL_MIN) return candidates
      }
      return EF_SEARCH_MAX
    } finally {
      await session.query('rollback').catch(() => undefined)
    }
  })
  await database.query(`select ${SCHEMA}.tune_space($1, $2, $3)`, [space.id, efSearch, done])
}

/** The share of the exact answers that are found. One that is as near as the last of them is as good. */
function recallOf(found: number[][], exact: number[][]): number {
  const limits = exact.map((distances) => (distances.at(-1) ?? 0) + 1e-9)
  const hits = found.flatMap((distances, at) => distances.filter((distance) => distance <= (limits[at] ?? 0)))
  return hits.length / Math.max(exact.flat().length, 1)
}

async function build(
  session: PoolClient,
  { id, table, cast, indexer }: VectorTable,
  dimensions: number,
  inParallel: boolean,
): Promise<boolean> {
  await session.query('begin')
  try {
    await session.query('set local statement_timeout = 0')
    const { rows } = await session.query('select pg_try_advisory_xact_lock($1, $2) as mine', [LOCK, id])
    if (rows[0]?.mine !== true) {
      await session.query('rollback')
      return false
    }
    const { rows: counted } = await session.query(
      `select count(*)::int as count, pg_size_bytes(current_setting('maintenance_work_mem')) / 1048576 as given from ${table}`,
    )
    const megabytes = buildMemory(Number(counted[0]?.count), dimensions, Number(counted[0]?.given))
    await session.query(`set local maintenance_work_mem = '${megabytes}MB'`)
    if (!inParallel) await session.query('set local max_parallel_maintenance_workers = 0')
    const text = `select ${SCHEMA}.${indexer}($1, $2)`
    await session.query({ text, values: [id, cast], query_timeout: BUILD_MS_MAX } as QueryConfig)
    await session.query('commit')
    return true
  } catch (error) {
    await session.query('rollback').catch(() => undefined)
    throw error
  }
}
