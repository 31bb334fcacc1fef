// `forge-memory store`: every test of a healthy set-up, what is wrong with unhealthy ones, and what a retention removes.
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test, { after, before } from 'node:test'
import pg from 'pg'
import { ollamaEmbedder } from '../dist/openbrain/embedder/ollama.js'
import { freshCommand, json, runBeside } from './support/command.mjs'
import { startEmbedder } from './support/embedder-server.mjs'
import { comesWithVectors, execute, freePort, startPostgres } from './support/postgres.mjs'
import { opened } from './support/postgres-store.mjs'
import { asking, deleting, kinds, storing, thought } from './support/thoughts.mjs'
import { approveStores } from './support/trust.mjs'
import { openPooler } from './support/wire.mjs'

delete process.env.OPENBRAIN_KEY

let server
before(async () => {
  server = await startPostgres()
})
after(() => server?.close())

const isReal = () => server.kind === 'postgres'
function configured(t, url, embedder = { kind: 'none' }) {
  const command = freshCommand(t)
  writeFileSync(
    join(command.project, '.forge.json'),
    JSON.stringify({ projectName: 'shop', openbrain: { url }, embedder }),
  )
  approveStores(command.project, command.home)
  return command
}

/** The findings of the command by name, with its exit status. */
async function check(command) {
  const { status, stdout, stderr } = await runBeside(command, ['store', 'check', '--json'])
  assert.equal(stderr, '')
  const { findings, ok } = JSON.parse(stdout)
  assert.equal(status, ok ? 0 : 1)
  return Object.fromEntries(findings.map(({ name, ...rest }) => [name, rest]))
}

const days = (count) => new Date(Date.now() - count * 86_400_000).toISOString()

test('a healthy set-up passes every test', async (t) => {
  const url = await server.database()
  const served = await startEmbedder()
  t.after(() => served.close())
  await opened(t, url, ollamaEmbedder(served.url, 'test')).put(storing(thought('a note')))
  const command = configured(t, url, { kind: 'ollama', url: served.url, model: 'test' })
  const found = await check(command)
  const names = [
    'settings',
    'approval',
    'reachable',
    'server',
    'clock',
    'extension',
    'connection',
    'schema',
    'permissions',
    'indexes',
  ]
  for (const name of names.slice(0, comesWithVectors && isReal() ? names.length : 5)) {
    assert.equal(found[name].state, 'good', `${name}: ${found[name].message}`)
  }
  assert.match(found.reachable.message, new RegExp(`; the database ${new URL(url).pathname.slice(1)} has `))
  assert.equal(found.team, undefined)
  if (comesWithVectors) assert.match(found.coverage.message, /^1 of 1 thoughts have a vector of ollama:test$/)
  assert.match((await runBeside(command, ['store', 'check'])).stdout, /The shared store works\.\n$/)
})

test('store init that meets a lock says to try again, and names the role that it made, also of a long name', async (t) => {
  if (!isReal()) return t.diagnostic('PGlite has one connection')
  const url = await server.database()
  const long = `shop_${'x'.repeat(50)}`
  await execute(url, `create database ${long}`)
  const command = configured(t, url.replace(new URL(url).pathname, `/${long}`))
  const init = () => runBeside(command, ['store', 'init', '--apply'])
  const there = url.replace(new URL(url).pathname, `/${long}`)
  const blocker = new pg.Client(there)
  await blocker.connect()
  t.after(() => blocker.end())
  await blocker.query('select pg_advisory_lock(7306412001)')
  const refused = await init()
  assert.notEqual(refused.status, 0)
  assert.match(refused.stderr, /other statements hold its tables: try again in a moment/)
  await blocker.query('select pg_advisory_unlock(7306412001)')
  const [, writer] = /in role (\S+);/.exec((await init()).stdout)
  assert.deepEqual(await execute(there, 'select 1 as found from pg_roles where rolname = $1', [writer]), [{ found: 1 }])
})

test('where no connection is free, the answer says so and names a pooler', async (t) => {
  if (!isReal()) return t.diagnostic('PGlite has one user')
  const url = await server.database()
  await execute(url, 'create role hurried login connection limit 0')
  t.after(() => execute(url, 'drop role hurried'))
  const command = configured(t, url.replace('openbrain@', 'hurried@'))
  for (const args of [['find', '--shared', 'gate'], ['store', 'check'], ['status']]) {
    const { stdout, stderr } = await runBeside(command, args)
    assert.match(
      `${stdout}${stderr}`.replace(/\s+/g, ' '),
      /no connection is free: .* put a pooler before it/,
      args.join(' '),
    )
  }
})

test('the connection is one through a pooler, also where further servers are named', async (t) => {
  if (!isReal()) return t.diagnostic('PGlite has one connection')
  const url = await server.database()
  await opened(t, url).handshake()
  const pooler = await openPooler(t, server.port)
  const through = url.replace(`:${server.port}/`, `:${pooler.port}/`)
  for (const [address, wanted] of [
    [through, /^through a pooler in transaction mode/],
    [`${through}?replicas=127.0.0.1:${await freePort()}`, /^through a pooler in transaction mode/],
    [`${url}?replicas=127.0.0.1:${await freePort()}`, /^direct/],
  ]) {
    const { connection } = await check(configured(t, address))
    assert.match(connection.message, wanted, address)
  }
})

test('a store of one user is called private, and no team store', async (t) => {
  const { team } = await check(freshCommand(t))
  assert.deepEqual([team.state, team.message], ['note', 'private: a file of this user on this machine, no team store'])
})

test('many vectors without an index are bad until it is built, and coverage counts no vector of what is forgotten', async (t) => {
  if (!isReal() || !comesWithVectors) return t.diagnostic('this server cannot show it')
  const url = await server.database()
  const served = await startEmbedder()
  t.after(() => served.close())
  const store = opened(t, url, ollamaEmbedder(served.url, 'test'))
  const [first] = storing(thought('a note'))
  await store.put([first])
  await execute(
    url,
    `insert into forge_memory.thoughts (id, content, project) select 'made_' || n, 'note ' || n, 'shop' from generate_series(1, 5000) n`,
  )
  const ofAll = `insert into forge_memory.vectors_1 select t.id, v.embedding, true from forge_memory.thoughts t, forge_memory.vectors_1 v
    where v.id = '${first.id}' and t.id <> v.id`
  await execute(url, ofAll)
  const command = configured(t, url, { kind: 'ollama', url: served.url, model: 'test' })
  const before = await check(command)
  assert.deepEqual(
    [before.indexes.state, before.indexes.message, before.coverage.message],
    [
      'bad',
      'the vectors of ollama:test have none: every search by meaning compares all of them',
      '5001 of 5001 thoughts have a vector of ollama:test',
    ],
  )
  const embedded = await runBeside(command, ['embed'])
  assert.match(embedded.stdout, /5,?001 of 5,?001 thoughts can be found by meaning/)
  assert.equal((await check(command)).indexes.state, 'good')
  await execute(url, `update forge_memory.thoughts set content = '', forgotten_at = now() where id = 'made_1'`)
  await execute(url, `insert into forge_memory.thoughts (id, content, project) values ('late', 'late note', 'shop')`)
  const { coverage } = await check(command)
  assert.deepEqual([coverage.state, coverage.message], ['note', '5000 of 5001 thoughts have a vector of ollama:test'])
})

test('the check of a database that was never set up changes nothing in it', async (t) => {
  const url = await server.database()
  const found = await check(configured(t, url))
  assert.deepEqual([found.schema.state, found.schema.message], ['note', 'the tables do not exist yet'])
  const [{ present }] = await execute(url, "select to_regnamespace('forge_memory') is not null as present")
  assert.equal(present, false)
})

test('an address at which nobody listens, and one that is not approved, are bad and say what to do', async (t) => {
  const away = await check(configured(t, 'postgres://nobody@127.0.0.1:1/none'))
  assert.deepEqual([away.reachable.state, /ECONNREFUSED/.test(away.reachable.message)], ['bad', true])
  const command = freshCommand(t)
  writeFileSync(
    join(command.project, '.forge.json'),
    JSON.stringify({ openbrain: { url: 'postgres://db.example.org/x' } }),
  )
  const found = await check(command)
  assert.deepEqual(
    [found.approval.state, found.approval.remedy],
    ['bad', 'run forge-memory drain --trust, if the address is yours'],
  )
  assert.equal(found.reachable, undefined, 'nothing is sent there')
})

test('an extension that is too old is bad, and one before iterative scans is said to miss hits', async (t) => {
  if (!isReal() || !comesWithVectors) return t.diagnostic('this server cannot show it')
  const url = await server.database()
  await opened(t, url).put(storing(thought('a note')))
  const as = async (version) => {
    await execute(url, `update pg_extension set extversion = '${version}' where extname = 'vector'`)
    return (await check(configured(t, url))).extension
  }
  const old = await as('0.5.1')
  assert.deepEqual([old.state, old.message], ['bad', 'pgvector 0.5 is too old'])
  assert.match(old.remedy, /alter extension vector update/)
  assert.deepEqual((await as('0.7.4')).state, 'note')
  await execute(url, "update pg_extension set extversion = '0.5.1' where extname = 'vector'")
  const served = await startEmbedder()
  t.after(() => served.close())
  const store = opened(t, url, ollamaEmbedder(served.url, 'test'))
  const { semantic, negotiatedAway } = await store.handshake()
  assert.deepEqual([semantic, /pgvector 0\.5 is too old/.test(negotiatedAway.join())], [false, true])
  assert.deepEqual(kinds(await store.put(storing(thought('another note')))), ['delivered'])
  assert.equal((await store.search(asking('note'))).thoughts.length, 2)
})

test('a role that may only read is told what it cannot do', async (t) => {
  if (!isReal()) return t.diagnostic('PGlite cannot show this')
  const url = await server.database()
  await opened(t, url).put(storing(thought('a note')))
  await execute(url, 'create role looks_only login')
  await execute(url, 'grant usage on schema forge_memory to looks_only')
  await execute(url, 'grant select on all tables in schema forge_memory to looks_only')
  t.after(() => execute(url, 'drop owned by looks_only').then(() => execute(url, 'drop role looks_only')))
  const command = configured(t, url.replace('openbrain@', 'looks_only@'))
  const { permissions } = await check(command)
  assert.match(permissions.message, /looks_only may not insert, update, delete: searches work, deliveries do not/)
  assert.match(permissions.remedy, /grant forge_writer_memory_\d+ to looks_only, after forge-memory store init/)
  assert.match((await runBeside(command, ['status'])).stdout, /unavailable +deliveries: this user may only read/)
  const refused = await runBeside(command, ['store', 'retain', '--json'])
  assert.equal(refused.status, 1)
  assert.match(refused.stderr + refused.stdout, /this user may only read/)
})

test('a full disk of the database loses nothing: deliveries wait, searches go on, and the reason is said', async (t) => {
  const url = await server.database()
  const store = opened(t, url)
  const [before, later] = [thought('stored before the disk was full'), thought('captured while the disk was full')]
  await store.put(storing(before))
  // What the server answers when a table cannot grow.
  await execute(
    url,
    `create function forge_memory.full() returns trigger language plpgsql as
       $$begin raise exception 'could not extend file: No space left on device' using errcode = 'disk_full'; end$$;
     create trigger full_disk before insert on forge_memory.thoughts for each row execute function forge_memory.full()`,
  )
  const [outcome] = await store.put(storing(later))
  assert.equal(outcome.kind, 'busy')
  assert.match(outcome.reason, /53100\): its disk is full: free some space; deliveries wait in the queue/)
  assert.equal((await store.search(asking('disk full'))).thoughts[0].id, before.id)
  await execute(url, 'drop trigger full_disk on forge_memory.thoughts')
  assert.deepEqual(kinds(await store.put(storing(later))), ['delivered'])
  assert.equal(await store.count(), 2)
})

test('a clock that is off by a day is bad, in both directions', async (t) => {
  const url = await server.database()
  const store = opened(t, url)
  await store.put(storing(thought('a note')))
  for (const [offset, message] of [
    [86_400_000, /is 24 h ahead of that of the server/],
    [-86_400_000, /is 24 h behind that of the server/],
  ]) {
    t.mock.timers.enable({ apis: ['Date'], now: Date.now() + offset })
    const clock = (await store.check()).find(({ name }) => name === 'clock')
    t.mock.timers.reset()
    assert.equal(clock.state, 'bad')
    assert.match(clock.message, message)
  }
})

test('a retention counts first, removes what is old enough, and leaves what searches return', async (t) => {
  const url = await server.database()
  const store = opened(t, url)
  const old = thought('release on fridays')
  const revision = thought('release on mondays', { supersedes: old.id })
  const [current, expired, fresh, gone] = [
    thought('the staging host is small'),
    thought('the staging host is down', { expiresAt: days(40) }),
    thought('the staging host is slow', { expiresAt: days(2) }),
    thought('said in haste'),
  ]
  await store.put(storing(old, revision, current, expired, fresh, gone))
  await store.remove(deleting(gone.id))
  await execute(url, "update forge_memory.thoughts set stored_at = now() - interval '100 days'")
  await execute(
    url,
    "update forge_memory.thoughts set forgotten_at = now() - interval '400 days' where forgotten_at is not null",
  )
  const command = configured(t, url)
  const dry = json(command, ['store', 'retain', '--dry-run'])
  assert.deepEqual(dry, { expired: 1, superseded: 1, forgotten: 0, audit: 0, dryRun: true })
  assert.equal((await execute(url, 'select 1 from forge_memory.thoughts')).length, 6)
  assert.deepEqual(json(command, ['store', 'retain']), { ...dry, dryRun: false })
  assert.deepEqual(json(command, ['store', 'retain', '--forgotten', '1y']), {
    expired: 0,
    superseded: 0,
    forgotten: 1,
    audit: 0,
    dryRun: false,
  })
  const ids = (await execute(url, 'select id from forge_memory.thoughts')).map(({ id }) => id)
  assert.deepEqual(ids.sort(), [revision.id, current.id, fresh.id].sort())
  await execute(url, "update forge_memory.audit set at = now() - interval '2 years'")
  const { audit } = json(command, ['store', 'retain', '--audit', '1y'])
  assert.ok(audit >= 10, 'every removal is in the audit as well')
  assert.deepEqual(await execute(url, 'select * from forge_memory.audit'), [])
  // What is delivered again does not come back to the surface.
  await store.put(storing(old, expired))
  const found = (await store.search(asking('release fridays staging host down'))).thoughts.map(({ id }) => id)
  assert.deepEqual(found.sort(), [revision.id, current.id].sort())
  assert.match(
    command.run(['store', 'retain', '--expired', 'never', '--dry-run']).stdout,
    /^0 expired thoughts, 1 superseded/,
  )
})

test('more thoughts than a page are removed page by page', async (t) => {
  const url = await server.database()
  const store = opened(t, url)
  await store.put(storing(thought('stays')))
  await execute(
    url,
    `insert into forge_memory.thoughts (id, content, expires_at) select 'mem_' || i, 'old', now() - interval '1 year' from generate_series(1, 2500) i`,
  )
  const seen = []
  const report = await store.retain({ expiredDays: 30 }, false, ({ expired }) => seen.push(expired))
  assert.deepEqual([report.expired, seen], [2500, [1000, 2000, 2500]])
  assert.equal(await store.count(), 1)
})

test('wrong ages are refused, and a store without a retention says so', (t) => {
  const command = freshCommand(t)
  for (const age of ['30', 'soon', '0d', '-1d', '12h']) {
    const { status, stderr } = command.run(['store', 'retain', '--expired', age])
    assert.deepEqual([status, /--expired: expected never, or an age/.test(stderr)], [2, true], `${age}: ${stderr}`)
  }
  const { status, stderr } = command.run(['store', 'retain'])
  assert.equal(status, 1)
  assert.match(stderr, /retention is for PostgreSQL; this project uses the embedded store/)
})
