// Two real servers with streaming replication: searches are answered by the replica, deliveries go to the primary, and after a fail-over
// both go on at the server that took over. And a backup, which is restored into another database.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import test, { after, before } from 'node:test'
import { storeScript } from '../dist/openbrain/client/set-up.js'
import { ollamaEmbedder } from '../dist/openbrain/embedder/ollama.js'
import { foundCompany, openedBy, roleIn } from './support/company.mjs'
import { startEmbedder } from './support/embedder-server.mjs'
import { comesWithVectors, execute, startPostgres } from './support/postgres.mjs'
import { opened } from './support/postgres-store.mjs'
import { asking, deleting, kinds, storing, thought } from './support/thoughts.mjs'
import { until } from './support/waiting.mjs'

let server
before(async () => {
  server = await startPostgres()
})
after(() => server?.close())

/** The older server of the tests comes without the tools, and PGlite is one process. */
const has = (t, tool) =>
  (server.kind === 'postgres' && server.hasProgram(tool)) || void t.diagnostic(`this server comes without ${tool}`)

async function embedderFor(t) {
  const served = await startEmbedder()
  t.after(() => served.close())
  return comesWithVectors ? ollamaEmbedder(served.url, 'test') : undefined
}

test('a backup restored into another database has every thought, vector and role, and goes on', async (t) => {
  if (!has(t, 'pg_dump')) return
  const url = await server.database()
  const embedder = await embedderFor(t)
  const store = opened(t, url, embedder)
  const [kept, gone] = [thought('the release is on monday'), thought('said in haste')]
  await store.put(storing(kept, gone))
  await store.remove(deleting(gone.id))
  const file = join(server.data, 'memory.dump')
  server.run('pg_dump', '--format=custom', '--schema=forge_memory', '--file', file, url)
  const restored = await server.database()
  if (comesWithVectors) await execute(restored, 'create extension vector')
  server.run('pg_restore', '--exit-on-error', '--dbname', restored, file)
  const again = opened(t, restored, embedder)
  const { thoughts, semantic } = await again.search(asking('release monday'))
  assert.deepEqual([thoughts[0].id, semantic], [kept.id, comesWithVectors])
  if (comesWithVectors) assert.deepEqual((await again.vectors()).done, 1)
  assert.deepEqual(kinds(await again.put(storing(gone, thought('after the restoration')))), ['delivered', 'delivered'])
  assert.equal(await again.count(), 2, 'what was forgotten does not come back')
  const numbers = await execute(restored, 'select seq::int from forge_memory.audit order by seq')
  assert.deepEqual(
    numbers,
    [1, 2, 3, 4].map((seq) => ({ seq })),
    'the log goes on with its numbers',
  )
})

test('a backup of a database with roles and row security, restored beside it, has roles of its own after store init', async (t) => {
  if (!has(t, 'pg_dump')) return
  const { url, addresses, names } = await foundCompany(t, server, {
    flags: ['--row-security'],
    roles: [['nora', 'forge_writer']],
  })
  await execute(url, 'update forge_memory.access set member = $1, project = $2', [names[0], 'shop'])
  const kept = thought('the release is on monday')
  await openedBy(t, addresses[0]).put(storing(kept))
  const file = join(server.data, 'company.dump')
  server.run('pg_dump', '--format=custom', '--schema=forge_memory', '--file', file, url)
  const restored = await server.database()
  if (comesWithVectors) await execute(restored, 'create extension vector')
  server.run('pg_restore', '--exit-on-error', '--no-owner', '--no-privileges', '--dbname', restored, file)
  await execute(restored, await storeScript())
  const there = addresses[0].replace(new URL(url).pathname, new URL(restored).pathname)
  await assert.rejects(execute(there, 'select 1 from forge_memory.thoughts'), { code: '42501' })
  await execute(restored, `grant ${roleIn(restored, 'forge_writer')} to ${names[0]}`)
  const nora = openedBy(t, there)
  assert.deepEqual(
    (await nora.search(asking('release'))).thoughts.map(({ id }) => id),
    [kept.id],
  )
  const outcomes = await nora.put(storing(thought('in the restored one'), thought('not granted', { project: 'bank' })))
  assert.deepEqual(kinds(outcomes), ['delivered', 'rejected'])
})

test('the replica answers searches, the primary takes deliveries, and a fail-over ends neither', async (t) => {
  if (!has(t, 'pg_basebackup')) return
  const started = performance.now()
  const url = await server.database()
  const embedder = await embedderFor(t)
  const direct = opened(t, url, embedder)
  await direct.handshake()
  const standby = await server.standby()
  t.after(() => standby.stop('immediate'))
  const ofStandby = url.replace(`:${server.port}/`, `:${standby.port}/`)
  const both = opened(t, `${url}?replicas=127.0.0.1:${standby.port}`, embedder)
  const heard = []
  t.after(await both.listen(({ id }) => heard.push(id)))
  const first = thought('stored at the primary')
  assert.deepEqual(kinds(await both.put(storing(first))), ['delivered'])
  const isFound = async (store, text, id) => (await store.search(asking(text))).thoughts.some((hit) => hit.id === id)
  await until(() => isFound(both, 'stored primary', first.id), 'the replica follows')
  const connections = (address) =>
    execute(
      address,
      "select count(*)::int as count from pg_stat_activity where application_name = 'forge-memory' and query like 'with changed as%'",
    )
  assert.ok((await connections(ofStandby))[0].count >= 1, 'searches go to the replica')

  const checked = async (name) =>
    (await both.check()).filter((one) => one.name === name).map(({ state, message }) => [state, message])
  const [primary, replica] = [server, standby].map(({ port }) => `127.0.0.1:${port}`)
  assert.deepEqual(await checked('servers'), [
    ['good', `${primary} is the primary`],
    ['good', `${replica} is a replica, 0 s behind`],
  ])
  assert.deepEqual(await checked('permissions'), [['good', 'openbrain may read and write']], 'as the primary says')

  // A replica by itself is polled, because it passes no notifications on, and takes no deliveries.
  const lone = opened(t, ofStandby)
  const polled = []
  t.after(await lone.listen(({ id }) => polled.push(id)))
  assert.equal(lone.feed, 'polled')
  assert.deepEqual(kinds(await lone.put(storing(thought('not here')))), ['misconfigured'])
  const second = thought('seen through the replica')
  await direct.put(storing(second))
  await until(() => polled.includes(second.id), 'a change, by the replica')

  await server.stop('immediate')
  assert.ok(await isFound(both, 'stored primary', first.id), 'the primary is away, and searches go on')
  const third = thought('delivered after the fail-over')
  const [busy] = await both.put(storing(third))
  assert.equal(busy.kind, 'busy')
  assert.deepEqual(
    (await checked('servers')).map(([state, message]) => [state, message.replace(/^127.*:\d+ /, '')]),
    [
      ['bad', 'does not answer'],
      ['note', 'is a replica that receives nothing'],
      ['bad', 'none of them takes deliveries'],
    ],
  )
  await standby.promote()
  await until(async () => kinds(await both.put(storing(third)))[0] === 'delivered', 'the new primary')
  assert.ok(await isFound(both, 'fail-over', third.id))
  assert.deepEqual(await checked('servers'), [
    ['bad', `${primary} does not answer`],
    ['good', `${replica} is the primary`],
  ])
  const fourth = thought('heard after the fail-over')
  await opened(t, ofStandby).put(storing(fourth))
  await until(() => heard.includes(fourth.id), 'a notification of the new primary')
  assert.equal(new Set(heard).size, heard.length, 'nothing is told twice')
  t.diagnostic(`two servers, and a fail-over: ${Math.round(performance.now() - started)} ms`)
})
