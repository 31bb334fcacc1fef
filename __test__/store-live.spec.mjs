// Changes of other machines arrive at once, each once: captures, edits and forgets, whatever the order in which transactions commit,
// after lost connections, and without notifications by polling.
import assert from 'node:assert/strict'
import test, { after, before } from 'node:test'
import pg from 'pg'
import { rowOf } from '../dist/openbrain/postgres/rows.js'
import * as sql from '../dist/openbrain/postgres/sql.js'
import { execute, startPostgres } from './support/postgres.mjs'
import { opened } from './support/postgres-store.mjs'
import { deleting, storing, thought } from './support/thoughts.mjs'
import { until } from './support/waiting.mjs'
import { openPooler } from './support/wire.mjs'

/**
 * When a listener that is not notified looks by itself: so long would it take to hear of each change. A busy machine may take seconds for
 * what takes milliseconds otherwise.
 */
const HEARTBEAT_MS = 15_000

let server
before(async () => {
  server = await startPostgres()
})
after(() => server?.close())

const isReal = (t) => server.kind === 'postgres' || void t.diagnostic('PGlite has one connection')
/** Listens with one machine, and returns what it hears with the time of each. */
async function listening(t, url) {
  const store = opened(t, url)
  const heard = { stored: [], forgotten: [] }
  const stop = await store.listen(
    (one) => heard.stored.push({ ...one, at: performance.now() }),
    (one) => heard.forgotten.push({ ...one, at: performance.now() }),
  )
  t.after(stop)
  return { store, heard, ids: () => heard.stored.map(({ id }) => id) }
}

test('captures, edits and forgets arrive at once', async (t) => {
  if (!isReal(t)) return
  const url = await server.database()
  const { store, heard } = await listening(t, url)
  const other = opened(t, url)
  assert.equal(store.feed, 'notified')
  const first = thought('release on fridays')
  const revision = thought('release on mondays', { supersedes: first.id })
  const took = []
  for (const [work, list] of [
    [() => other.put(storing(first)), heard.stored],
    [() => other.put(storing(revision)), heard.stored],
    [() => other.remove(deleting(revision.id)), heard.forgotten],
  ]) {
    const count = list.length
    const started = performance.now()
    await work()
    await until(() => list.length > count, 'a change of another machine')
    took.push(list[count].at - started)
  }
  assert.deepEqual(
    heard.stored.map(({ id, supersedes }) => [id, supersedes]),
    [
      [first.id, undefined],
      [revision.id, first.id],
    ],
  )
  assert.deepEqual(heard.forgotten.map(({ id }) => id).sort(), [first.id, revision.id].sort())
  assert.ok(heard.forgotten.every(({ project }) => project === 'shop'))
  const total = took.reduce((sum, each) => sum + each)
  assert.ok(total < HEARTBEAT_MS, `${took.map(Math.round)} ms`)
  t.diagnostic(`${took.map(Math.round).join(', ')} ms from the delivery to the listener`)
})

test('who follows some projects hears of those alone', async (t) => {
  if (!isReal(t)) return
  const url = await server.database()
  const [store, other] = [opened(t, url), opened(t, url)]
  const heard = []
  const onHeard = ({ id }) => heard.push(id)
  t.after(await store.listen(onHeard, onHeard, ['shop', 'shop-web']))
  const all = ['bank', 'shop', 'bank', 'shop-web'].map((project) => thought(`a note of ${project}`, { project }))
  const wanted = all.filter(({ project }) => project !== 'bank').map(({ id }) => id)
  for (const one of all) await other.put(storing(one))
  await until(() => heard.length >= 2, 'its own')
  await other.remove(deleting(all[1].id))
  await until(() => heard.length >= 3, 'a forgetting')
  assert.deepEqual(heard, [...wanted, wanted[0]])
})

test('a transaction that commits late is not skipped, and what came before it is not told twice', async (t) => {
  if (!isReal(t)) return
  const url = await server.database()
  const { ids } = await listening(t, url)
  const other = opened(t, url)
  const late = new pg.Client(url)
  await late.connect()
  t.after(() => late.end())
  const [slow, ...quick] = Array.from({ length: 4 }, (_, at) => thought(`in order ${at}`))
  await late.query('begin')
  // A transaction that has its number in the log, and still waits for the counter of changes that the others get first.
  await late.query('set local session_replication_role = replica')
  await late.query(sql.INSERT, [JSON.stringify([rowOf(slow)]), 'late'])
  await late.query("insert into forge_memory.audit (action, thought) values ('stored', $1)", [slow.id])
  for (const [at, one] of quick.entries()) {
    await other.put(storing(one))
    await until(() => ids().length === at + 1, 'a later transaction that commits first')
  }
  await late.query("select pg_notify('forge_memory', '')")
  await late.query('commit')
  await until(() => ids().includes(slow.id), 'the transaction that committed late')
  const marker = thought('the last one')
  await other.put(storing(marker))
  await until(() => ids().includes(marker.id), 'the last one')
  assert.deepEqual(
    ids(),
    [...quick, slow, marker].map(({ id }) => id),
  )
})

test('nothing is lost and nothing doubled when connections are cut again and again', async (t) => {
  if (!isReal(t)) return
  const url = await server.database()
  const { ids, heard } = await listening(t, url)
  const other = opened(t, url)
  const all = []
  for (let round = 0; round < 12; round += 1) {
    const batch = Array.from({ length: 100 }, (_, at) => thought(`round ${round} number ${at}`))
    const [outcome] = await Promise.all([
      other.put(storing(...batch)),
      execute(
        url,
        `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database()
        and pid <> pg_backend_pid() and query like '%pg_snapshot_xmin%'`,
      ),
    ])
    assert.equal(outcome.length, 100)
    all.push(...batch)
    if (round % 3 === 2) await until(() => ids().length >= all.length, 'what was stored while the connection was lost')
  }
  const gone = all.slice(0, 50).map(({ id }) => id)
  await other.remove(deleting(...gone))
  // Thoughts that were forgotten before they were read have no text any more.
  await until(
    () => new Set([...ids(), ...gone]).size === all.length && heard.forgotten.length >= gone.length,
    'all changes',
  )
  assert.equal(new Set(ids()).size, ids().length, 'doubled')
  assert.deepEqual(heard.forgotten.map(({ id }) => id).sort(), gone.sort())
})

test('behind a pooler in transaction mode, changes are polled, and status and check say so', async (t) => {
  if (!isReal(t)) return
  const url = await server.database()
  await opened(t, url).handshake()
  const pooler = await openPooler(t, server.port)
  const { store, heard } = await listening(t, url.replace(`:${server.port}/`, `:${pooler.port}/`))
  assert.equal(store.feed, 'polled')
  const { negotiatedAway } = await store.handshake()
  assert.match(negotiatedAway.join(), /notifications: the pooler does not forward them; changes of others are polled/)
  const connection = (await store.check()).find(({ name }) => name === 'connection')
  assert.match(connection.message, /polled twice a second/)
  const other = opened(t, url)
  const one = thought('polled')
  await other.put(storing(one))
  const started = performance.now()
  await until(() => heard.stored.length > 0, 'a polled change')
  await other.remove(deleting(one.id))
  await until(() => heard.forgotten.length > 0, 'a polled forgetting')
  assert.deepEqual([heard.stored.length, heard.forgotten.length], [1, 1])
  const total = heard.forgotten[0].at - started
  assert.ok(total < HEARTBEAT_MS, `${total} ms`)
})
