// How a shared store of a million thoughts and more behaves in one PostgreSQL: sizes, and searches by words and by meaning.
//   node bench/scale.mjs [--thoughts 1000000] [--vectors 1000000] [--memory 4GB] [--part 250000] [--searches 100] [--ef 100,200,400]
// `--vectors` is how many of the thoughts have one, the first; the index of words and that of vectors do not depend on each other.
// Not part of `npm run bench`: it loads for an hour and needs 8 GB of disk for each million. The server is that of the tests, with more
// memory. Thoughts arrive by COPY, past the deliveries, which P16 measures; tables, index and searches are those of the package.
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { startPostgres } from '../__test__/support/postgres.mjs'
import { PostgresStore } from '../dist/openbrain/postgres/store.js'
import { lessons } from './data/lessons.mjs'
import { makeQueries } from './data/queries.mjs'
import { Random } from './data/random.mjs'

const DIMENSIONS = 384
const CLUSTERS = 1000
const PROJECTS = 100
const PART = 20_000
const TOP = 10
const SCHEMA = 'forge_memory'
const option = (name, otherwise) => {
  const at = process.argv.indexOf(name)
  return at < 0 ? otherwise : process.argv[at + 1]
}
const count = Number(option('--thoughts', '1000000'))
const searches = Number(option('--searches', '100'))
const memory = option('--memory', '4GB')
const efs = option('--ef', '100').split(',').map(Number)
/** How many vectors a part of the index has at most. */
const part = Number(option('--part', String(2 ** 31 - 1)))
const withVectors = Number(option('--vectors', String(count)))

const random = new Random(20_261_124)
/** Numbers of a thousandth, and their texts: a vector is written a million times. */
const TEXTS = Array.from({ length: 6001 }, (_, at) => String((at - 3000) / 1000))
const normal = () => random.next() + random.next() + random.next() - 1.5
const centres = Array.from({ length: CLUSTERS }, () => Float32Array.from({ length: DIMENSIONS }, normal))

function vectorText() {
  const centre = random.pick(centres)
  let text = '['
  for (let at = 0; at < DIMENSIONS; at++) {
    text += TEXTS[Math.round((centre[at] + 0.5 * normal()) * 1000) + 3000]
    text += at < DIMENSIONS - 1 ? ',' : ']'
  }
  return text
}

const started = performance.now()
const log = (text) =>
  process.stdout.write(`${((performance.now() - started) / 1000).toFixed(0).padStart(6)} s  ${text}\n`)
const percentile = (list, share) =>
  list.toSorted((a, b) => a - b)[Math.min(list.length - 1, Math.floor(list.length * share))]
const idOf = (at) => `mem_${String(at).padStart(32, '0')}`

/** The vector of each query text is that of a cluster. */
const queryVectors = new Map()
const embedder = {
  model: 'bench:384',
  dimensions: async () => DIMENSIONS,
  embed: async (texts) => texts.map(embedded),
}
function embedded(text) {
  if (!queryVectors.has(text)) queryVectors.set(text, Float32Array.from(JSON.parse(vectorText())))
  return queryVectors.get(text)
}

function storedThought(at, content) {
  const capturedAt = new Date(1_700_000_000_000 + at * 1000).toISOString()
  const base = {
    id: idOf(at),
    content,
    project: 'project-0',
    type: 'lesson',
    source: 'bench',
    createdBy: 'bench',
    capturedAt,
  }
  return { ...base, tags: [], confidence: 0.7, metadata: '{}' }
}

/** The first delivery makes the tables. */
async function makeTables(store) {
  const thought = storedThought(0, 'the first thought')
  const delivery = { key: thought.id, action: 'store', id: thought.id, ids: [thought.id], projects: ['project-0'] }
  const outcomes = await store.put([{ ...delivery, thought, attempts: 0, enqueuedAt: thought.capturedAt }])
  if (outcomes[0].kind !== 'delivered') throw new Error(outcomes[0].reason)
}

const folder = mkdtempSync(join(tmpdir(), 'forge-memory-scale-'))
chmodSync(folder, 0o755)
const server = await startPostgres()
try {
  const url = await server.database()
  const client = new pg.Client(url)
  await client.connect()
  for (const setting of ["shared_buffers = '2GB'", "max_wal_size = '8GB'", "checkpoint_timeout = '30min'"]) {
    await client.query(`alter system set ${setting}`)
  }
  await client.end()
  await server.stop()
  await server.start()
  const session = new pg.Client(url)
  await session.connect()
  const store = new PostgresStore({ backend: 'postgres', url: new URL(url), password: undefined }, embedder, 3_600_000)
  await makeTables(store)
  const { rows: spaces } = await session.query(`select id from ${SCHEMA}.spaces`)
  const table = `${SCHEMA}.vectors_${spaces[0].id}`

  // Read by the server itself, which may run as another user.
  async function copy(target, lines) {
    const path = join(folder, 'part')
    writeFileSync(path, `${lines.join('\n')}\n`, { mode: 0o644 })
    await session.query(`copy ${target} from '${path}'`)
  }

  const contents = []
  let rows = []
  let number = 1
  const flush = async () => {
    if (rows.length === 0) return
    const columns = 'id, content, project, type, source, created_by, captured_at'
    await copy(`${SCHEMA}.thoughts (${columns})`, rows)
    const embeddedRows = rows.slice(0, Math.max(0, withVectors - (number - rows.length)))
    const vectorRows = embeddedRows.map((row) => `${row.slice(0, row.indexOf('\t'))}\t${vectorText()}`)
    if (vectorRows.length > 0) await copy(`${table} (id, embedding)`, vectorRows)
    rows = []
    if (number % (5 * PART) < PART) log(`${number} thoughts`)
  }
  for (const { content, type } of lessons(count - 1, 1)) {
    if (contents.length < 20_000) contents.push(content)
    const text = content.replace(/[\\\t\n\r]/g, ' ')
    const capturedAt = new Date(1_700_000_000_000 + number * 1000).toISOString()
    rows.push([idOf(number), text, `project-${number % PROJECTS}`, type, 'bench', 'bench', capturedAt].join('\t'))
    number += 1
    if (rows.length === PART) await flush()
  }
  await flush()
  const loadedS = (performance.now() - started) / 1000
  log(`${number} thoughts loaded`)

  const buildStart = performance.now()
  if (withVectors > 0) {
    await session.query(`set maintenance_work_mem = '${memory}'`)
    await session.query(`select ${SCHEMA}.plan_parts($1, 'vectors', $2, $2)`, [spaces[0].id, part])
    for (let isLast = false; !isLast; ) {
      const partStart = performance.now()
      const built = await session.query(`select ${SCHEMA}.index_part($1, 'vectors', 'vector') as last`, [spaces[0].id])
      isLast = built.rows[0].last
      if (!isLast) log(`a part built in ${((performance.now() - partStart) / 1000).toFixed(0)} s`)
    }
  }
  const buildS = (performance.now() - buildStart) / 1000
  if (withVectors > 0) log(`HNSW index of ${withVectors} vectors built in ${buildS.toFixed(0)} s`)
  await session.query(`vacuum analyze ${SCHEMA}.thoughts`)
  await session.query(`vacuum analyze ${table}`)

  const { rows: sizes } = await session.query(
    `select c.relname as name, pg_relation_size(c.oid) as bytes from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where n.nspname = $1 and pg_relation_size(c.oid) > 1e6 order by 2 desc`,
    [SCHEMA],
  )
  const { rows: total } = await session.query(`select pg_database_size(current_database()) as bytes`)

  async function time(searching, queries) {
    const times = []
    const answers = []
    for (const query of queries) {
      const before = performance.now()
      const { thoughts } = await searching.search({ limit: TOP, now: new Date().toISOString(), ...query })
      times.push(performance.now() - before)
      answers.push(thoughts.map(({ id }) => id))
    }
    return { p50: percentile(times, 0.5), p95: percentile(times, 0.95), answers }
  }
  /** By meaning, alone and together with words, with each `efSearch`. */
  async function timeMeanings() {
    const nearby = Array.from({ length: searches }, (_, at) => ({ text: `qqqq${at}` }))
    const compared = nearby.slice(0, 50)
    await session.query('set enable_indexscan = off')
    const nearest = []
    for (const { text } of compared) {
      const exact = `select id from ${table} order by embedding <=> $1::vector limit ${TOP}`
      const { rows: exactly } = await session.query(exact, [JSON.stringify([...embedded(text)])])
      nearest.push(new Set(exactly.map(({ id }) => id)))
    }
    for (const efSearch of efs) {
      const settings = { backend: 'postgres', url: new URL(url), password: undefined }
      const searching = new PostgresStore(settings, embedder, 3_600_000, { efSearch })
      const found = await note(`meaning, efSearch ${efSearch}`, searching, nearby)
      const same = compared.map((_, at) => found[at].filter((id) => nearest[at].has(id)).length)
      const recall = same.reduce((sum, count) => sum + count, 0) / (compared.length * TOP)
      const each = `${same.toSorted((a, b) => a - b).join(' ')} of ${TOP}`
      log(`recall@10 by meaning against an exact scan, efSearch ${efSearch}: ${recall.toFixed(3)} (${each})`)
      const inProject = nearby.map((query) => ({ ...query, project: 'project-7' }))
      await note(`meaning, in one project, efSearch ${efSearch}`, searching, inProject)
      await note(`words and meaning, efSearch ${efSearch}`, searching, texts('mixed'))
      await searching.close()
    }
  }

  const queries = makeQueries(contents, searches, 11)
  const lexical = new PostgresStore(
    { backend: 'postgres', url: new URL(url), password: undefined },
    undefined,
    3_600_000,
  )
  const results = {}
  const note = async (name, searching, list) => {
    await time(searching, list.slice(0, 5))
    const { p50, p95, answers } = await time(searching, list)
    results[name] = { p50, p95 }
    log(`${name}: p50 ${p50.toFixed(1)} ms, p95 ${p95.toFixed(1)} ms`)
    return answers
  }
  const texts = (kind) => queries.filter((query) => query.kind === kind).map(({ text }) => ({ text }))
  await note('words, three rarer', lexical, texts('rare'))
  await note('words, one frequent among them', lexical, texts('mixed'))
  await note(
    'words, a sentence',
    lexical,
    queries.slice(0, searches / 2).map(({ target }) => ({ text: contents[target] })),
  )
  await note(
    'words, in one project',
    lexical,
    texts('rare').map((query) => ({ ...query, project: 'project-7' })),
  )
  if (withVectors > 0) await timeMeanings()
  const mb = (bytes) => `${(Number(bytes) / 2 ** 20).toFixed(0)} MB`
  for (const { name, bytes } of sizes)
    log(`${name}: ${mb(bytes)}, ${(Number(bytes) / number).toFixed(0)} bytes a thought`)
  log(`the database: ${mb(total[0].bytes)}; loaded in ${loadedS.toFixed(0)} s, index in ${buildS.toFixed(0)} s`)
  await Promise.all([store.close(), lexical.close(), session.end()])
} finally {
  await server.close()
  rmSync(folder, { recursive: true, force: true })
}
