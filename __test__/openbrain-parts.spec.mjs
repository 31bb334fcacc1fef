// An index of vectors in parts, where one graph would not fit into the memory of its build: each part is built once, and a search asks all of them.
import assert from 'node:assert/strict'
import test, { after, before } from 'node:test'
import pg from 'pg'
import { spaceOf } from '../dist/openbrain/postgres/schema.js'
import { searchStatement } from '../dist/openbrain/postgres/search-statement.js'
import { partSize } from '../dist/openbrain/postgres/vector-index.js'
import { partConditions } from '../dist/openbrain/postgres/vector-parts.js'
import { embedRest } from '../dist/outbox/embedding.js'
import { foundCompany } from './support/company.mjs'
import { comesWithVectors, execute, startPostgres } from './support/postgres.mjs'
import { opened } from './support/postgres-store.mjs'
import { asking, deleting, kinds, storing, thought } from './support/thoughts.mjs'
import { until } from './support/waiting.mjs'

let server
before(async () => {
  server = await startPostgres()
})
after(() => server?.close())

const DIMENSIONS = 24
const vectorAt = (number) =>
  Float32Array.from({ length: DIMENSIONS }, (_, axis) => Math.sin(number * 7919 + axis * 104_729))
const embed = async (texts) => texts.map((text) => vectorAt(Number(text.match(/[\d.]+/)?.[0] ?? 0)))
const embedder = { model: 'numbers', dimensions: async () => DIMENSIONS, embed }

/** Stores texts, the next number in each. */
async function fill(t, url, from, count) {
  const plain = opened(t, url, undefined)
  const all = Array.from({ length: count }, (_, at) => thought(`zz ${from + at}`))
  for (let at = 0; at < count; at += 500) await plain.put(storing(...all.slice(at, at + 500)))
}

const embedAll = (t, url, partMax, onIndexing) =>
  embedRest(opened(t, url, embedder, { partMax }), undefined, () => undefined, onIndexing)

const row = async (url) => (await execute(url, 'select to_jsonb(s) as space from forge_memory.spaces s'))[0].space

/** The parts that there are, and how many vectors each has, in their order. */
async function partsIn(url) {
  const space = spaceOf(await row(url))
  const found = []
  for (const condition of partConditions(space)) {
    const [{ count }] = await execute(url, `select count(*)::int as count from ${space.table} where ${condition}`)
    found.push(count)
  }
  const indexes = await execute(
    url,
    `select c.oid::int as oid, pg_get_indexdef(c.oid) as definition, pg_relation_size(c.oid)::int as bytes from pg_class c join pg_am a on a.oid = c.relam
      where a.amname = 'hnsw' order by 2`,
  )
  return {
    counts: found,
    indexes,
    oids: indexes.map(({ oid }) => oid),
    bounds: space.parts,
    isIndexed: space.isIndexed,
  }
}

/** With so few rows, the planner would rather compare all of them. */
async function askIndexes(url) {
  const database = new URL(url).pathname.slice(1)
  for (const way of ['seqscan', 'sort', 'bitmapscan'])
    await execute(url, `alter database ${database} set enable_${way} = off`)
}

/** The share of the nearest ten that a search finds. */
async function recallIn(t, url) {
  const searching = opened(t, url, embedder)
  const rounds = 20
  let found = 0
  for (let round = 0; round < rounds; round += 1) {
    const number = 100_000.5 + round
    const { thoughts, semantic } = await searching.search(asking(`qq ${number}`))
    assert.equal(semantic, true)
    const ids = new Set(thoughts.map(({ id }) => id))
    const exact = await execute(
      url,
      // An index cannot order by a sum.
      `select id from forge_memory.vectors_1 order by (embedding <=> '[${vectorAt(number).join(',')}]') + 0 limit 10`,
    )
    found += exact.filter(({ id }) => ids.has(id)).length
  }
  t.diagnostic(`recall@10 ${(found / rounds / 10).toFixed(3)}`)
  return found / rounds / 10
}

/** Ends the process of the server that begins to build an index, when there are so many already. */
const endBuildAfter = (url, count) =>
  execute(
    url,
    `create function public.end_build() returns event_trigger language plpgsql as $$begin
      if (select count(*) from pg_class c join pg_am a on a.oid = c.relam where a.amname = 'hnsw') >= ${count} then
        perform pg_terminate_backend(pg_backend_pid());
      end if;
    end$$;
    create event trigger ending on ddl_command_start when tag in ('CREATE INDEX') execute function public.end_build()`,
  )

const isReal = (t) => {
  if (server.kind === 'postgres' && comesWithVectors) return true
  t.diagnostic('this server has no vectors, or no processes of its own')
  return false
}

test('as many vectors are in a part as fit into the memory of its build', () => {
  assert.deepEqual([partSize(384, 64), partSize(384, 8192)], [800_344, 3_201_376])
})

test('a table larger than one part is indexed in parts, all of which a search asks; what is removed is gone from them', {
  timeout: 300_000,
}, async (t) => {
  if (!isReal(t)) return
  const url = await server.database()
  await askIndexes(url)
  await fill(t, url, 0, 7000)
  await embedAll(t, url, 3000)
  const { counts, indexes, bounds, isIndexed } = await partsIn(url)
  assert.deepEqual([counts, indexes.length, bounds.length, isIndexed], [[2333, 2333, 2334], 3, 2, true])
  // The server counts them a moment later.
  const asked = `select count(*)::int as count from pg_stat_user_indexes where indexrelid = any ($1::oid[]) and idx_scan >= 20`
  const isMeasured = async () => (await execute(url, asked, [indexes.map(({ oid }) => oid)]))[0].count === 3
  await until(isMeasured, 'every part is measured')
  assert.equal((await row(url)).ef_search, 100, 'of each part')
  assert.ok((await recallIn(t, url)) >= 0.95)
  const meaning = { space: spaceOf(await row(url)), vector: vectorAt(1), efSearch: 100, scansIteratively: true }
  const { text, values } = searchStatement({ ...asking('qq 1'), depth: 40, meaning })
  const plan = JSON.stringify(await execute(url, `explain (format json) ${text}`, values))
  for (const { definition } of indexes) {
    const [, name] = definition.match(/INDEX (\w+)/)
    assert.ok(plan.includes(`"Index Name":"${name}"`), name)
  }
  const store = opened(t, url, embedder)
  const nearest = async () => (await store.search(asking('qq 17'))).thoughts[0]
  const found = await nearest()
  assert.equal(found.content, 'zz 17')
  assert.deepEqual(kinds(await store.remove(deleting(found.id))), ['gone'])
  assert.notEqual((await nearest()).id, found.id)
})

test('a build that is killed between two parts is continued: what was built stays, and all is found meanwhile', {
  timeout: 300_000,
}, async (t) => {
  if (!isReal(t)) return
  const url = await server.database()
  await fill(t, url, 0, 5400)
  await endBuildAfter(url, 1)
  const store = opened(t, url, embedder, { partMax: 2000 })
  const building = () => embedRest(store, undefined, () => undefined)
  await assert.rejects(building)
  // The server tells the client of the end of its process before it gives up what that process has locked.
  const isFree = async () =>
    (await execute(url, "select count(*)::int as count from pg_locks where locktype = 'advisory'"))[0].count === 0
  await until(isFree, 'the process that was ended holds nothing')
  const half = await partsIn(url)
  assert.deepEqual([half.counts.length, half.oids.length, half.isIndexed], [3, 1, false])
  assert.equal((await store.search(asking('qq 5399'))).thoughts[0].content, 'zz 5399')
  const problem = (await store.check()).find(({ name }) => name === 'indexes')
  assert.equal(problem.state, 'bad', problem.message)
  await execute(url, 'drop event trigger ending')
  // The same process, and then another one, which has nothing left to do.
  await building()
  const whole = await partsIn(url)
  assert.deepEqual([whole.bounds, whole.oids.length, whole.isIndexed], [half.bounds, 3, true])
  assert.ok(whole.oids.includes(half.oids[0]))
  await embedAll(t, url, 2000)
  assert.deepEqual((await partsIn(url)).oids, whole.oids)
  assert.equal((await store.check()).find(({ name }) => name === 'indexes').state, 'good')
  await askIndexes(url)
  assert.ok((await recallIn(t, url)) >= 0.95)
})

test('the newest part takes new vectors, and is divided when it has twice its size; the others stay as they are', {
  timeout: 300_000,
}, async (t) => {
  if (!isReal(t)) return
  // Whoever delivers builds them as well.
  const { url, addresses } = await foundCompany(t, server, { roles: [['anna', 'forge_writer']] })
  const [anna] = addresses
  await fill(t, anna, 0, 5600)
  await embedAll(t, anna, 3000)
  const first = await partsIn(url)
  assert.deepEqual(first.counts, [2799, 2801])
  await fill(t, anna, 5600, 2500)
  await embedAll(t, anna, 3000)
  const grown = await partsIn(url)
  assert.deepEqual([grown.counts, grown.oids], [[2799, 5301], first.oids])
  await fill(t, anna, 8100, 2100)
  await embedAll(t, anna, 3000)
  const divided = await partsIn(url)
  assert.deepEqual([divided.counts, divided.isIndexed], [[2799, 2466, 2467, 2468], true])
  const kept = divided.oids.filter((oid) => first.oids.includes(oid))
  assert.deepEqual([kept.length, divided.oids.length], [1, 4], 'the index of the part that was divided is gone')
  await askIndexes(url)
  assert.ok((await recallIn(t, url)) >= 0.95)
})

test('parts that are dropped become one index where it fits', { timeout: 300_000 }, async (t) => {
  if (!isReal(t)) return
  const url = await server.database()
  await fill(t, url, 0, 5000)
  await embedAll(t, url, 3000)
  const { indexes } = await partsIn(url)
  assert.equal(indexes.length, 2)
  for (const { definition } of indexes)
    await execute(url, `drop index forge_memory.${definition.match(/INDEX (\w+)/)[1]}`)
  await execute(url, "update forge_memory.spaces set parts = '{}', indexed_at = null")
  await embedAll(t, url)
  const { counts, indexes: whole } = await partsIn(url)
  assert.deepEqual([counts, whole.length], [[5000], 1])
  assert.match(whole[0].definition, /INDEX vectors_1_embedding_idx .* WHERE is_indexed$/)
})

test('whoever waits for the index is told every second how far it is', { timeout: 300_000 }, async (t) => {
  if (!isReal(t)) return
  const url = await server.database()
  await fill(t, url, 0, 5000)
  const blocker = new pg.Client(url)
  await blocker.connect()
  t.after(() => blocker.end())
  await opened(t, url, embedder).handshake()
  await blocker.query('begin; lock table forge_memory.vectors_1 in row exclusive mode')
  const told = []
  await embedAll(t, url, 3000, (indexing) => {
    told.push(indexing)
    void blocker.query('rollback')
  })
  assert.deepEqual(told[0], { done: 0, total: 5000 })
})
