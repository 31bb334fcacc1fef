// A client of the schema before works beside the clients of this release: its statements, frozen as it sends them, run against a database
// that this release has set up, while this release writes and searches.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import test, { after, before } from 'node:test'
import pg from 'pg'
import { ollamaEmbedder } from '../dist/openbrain/embedder/ollama.js'
import { ADDITIONS } from '../dist/openbrain/postgres/additions.js'
import { floatArray, rowOf } from '../dist/openbrain/postgres/rows.js'
import { STEPS } from '../dist/openbrain/postgres/schema.js'
import { startEmbedder } from './support/embedder-server.mjs'
import { comesWithVectors, execute, startPostgres } from './support/postgres.mjs'
import { opened } from './support/postgres-store.mjs'
import { asking, deleting, kinds, storing, thought } from './support/thoughts.mjs'
import { until } from './support/waiting.mjs'

const statements = JSON.parse(readFileSync(new URL('./data/postgres-statements-4.json', import.meta.url), 'utf8'))
/** The version of the client before. It refuses a larger one, and migrates a smaller one. */
const VERSION = 4
/** Only what waits for a lock takes so long, even on a busy machine. */
const HANG_MS = 30_000

let server
before(async () => {
  server = await startPostgres()
})
after(() => server?.close())

async function olderClient(t, url) {
  const client = new pg.Client(url)
  await client.connect()
  t.after(() => client.end())
  const run = async (text, values) => (await client.query(text, values)).rows
  const insert = (thoughts) => run(statements.insert, [JSON.stringify(thoughts.map((one) => rowOf(one))), 'older'])
  const search = (name) => run(statements[name].text, statements[name].values)
  return { run, insert, search }
}

/** A database as the release before leaves it. */
async function olderDatabase(url) {
  await execute(url, 'create schema forge_memory')
  await execute(
    url,
    'create table forge_memory.migrations (version int primary key, applied_at timestamptz not null default now())',
  )
  for (const [at, step] of STEPS.entries()) {
    await execute(url, step)
    await execute(url, `insert into forge_memory.migrations (version) values (${at + 1})`)
  }
}

test('a database with a part of the additions is used as it is by who may not migrate it, and migrated by its owner', async (t) => {
  if (server.kind !== 'postgres') return t.diagnostic('PGlite has one user')
  const url = await server.database()
  await olderDatabase(url)
  if (comesWithVectors) await execute(url, 'create extension vector')
  await execute(url, ADDITIONS[0])
  await execute(url, 'insert into forge_memory.migrations (version) values (-1)')
  await execute(url, 'create role plain login; grant usage on schema forge_memory to plain')
  t.after(() => execute(url, 'drop owned by plain; drop role plain'))
  await execute(url, 'grant select, insert, update, delete on all tables in schema forge_memory to plain')
  await execute(url, 'grant execute on all functions in schema forge_memory to plain')
  const ofNewTables = 'grant select, insert, update, delete on tables to plain'
  await execute(url, `alter default privileges in schema forge_memory ${ofNewTables}`)
  const served = await startEmbedder()
  t.after(() => served.close())
  const embedder = () => (comesWithVectors ? ollamaEmbedder(served.url, 'test') : undefined)
  const member = opened(t, url.replace('openbrain@', 'plain@'), embedder())
  const heard = []
  t.after(await member.listen(({ id }) => heard.push(id)))
  const [mine, another] = [thought('words of a member'), thought('words of the owner')]
  assert.deepEqual(kinds(await member.put(storing(mine))), ['delivered'])
  if (comesWithVectors) await member.embedMissing(10)
  const before = await member.state()
  const additions = async () =>
    (await execute(url, 'select min(version)::int as least from forge_memory.migrations'))[0]
  assert.deepEqual([typeof before, await additions()], ['string', { least: -1 }])
  const owner = opened(t, url, embedder())
  assert.deepEqual(kinds(await owner.put(storing(another))), ['delivered'])
  assert.deepEqual(await additions(), { least: -ADDITIONS.length })
  await until(() => heard.includes(another.id), 'what the owner stored')
  assert.notEqual(await member.state(), before, 'the counter goes on')
  const { thoughts, semantic } = await member.search(asking('words'))
  assert.deepEqual([thoughts.length, semantic], [2, comesWithVectors])
})

test('the version that an older client reads is its own, in a new database and in a migrated one', async (t) => {
  const [fresh, migrated] = [await server.database(), server.kind === 'postgres' ? await server.database() : undefined]
  if (migrated !== undefined) await olderDatabase(migrated)
  for (const url of [fresh, migrated].filter(Boolean)) {
    await opened(t, url).handshake()
    const older = await olderClient(t, url)
    assert.deepEqual(await older.run(statements.version), [{ version: VERSION }])
    const [survey] = await older.run(statements.survey)
    assert.deepEqual([survey.version, survey.writable], [VERSION, true])
  }
})

test('every statement of an older client works beside this release', async (t) => {
  const url = await server.database()
  const served = await startEmbedder()
  t.after(() => served.close())
  const store = opened(t, url, comesWithVectors ? ollamaEmbedder(served.url, 'test') : undefined)
  await store.handshake()
  const older = await olderClient(t, url)
  const [ours, theirs, revised, gone] = [
    thought('words of the newer client'),
    thought('older client words', { expiresAt: '2030-01-01T00:00:00.000Z' }),
    thought('words before'),
    thought('words in haste'),
  ]
  assert.deepEqual(kinds(await store.put(storing(ours))), ['delivered'])
  assert.equal((await older.insert([theirs, revised, gone])).length, 3)
  assert.equal((await older.insert([ours])).length, 0, 'what is stored is not stored twice')
  await older.run(statements.prolong, [JSON.stringify([{ id: theirs.id, expires_at: '2200-01-01T00:00:00Z' }])])
  assert.deepEqual(await older.run(statements.ofOthers, [[gone.id], ['elsewhere']]), [{ id: gone.id, project: 'shop' }])
  assert.deepEqual(await older.run(statements.forget, [[gone.id]]), [{ id: gone.id }])
  assert.deepEqual(await older.run(statements.count, [null]), [{ count: 3 }])
  assert.equal((await older.run(statements.fetch, [[ours.id, gone.id]])).length, 1)
  assert.equal((await older.run(statements.storedSince, ['2000-01-01', '', 'older'])).length, 1)
  assert.ok(BigInt((await older.run(statements.state))[0].count) > 0n)
  await older.run(statements.announce, ['forge_memory', ['{"from":"older","ids":[]}']])
  assert.ok((await older.search('searchWords')).some(({ id }) => id === ours.id))
  const found = (await store.search(asking('older client words'))).thoughts.map(({ id }) => id)
  assert.ok(found.includes(theirs.id) && !found.includes(gone.id))
  assert.deepEqual(kinds(await store.remove(deleting(revised.id))), ['gone'])
  const audit = await execute(url, 'select action, thought, client from forge_memory.audit order by seq')
  const expected = [['stored', ours.id], ...[theirs, revised, gone].map(({ id }) => ['stored', id])]
  const noted = audit.map(({ action, thought: id }) => [action, id])
  assert.deepEqual(noted.slice(0, 4).sort(), expected.sort())
  assert.deepEqual(noted.slice(4), [
    ['forgotten', gone.id],
    ['forgotten', revised.id],
  ])
})

test('an older client computes vectors beside this release', async (t) => {
  if (!comesWithVectors) return t.diagnostic('this server has no vectors')
  const url = await server.database()
  const store = opened(t, url)
  await store.handshake()
  const older = await olderClient(t, url)
  const [first, ...rest] = statements.createSpace
  const [{ id: space }] = await older.run(first, ['older', 3])
  const own = (text) => text.replaceAll('vectors_1', `vectors_${space}`)
  for (const text of rest) await older.run(own(text))
  await older.run(statements.noteUse, ['older', space])
  const [plain, late] = [thought('a note'), thought('another note')]
  const values = (one) => [3, [one.id], floatArray([Float32Array.of(1, 0, 0)])]
  await older.run(own(statements.insertWithVectors), [JSON.stringify([rowOf(plain)]), 'older', ...values(plain)])
  await store.put(storing(late))
  assert.deepEqual(
    (await older.run(own(statements.withoutVector), ['infinity', '', 9])).map(({ id }) => id),
    [late.id],
  )
  await older.run(own(statements.insertVectors), [[late.id], floatArray([Float32Array.of(0, 1, 0)]), 3])
  assert.deepEqual(await older.run(own(statements.vectorCounts)), [{ done: 2, total: 2 }])
  const near = await older.run(own(statements.searchMeaning.text), statements.searchMeaning.values)
  assert.deepEqual(near.map(({ id }) => id).sort(), [plain.id, late.id].sort())
  assert.deepEqual(await older.run(own(statements.tailCount)), [{ count: 0 }])
  await older.run(own(statements.deleteVectors), [[late.id]])
})

test('a database is migrated while an older client writes: nothing is lost, and neither waits for long', async (t) => {
  if (server.kind !== 'postgres') return t.diagnostic('PGlite has one connection')
  const url = await server.database()
  await olderDatabase(url)
  const older = await olderClient(t, url)
  let isOver = false
  let slowest = 0
  const written = []
  const writing = (async () => {
    while (!isOver || written.length < 50) {
      const one = thought(`under load ${written.length}`)
      const started = performance.now()
      await older.insert([one])
      slowest = Math.max(slowest, performance.now() - started)
      written.push(one.id)
    }
  })()
  const stores = Array.from({ length: 4 }, () => opened(t, url))
  await Promise.all(stores.map((store) => store.handshake()))
  const put = await stores[0].put(storing(thought('of the newer client')))
  isOver = true
  await writing
  assert.deepEqual(kinds(put), ['delivered'])
  assert.equal(await stores[1].count(), written.length + 1)
  assert.ok(slowest < HANG_MS, `an insertion took ${Math.round(slowest)} ms`)
})
