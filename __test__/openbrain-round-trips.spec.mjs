// What a search costs on the wire, and that it neither locks nor writes.
import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test, { after, before } from 'node:test'
import pg from 'pg'
import { captureMemory, drainOpenBrain, searchThoughts } from '../dist/index.js'
import { ollamaEmbedder } from '../dist/openbrain/embedder/ollama.js'
import { PostgresStore } from '../dist/openbrain/postgres/store.js'
import { startEmbedder } from './support/embedder-server.mjs'
import { freshMemory, sentenceOf } from './support/memory.mjs'
import { comesWithVectors, execute, startPostgres } from './support/postgres.mjs'
import { target } from './support/postgres-store.mjs'
import { asking, kinds, ruling, storing, thought } from './support/thoughts.mjs'
import { approveStores } from './support/trust.mjs'
import { until } from './support/waiting.mjs'
import { openPooler, openWire } from './support/wire.mjs'

delete process.env.OPENBRAIN_KEY
// Specifications that run beside this one keep what they learnt of their databases in the home that all share.
process.env.FORGE_HOME = mkdtempSync(join(tmpdir(), 'forge-memory-round-trips-'))

let server
before(async () => {
  server = await startPostgres()
})
after(() => server?.close())
after(() => rmSync(process.env.FORGE_HOME, { recursive: true, force: true }))

const through = (url, port) => url.replace(`:${server.port}/`, `:${port}/`)

async function embedderFor(t, name = 'test') {
  if (!comesWithVectors) return undefined
  const embedder = await startEmbedder()
  t.after(() => embedder.close())
  return ollamaEmbedder(embedder.url, name)
}

/** What rides ahead of the first prepared statement of a connection, and is not waited for. */
const isOfPlans = (text) => text.includes('plan_cache_mode')

/** The statements that are waited for. */
const asked = ({ counts }) => counts.statements - counts.texts.filter(isOfPlans).length

/** Fills a new database, and opens another store on it through a relay that counts. */
async function distant(t, { embedder, roundTripMs } = {}) {
  const url = await server.database()
  const near = new PostgresStore(target(url), embedder)
  t.after(() => near.close())
  const thoughts = Array.from({ length: 40 }, (_, at) => thought(`the deploy note ${sentenceOf(at)}`))
  await near.put(storing(...thoughts))
  const wire = await openWire(t, server.port, { roundTripMs })
  const open = () => {
    const store = new PostgresStore(target(through(url, wire.port)), embedder)
    t.after(() => store.close())
    return store
  }
  return { url, wire, near, open, thoughts }
}

test('a search makes two round trips when it is the first of a process, and one after that', async (t) => {
  const { wire, open, thoughts } = await distant(t, { embedder: await embedderFor(t) })
  const store = open()
  const [first] = (await store.search(asking(thoughts[3].content))).thoughts
  assert.equal(first.id, thoughts[3].id)
  assert.deepEqual([wire.counts.connections, asked(wire)], [1, 2], wire.counts.texts.join('\n'))
  for (const extra of [{}, { project: 'shop' }, { type: 'lesson' }, { since: '2020-01-01T00:00:00Z' }, { limit: 30 }]) {
    wire.reset()
    const { thoughts: found } = await store.search(asking(thoughts[5].content, extra))
    assert.equal(found[0].id, thoughts[5].id)
    assert.deepEqual([wire.counts.connections, wire.counts.statements], [0, 1])
  }
})

/** What is kept between processes, and a first search of another process. */
async function kept(t, embedder) {
  // So far away that both statements are sent before the first one is answered.
  const at = await distant(t, { embedder, roundTripMs: 80 })
  const file = join(process.env.FORGE_HOME, 'store-surveys.json')
  rmSync(file, { force: true })
  const first = async (extra) => {
    at.wire.reset()
    const [hit] = (await at.open().search(asking(at.thoughts[3].content, extra))).thoughts
    return [hit?.id, at.wire.counts.roundTrips]
  }
  return { ...at, file, first, wanted: at.thoughts[3].id }
}

test('the first round trip of a process searches, on its one connection; by meaning, once another process has searched', async (t) => {
  const embedder = await embedderFor(t)
  const byMeaning = await kept(t, embedder)
  assert.deepEqual(await byMeaning.first(), [byMeaning.wanted, embedder === undefined ? 1 : 2])
  assert.deepEqual(await byMeaning.first(), [byMeaning.wanted, 1], byMeaning.wire.counts.texts.join('\n'))
  const { wire, first, wanted } = await kept(t)
  assert.deepEqual(await first(), [wanted, 1], wire.counts.texts.join('\n'))
  assert.deepEqual(await first({ project: 'shop' }), [wanted, 1])
  assert.equal(wire.counts.connections, 1)
})

test('what is kept between processes is not believed: of a database of another version, or one whose vectors have moved', async (t) => {
  const { url, open, near, file, first, wanted } = await kept(t, await embedderFor(t))
  await first()
  const good = readFileSync(file, 'utf8')
  for (const wrong of [
    good.replace(/"version":\d+/g, '"version":4'),
    good.replace(/"id":\d+/g, '"id":77'),
    good.replace(/"model":"[^"]+"/g, '"model":"another"'),
    good.replace(/"version":\d+/g, '"version":"1; drop table x"'),
    'no JSON',
    '{}',
  ]) {
    writeFileSync(file, wrong)
    assert.equal((await first())[0], wanted, wrong)
    assert.deepEqual(JSON.parse(readFileSync(file, 'utf8')), JSON.parse(good))
  }
  await near.rule([ruling('retire', wanted)])
  assert.notEqual((await first())[0], wanted)
  await execute(url, 'drop schema forge_memory cascade')
  assert.deepEqual((await open().search(asking('deploy'))).thoughts, [])
})

test('a text that is longer than what every row brings costs one round trip more, and arrives whole', async (t) => {
  const { wire, open, near } = await distant(t)
  const long = thought(`zebra ${'and the crossing '.repeat(2000)}end`)
  await near.put(storing(long))
  const store = open()
  await store.search(asking('deploy'))
  wire.reset()
  const [hit] = (await store.search(asking('zebra crossing'))).thoughts
  assert.equal(hit.content, long.content)
  assert.equal(asked(wire), 2)
})

test('through the library: cached or not, one round trip in a long-lived process', async (t) => {
  const url = await server.database()
  const wire = await openWire(t, server.port)
  const memory = freshMemory(t)
  const settings = (address) => ({ projectName: 'shop', openbrain: { url: address }, embedder: { kind: 'none' } })
  writeFileSync(join(memory.project, '.forge.json'), JSON.stringify(settings(through(url, wire.port))))
  approveStores(memory.project)
  captureMemory({ type: 'lesson', body: 'deploy note alpha' }, memory.options)
  await drainOpenBrain(memory.options)
  wire.reset()
  const ask = async () => {
    const before = asked(wire)
    const { thoughts, cached, backend } = await searchThoughts('deploy note', memory.options)
    return [backend, thoughts.length, cached === true, asked(wire) - before]
  }
  assert.deepEqual(await ask(), ['postgres', 1, false, 2])
  assert.deepEqual(await ask(), ['postgres', 1, true, 1])
  captureMemory({ type: 'lesson', body: 'deploy note bravo' }, memory.options)
  await drainOpenBrain(memory.options)
  assert.deepEqual(await ask(), ['postgres', 2, false, 1], 'the answer that was kept is no longer valid')
  assert.deepEqual(await ask(), ['postgres', 2, true, 1])
})

test('a search takes no lock but the one of a reader, and writes nothing', async (t) => {
  if (server.kind !== 'postgres') return t.diagnostic('PGlite cannot show this')
  const { url, open, wire } = await distant(t, { embedder: await embedderFor(t) })
  const blocker = new pg.Client(url)
  await blocker.connect()
  t.after(() => blocker.end())
  // A writer in the middle of everything: the migration's lock, and rows of every table.
  await blocker.query('begin')
  await blocker.query('select pg_advisory_xact_lock(7306412001)')
  await blocker.query('lock table forge_memory.thoughts, forge_memory.spaces, forge_memory.changes in exclusive mode')
  const store = open()
  await execute(url, `alter database ${new URL(url).pathname.slice(1)} set default_transaction_read_only = on`)
  assert.equal((await store.search(asking('deploy'))).thoughts.length, 10, 'where nothing can be written')
  await blocker.query('rollback')
  assert.doesNotMatch(wire.counts.texts.join('\n'), /advisory|for update|begin|insert into|create /i)
  // A search that has to wait shows which locks it has and which it asks for.
  await blocker.query('begin')
  await blocker.query('lock table forge_memory.thoughts in access exclusive mode')
  const waiting = store.search(asking('deploy', { limit: 20 }))
  const locks = () =>
    execute(
      url,
      `select mode, granted from pg_locks join pg_stat_activity using (pid)
        where application_name = 'forge-memory' and query like 'with changed as%' and locktype <> 'virtualxid'`,
    )
  await until(async () => (await locks()).some(({ granted }) => !granted), 'the search waits')
  assert.deepEqual([...new Set((await locks()).map(({ mode }) => mode))], ['AccessShareLock'])
  await blocker.query('rollback')
  assert.equal((await waiting).thoughts.length, 20)
})

test('statements are prepared on a connection of our own, and not behind a pooler', async (t) => {
  if (server.kind !== 'postgres') return t.diagnostic('PGlite cannot show this')
  const { url, wire, open, thoughts } = await distant(t, { embedder: await embedderFor(t) })
  const store = open()
  for (let round = 0; round < 3; round += 1) await store.search(asking('deploy'))
  assert.equal(wire.counts.named, 1, 'prepared once, used three times')
  assert.equal(wire.counts.texts.filter(isOfPlans).length, 1, 'and planned once')
  const pooler = await openPooler(t, server.port)
  const behind = await openWire(t, pooler.port)
  const pooled = new PostgresStore(target(through(url, behind.port)), await embedderFor(t))
  t.after(() => pooled.close())
  assert.deepEqual(kinds(await pooled.put(storing(thought('behind a pooler')))), ['delivered'])
  const answers = await Promise.all(thoughts.slice(0, 20).map(({ content }) => pooled.search(asking(content))))
  assert.deepEqual(
    answers.map(({ thoughts: [first] }) => first.id),
    thoughts.slice(0, 20).map(({ id }) => id),
  )
  assert.equal(behind.counts.named, 0)
  assert.equal(behind.counts.texts.some(isOfPlans), false, 'whose sessions belong to others as well')
})

test('twenty searches at once share a few connections, and each gets its own answer', async (t) => {
  const { wire, open, thoughts } = await distant(t, { embedder: await embedderFor(t), roundTripMs: 80 })
  const store = open()
  const twenty = () => Promise.all(thoughts.slice(0, 20).map(({ content }) => store.search(asking(content))))
  for (const what of ['cold', 'warm']) {
    const started = performance.now()
    const answers = await twenty()
    t.diagnostic(`${what}: twenty searches from 80 ms away in ${Math.round(performance.now() - started)} ms`)
    assert.deepEqual(
      answers.map(({ thoughts: [first] }) => first.id),
      thoughts.slice(0, 20).map(({ id }) => id),
    )
  }
  assert.ok(wire.counts.connections <= 4, `${wire.counts.connections} connections`)
})

test('a connection that broke while it was idle is replaced without a failure', async (t) => {
  const { wire, open, url } = await distant(t)
  const store = open()
  await store.search(asking('deploy'))
  if (server.kind === 'postgres') {
    await execute(url, "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'forge-memory'")
    await until(async () => {
      const rows = await execute(url, "select 1 from pg_stat_activity where application_name = 'forge-memory'")
      return rows.length === 0
    }, 'the connections are gone')
  }
  assert.equal((await store.search(asking('deploy'))).thoughts.length, 10)
  assert.ok(wire.counts.connections >= 1)
})

test('a role that may only read searches, and is told why it delivers nothing', async (t) => {
  if (server.kind !== 'postgres') return t.diagnostic('PGlite cannot show this')
  const { url } = await distant(t, { embedder: await embedderFor(t) })
  await execute(url, 'drop role if exists only_reads')
  await execute(url, 'create role only_reads login')
  await execute(url, 'grant usage on schema forge_memory to only_reads')
  await execute(url, 'grant select on all tables in schema forge_memory to only_reads')
  t.after(() => execute(url, 'drop owned by only_reads').then(() => execute(url, 'drop role only_reads')))
  const store = new PostgresStore(target(url.replace('openbrain@', 'only_reads@')), await embedderFor(t))
  t.after(() => store.close())
  const { thoughts, semantic } = await store.search(asking('deploy'))
  assert.deepEqual([thoughts.length, semantic], [10, comesWithVectors])
  const [outcome] = await store.put(storing(thought('not for me')))
  assert.equal(outcome.kind, 'misconfigured')
  assert.match(outcome.reason, /this user may only read: searches work, and deliveries wait in the queue/)
})
