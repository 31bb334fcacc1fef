import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test, { after, before } from 'node:test'
import pg from 'pg'
import { captureMemory, drainOpenBrain, queueStatus, searchThoughts } from '../dist/index.js'
import { ollamaEmbedder } from '../dist/openbrain/embedder/ollama.js'
import { PostgresStore } from '../dist/openbrain/postgres/store.js'
import { createDrainWorker } from '../dist/outbox/worker.js'
import { conforms, goesByMeaning } from './support/conformance.mjs'
import { startEmbedder } from './support/embedder-server.mjs'
import { freshMemory, sentenceOf } from './support/memory.mjs'
import { comesWithVectors, execute, startPostgres } from './support/postgres.mjs'
import { target } from './support/postgres-store.mjs'
import { asking, deleting, kinds, storing, thought } from './support/thoughts.mjs'
import { certificate, openTlsDoor } from './support/tls-door.mjs'
import { approveStores } from './support/trust.mjs'
import { until } from './support/waiting.mjs'

let server
before(async () => {
  server = await startPostgres()
})
after(() => server?.close())

/** PGlite forwards no notices, and closes its connection where the server only refuses: those tests need the real one. */
function isReal(t) {
  if (server.kind !== 'postgres') t.diagnostic('PGlite cannot show this')
  return server.kind === 'postgres'
}

/** Opens stores on one new database; all are closed with the test. */
async function opened(t, embedder) {
  const url = await server.database()
  const open = async (other = embedder) => {
    const store = new PostgresStore(target(url), other ?? undefined)
    t.after(() => store.close())
    return store
  }
  return { url, store: await open(), again: open }
}

async function embedderFor(t, options) {
  const embedder = await startEmbedder(options)
  t.after(() => embedder.close())
  return embedder
}

conforms('postgres', (t) => opened(t))

if (comesWithVectors) {
  conforms('postgres with an embedder', async (t) => opened(t, ollamaEmbedder((await embedderFor(t)).url, 'test')))
  goesByMeaning('postgres', opened)
}

/** What is about vectors needs a server that has them. */
const withVectors = comesWithVectors ? test : () => undefined

test('the suite ran on the database that it names', (t) => {
  t.diagnostic(
    `database: ${server.kind === 'postgres' ? 'PostgreSQL' : 'PGlite, because PostgreSQL could not be installed'}`,
  )
  assert.ok(['postgres', 'pglite'].includes(server.kind))
})

test('eight stores that open an empty database at once set it up once', async (t) => {
  const { url, again } = await opened(t)
  const stores = await Promise.all(Array.from({ length: 8 }, () => again()))
  await Promise.all(stores.map((store) => store.handshake()))
  const versions = await execute(url, 'select version from forge_memory.migrations order by version')
  assert.deepEqual(
    versions.map(({ version }) => version),
    [5],
  )
})

test('a forgotten thought cannot come back, nor can one that it superseded', async (t) => {
  const { url, store } = await opened(t)
  const old = thought('the first text')
  const revision = thought('the second text', { supersedes: old.id })
  await store.put(storing(old, revision))
  await store.remove(deleting(revision.id, 'mem_late'))
  assert.deepEqual(kinds(await store.put(storing(revision, { ...old, id: 'mem_late' }))), ['delivered', 'delivered'])
  assert.deepEqual((await store.search(asking('text'))).thoughts, [])
  const rows = await execute(url, 'select * from forge_memory.thoughts where forgotten_at is not null')
  assert.deepEqual(rows.map(({ id }) => id).sort(), [old.id, revision.id, 'mem_late'].sort())
  for (const { id, stored_at, forgotten_at, words, ...rest } of rows) {
    const said = Object.entries(rest).filter(([, value]) => value !== null && value !== '' && value?.length !== 0)
    const isPlanted = rest.planted_for !== null
    assert.deepEqual(
      said,
      [['metadata', {}], ...(isPlanted ? [['planted_for', 'shop']] : [])],
      'its id and nothing else',
    )
  }
})

test('a delete and a revision reach no thought of another project', async (t) => {
  const { store } = await opened(t)
  const ours = thought('a text of the shop')
  const theirs = thought('a revision of the bank', { project: 'bank', supersedes: ours.id })
  await store.put(storing(ours, theirs))
  const [deletion] = deleting(ours.id)
  const [outcome] = await store.remove([{ ...deletion, projects: ['bank'] }])
  assert.deepEqual([outcome.kind, /belongs to the project shop/.test(outcome.reason)], ['rejected', true])
  const found = (await store.search(asking('text of the shop'))).thoughts.map(({ id }) => id)
  assert.ok(found.includes(ours.id))
  assert.deepEqual(kinds(await store.remove([{ ...deletion, projects: ['bank', 'shop'] }])), ['gone'])
})

withVectors('an embedder that is down stops neither deliveries nor searches, and is made up for', async (t) => {
  const embedder = await embedderFor(t)
  const { store } = await opened(t, ollamaEmbedder(embedder.url, 'test'))
  await store.handshake()
  embedder.state.fault = { status: 503, body: { error: 'loading' } }
  const wanted = thought('rotate credentials monthly')
  assert.deepEqual(kinds(await store.put(storing(wanted))), ['delivered'])
  const answer = await store.search(asking('credentials'))
  assert.deepEqual([answer.semantic, answer.thoughts.length], [false, 1])
  assert.match(answer.semanticProblem, /busy/)
  embedder.state.fault = undefined
  assert.deepEqual(await store.embedMissing(10), {
    model: 'ollama:test',
    made: 1,
    tried: 1,
    done: 1,
    total: 1,
    refused: 0,
  })
  assert.deepEqual(
    (await store.search(asking('login'))).thoughts.map(({ id }) => id),
    [wanted.id],
  )
})

withVectors('an embedder of another dimension burns nothing, and search goes by words then', async (t) => {
  const [first, second] = [await embedderFor(t, { dimensions: 32 }), await embedderFor(t, { dimensions: 48 })]
  const { store, again } = await opened(t, ollamaEmbedder(first.url, 'test'))
  await store.put(storing(thought('a note')))
  const other = await again(ollamaEmbedder(second.url, 'test'))
  const message = /holds vectors of 32 dimensions for ollama:test, but the embedder computes 48/
  assert.deepEqual(kinds(await other.put(storing(thought('another note')))), ['misconfigured'])
  const { semantic, thoughts, semanticProblem } = await other.search(asking('note'))
  assert.deepEqual([semantic, thoughts.length > 0], [false, true])
  assert.match(semanticProblem, message)
})

withVectors(
  'cosines that are all near to 1 are brought to scale by those between the texts of the store',
  async (t) => {
    const { store } = await opened(t, ollamaEmbedder((await embedderFor(t, { common: 6 })).url, 'narrow'))
    await store.handshake()
    // Words say the same of twelve thoughts, and meaning says which one is asked for.
    const wanted = thought('signin cents performance')
    const others = Array.from({ length: 12 }, (_, at) => thought(`latency ${sentenceOf(at)}`))
    const search = async () => (await store.search(asking('password price latency'))).thoughts.map(({ id }) => id)
    assert.deepEqual(kinds(await store.put(storing(wanted, ...others))), Array(13).fill('delivered'))
    await store.embedMissing(100)
    assert.notEqual((await search())[0], wanted.id, 'few texts say nothing of a scale')
    const more = Array.from({ length: 30 }, (_, at) => {
      const words = sentenceOf(100 + at).split(' ')
      return thought(words.slice(0, 1 + (at % words.length)).join(' '))
    })
    await store.put(storing(...more))
    await store.embedMissing(100)
    assert.equal((await search())[0], wanted.id)
  },
)

test('a server that is stopped is busy, and is used again when it is back', async (t) => {
  const { store } = await opened(t)
  const batch = storing(thought('before'), thought('after'))
  await store.put(batch.slice(0, 1))
  await server.stop()
  const [outcome] = await store.put(batch.slice(1))
  assert.equal(outcome.kind, 'busy')
  assert.match(outcome.reason, /cannot be reached \(ECONNREFUSED\)|terminat/)
  await server.start()
  const outcomes = await store.put(batch)
  assert.deepEqual(kinds(outcomes), ['delivered', 'delivered'], outcomes[0].reason)
  assert.equal(await store.count(), 2)
})

test('a wrong user, a missing database and a server without TLS are for a person to see to', async (t) => {
  const { url } = await opened(t)
  const cases = [
    [url.replace('openbrain@', 'nobody_here@'), /nobody_here/],
    [url.replace(/memory_\d+|postgres$/, 'no_such_base'), /no_such_base/],
    [`${url}?sslmode=require`, /does not support TLS: add \?sslmode=disable/],
  ]
  // PGlite lets everybody in, and knows one database.
  for (const [address, message] of server.kind === 'postgres' ? cases : []) {
    const store = new PostgresStore(target(address), undefined)
    t.after(() => store.close())
    await assert.rejects(store.handshake(), { kind: 'misconfigured', message })
  }
})

test('a machine is notified of what others store, and not of its own', async (t) => {
  if (!isReal(t)) return
  const { store, again } = await opened(t)
  const other = await again()
  const heard = { here: [], there: [] }
  const stops = [
    await store.listen(({ id }) => heard.here.push(id)),
    await other.listen((one) => heard.there.push(one)),
  ]
  t.after(() => Promise.all(stops.map((stop) => stop())))
  const one = thought('heard across machines', { tags: ['far'] })
  await store.put(storing(one))
  await until(() => heard.there.length > 0, 'a thought of another machine')
  const { id, content, tags, type, project } = heard.there[0]
  assert.deepEqual(
    { id, content, tags, type, project },
    {
      id: one.id,
      content: one.content,
      tags: ['far'],
      type: 'lesson',
      project: 'shop',
    },
  )
  assert.deepEqual(heard.here, [])
})

test('records stored during a lost connection are announced after it', async (t) => {
  const { url, store, again } = await opened(t)
  const other = await again()
  const heard = []
  const stop = await store.listen(({ content }) => heard.push(content))
  t.after(stop)
  await server.stop()
  await server.start()
  const all = Array.from({ length: 2300 }, (_, at) => `stored meanwhile ${at}`)
  // Before the reconnection, because later changes would be announced by a notice.
  for (let at = 0; at < all.length; at += 500) {
    await other.put(storing(...all.slice(at, at + 500).map((text) => thought(text))))
  }
  await until(
    () => new Set(heard).size >= all.length,
    () => `${new Set(heard).size} of ${all.length} were heard`,
  )
  assert.deepEqual([...new Set(heard)].sort(), all.toSorted())
  assert.ok(url)
})

test('TLS is used and verified when required', async (t) => {
  const { url } = await opened(t)
  const port = await openTlsDoor(t, server.port)
  const behind = url.replace(`:${server.port}/`, `:${port}/`)
  const open = (query) => {
    const store = new PostgresStore(target(`${behind}?${query}`), undefined)
    t.after(() => store.close())
    return store.handshake()
  }
  await assert.rejects(open('sslmode=verify-full'), { kind: 'misconfigured', message: /DEPTH_ZERO_SELF_SIGNED_CERT/ })
  assert.equal((await open(`sslmode=verify-full&sslrootcert=${encodeURIComponent(certificate)}`)).dialect, 'postgres')
  assert.equal((await open('sslmode=no-verify')).dialect, 'postgres')
  await assert.rejects(async () => open('sslmode=perhaps'), { kind: 'misconfigured', message: /sslmode/ })
  await assert.rejects(async () => open('sslmode=require&sslrootcert=/no/such/file'), { kind: 'misconfigured' })
})

test('a statement that takes too long fails as busy', async (t) => {
  const { url, store } = await opened(t)
  await store.handshake()
  const impatient = new PostgresStore(target(url), undefined, 300)
  t.after(() => impatient.close())
  await impatient.handshake()
  const locker = new pg.Client(url)
  await locker.connect()
  t.after(() => locker.end())
  await locker.query('begin')
  await locker.query('lock table forge_memory.thoughts in access exclusive mode')
  const batch = storing(thought('waits for a lock'))
  const [outcome] = await impatient.put(batch)
  assert.equal(outcome.kind, 'busy')
  assert.match(outcome.reason, /statement timeout|timeout/)
  await locker.query('rollback')
  assert.deepEqual(kinds(await impatient.put(batch)), ['delivered'])
})

test('one record that the database refuses stops no other', async (t) => {
  if (!isReal(t)) return
  const { store } = await opened(t)
  const batch = storing(thought('good'), thought('too big'), thought('better'))
  // A word vector has at most one mebibyte.
  batch[1].thought.content = Array.from({ length: 300_000 }, (_, at) => `word${at}`).join(' ')
  const outcomes = await store.put(batch)
  assert.deepEqual(kinds(outcomes), ['delivered', 'rejected', 'delivered'])
  assert.match(outcomes[1].reason, /refuses the record \(54000\)/)
  assert.doesNotMatch(outcomes[1].reason, /word1/)
})

test('a worker is notified of what the worker of another machine stored in the database', async (t) => {
  if (!isReal(t)) return
  const url = await server.database()
  const machines = [freshMemory(t), freshMemory(t)]
  const workers = machines.map(({ project }) => {
    // Clones of one repository, which one user may have.
    execFileSync('git', ['init', '--quiet', project])
    execFileSync('git', ['-C', project, 'remote', 'add', 'origin', 'https://example.org/acme/shop.git'])
    writeFileSync(join(project, '.forge.json'), JSON.stringify({ openbrain: { url }, embedder: { kind: 'none' } }))
    approveStores(project)
    return createDrainWorker({ projectDir: project, intervalMs: 100 })
  })
  t.after(() => Promise.all(workers.map((worker) => worker.stop())))
  const heard = [[], []]
  for (const [at, worker] of workers.entries()) worker.on('thought', ({ content }) => heard[at].push(content))
  for (const worker of workers) worker.start()
  await until(() => workers.every(({ state }) => state === 'idle'), 'both are idle')
  // The first quiet moment of a worker is the one in which it begins to listen.
  for (let round = 0; heard[1].length === 0; round += 1) {
    assert.ok(round < 400, 'nothing was heard')
    captureMemory({ type: 'lesson', body: `heard from afar ${sentenceOf(round)}` }, machines[0].options)
    await until(() => heard[1].length > 0 || queueStatus(machines[0].options).queued === 0, 'a delivery')
  }
  assert.match(heard[1][0], /^heard from afar /)
  assert.deepEqual(heard[0], [])
})

test('a hit of the database has the place that recall gives it: by what it says of itself, and by the number in it', async (t) => {
  const memory = freshMemory(t)
  const openbrain = { url: await server.database() }
  writeFileSync(join(memory.project, '.forge.json'), JSON.stringify({ openbrain, embedder: { kind: 'none' } }))
  approveStores(memory.project)
  const [over, holds, longer, exact] = [
    'Deprecated: what the error of the label printer means is in the wiki',
    'What errors mean is in the runbook of the printer',
    'Error E4017-B on the label printer: what it means is a dusty sensor',
    'E4017 on the printer: the ribbon is in backwards',
  ]
  for (const body of [over, holds, longer, exact]) captureMemory({ type: 'lesson', body }, memory.options)
  await drainOpenBrain(memory.options)
  const { thoughts, backend } = await searchThoughts('what does error E4017 on the label printer mean', memory.options)
  const place = (text) => thoughts.findIndex(({ content }) => content === text)
  assert.equal(backend, 'postgres')
  assert.ok(place(exact) < place(longer), 'the longer name comes later')
  assert.ok(place(holds) < place(over), 'what is over comes later')
  assert.deepEqual(thoughts.map((hit) => hit.over).filter(Boolean), [true])
})
