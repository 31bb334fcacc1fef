import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import net from 'node:net'
import { join } from 'node:path'
import test, { after, before } from 'node:test'
import { fileURLToPath } from 'node:url'
import { captureMemory, drainOpenBrain, openBrainStatus, searchThoughts } from '../dist/index.js'
import { PostgresStore } from '../dist/openbrain/postgres/store.js'
import { readSettings } from '../dist/openbrain/settings.js'
import { freshMemory, isWindows } from './support/memory.mjs'
import { startOpenBrain } from './support/openbrain-server/server.mjs'
import { comesWithVectors, execute, startPostgres } from './support/postgres.mjs'
import { asking, deleting, storing, thought } from './support/thoughts.mjs'
import { openTlsDoor } from './support/tls-door.mjs'
import { approveStores } from './support/trust.mjs'
import { until } from './support/waiting.mjs'

delete process.env.OPENBRAIN_KEY
delete process.env.PGPASSWORD

let server
before(async () => {
  server = await startPostgres()
})
after(() => server?.close())

function isReal(t) {
  if (server.kind !== 'postgres') t.diagnostic('PGlite cannot show this')
  return server.kind === 'postgres'
}

function configured(memory, url, secret, limits = {}) {
  const settings = { projectName: 'shop', openbrain: { url, ...limits }, embedder: { kind: 'none' } }
  writeFileSync(join(memory.project, '.forge.json'), JSON.stringify(settings))
  captureMemory({ type: 'lesson', body: 'a thought worth keeping', tool: 'test' }, memory.options)
  if (secret !== undefined) {
    writeFileSync(memory.forge('secrets.json'), JSON.stringify({ openbrain: { key: secret } }), { mode: 0o600 })
  }
  approveStores(memory.project)
}

/** Lets a role in only by this method. */
async function admitBy(url, role, method) {
  await execute(url, `drop role if exists ${role}`)
  await execute(url, `create role ${role} login password 'right'`)
  const path = join(server.data, 'pg_hba.conf')
  writeFileSync(path, `host all ${role} 127.0.0.1/32 ${method}\n${readFileSync(path, 'utf8')}`)
  await execute(url, 'select pg_reload_conf()')
}

for (const method of ['scram-sha-256', 'md5', 'password']) {
  test(`a server that asks for a password (${method}) which is not set is reported, however long the timeout is`, async (t) => {
    if (!isReal(t)) return
    const url = await server.database()
    const role = `asked_${method.replace(/\W/g, '')}`
    await admitBy(url, role, method)
    const memory = freshMemory(t)
    const guarded = url.replace('openbrain@', `${role}@`)
    configured(memory, guarded, undefined, { timeoutMs: 600_000 })
    const report = await drainOpenBrain(memory.options)
    assert.equal(report.state, 'misconfigured')
    assert.match(report.reason, /requires a password, and none is set: .*secrets\.json.*OPENBRAIN_KEY/)
    configured(memory, guarded, 'wrong')
    const { reason } = await drainOpenBrain(memory.options)
    assert.match(reason, /28P01\): set the right password in \.forge\/secrets\.json$/)
  })
}

test('every other mistake of a first set-up is reported with a hint', async (t) => {
  if (!isReal(t)) return
  const url = await server.database()
  await execute(url, 'create role reader login')
  const mistakes = [
    [url.replace('postgres:', 'mysql:'), /unknown scheme: mysql/],
    [url.replace('openbrain@', 'nobody_such@'), /28000\): create that role/],
    [url.replace(/\/[^/]+$/, '/no_such_database'), /3D000\): create that database/],
    [url.replace('openbrain@', 'reader@'), /42501\): let an administrator run forge-memory store init/],
    [`${url}?sslmode=verify-full`, /does not support TLS: add \?sslmode=disable/],
    [`${url}?sslmode=sometimes`, /sslmode in openbrain\.url is not one of/],
    [
      `${url}?sslmode=verify-full&sslrootcert=/no/such.pem`,
      /sslrootcert in openbrain\.url names a file that cannot be read/,
    ],
    [
      `${url}?sslmode=verify-full&sslrootcert=/dev/null`,
      /sslrootcert in openbrain\.url names a file that cannot be read/,
    ],
    [`${url}?hostaddr=192.0.2.1`, /has the parameter hostaddr, which is not one of sslmode/],
    [`${url}?host=/tmp`, /names two hosts/],
    ['postgres:///memory?host=one,two', /names several hosts/],
    [url.replace('openbrain@', 'openbrain:secret@'), /carries a password or key/],
  ]
  for (const [wrong, said] of mistakes) {
    const memory = freshMemory(t)
    configured(memory, wrong)
    const report = await drainOpenBrain(memory.options)
    assert.deepEqual([report.state, report.deadLetters, report.queued], ['misconfigured', 0, 1], wrong)
    assert.match(report.reason, said)
  }
})

test('another service at the address is not taken for a database', async (t) => {
  const service = net.createServer((socket) => socket.on('data', () => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')))
  service.listen(0, '127.0.0.1')
  await once(service, 'listening')
  t.after(() => service.close())
  const memory = freshMemory(t)
  configured(memory, `postgres://openbrain@127.0.0.1:${service.address().port}/memory`)
  const report = await drainOpenBrain(memory.options)
  assert.deepEqual([report.state, report.queued], ['misconfigured', 1])
  assert.match(
    report.reason,
    /^postgres:\/\/127\.0\.0\.1:\d+ is not a PostgreSQL server: check host and port in openbrain\.url$/,
  )
  assert.match((await searchThoughts('thought', memory.options)).message, /is not a PostgreSQL server/)
})

/** What a drain says of an address. */
async function reasonOf(t, url) {
  const memory = freshMemory(t)
  configured(memory, url)
  const { state, reason, deadLetters, queued } = await drainOpenBrain(memory.options)
  assert.deepEqual([deadLetters, queued], [0, 1], url)
  return `${state}: ${reason}`
}

test('a certificate of an unknown authority is reported with the setting that names one', async (t) => {
  const door = await openTlsDoor(t, server.port)
  const behind = (await server.database()).replace(`:${server.port}/`, `:${door}/`)
  assert.match(await reasonOf(t, `${behind}?sslmode=verify-full`), /^misconfigured: .*SELF_SIGNED.*\?sslrootcert=/)
  const other = fileURLToPath(new URL('./data/tls/other.pem', import.meta.url))
  const wrong = `${behind}?sslmode=verify-full&sslrootcert=${encodeURIComponent(other)}`
  assert.match(await reasonOf(t, wrong), /^misconfigured: .*: name the file of its authority with \?sslrootcert=/)
})

test('an OpenBrain server behind the wrong scheme is reported with the right one', async (t) => {
  const brain = await startOpenBrain()
  t.after(() => brain.close())
  const secured = brain.rest.replace('http:', 'https:')
  assert.match(await reasonOf(t, secured), /^misconfigured: .*it does not support TLS: use http:\/\//)
})

test('a user who may not create the extension gets a message, and searches by words', async (t) => {
  if (!isReal(t) || !comesWithVectors) return
  const url = await server.database()
  await execute(url, 'create role modest login')
  await execute(url, 'create schema forge_memory authorization modest')
  const modest = { backend: 'postgres', url: new URL(url.replace('openbrain@', 'modest@')), password: undefined }
  const store = new PostgresStore(modest, undefined)
  t.after(() => store.close())
  const { negotiatedAway, semantic } = await store.handshake()
  assert.equal(semantic, false)
  assert.match(
    negotiatedAway.join('\n'),
    /may not create the extension "vector": let an administrator run "create extension vector"/,
  )
  await execute(url, 'create extension vector')
  const later = new PostgresStore(modest, undefined)
  t.after(() => later.close())
  assert.deepEqual((await later.handshake()).negotiatedAway, ['search by meaning: no embedder is set'])
})

test('a socket without a listener is reported with its path', async (t) => {
  if (isWindows) return
  const memory = freshMemory(t)
  configured(memory, `postgres:///memory?host=${memory.folder}`)
  const { problem } = await openBrainStatus(memory.options)
  assert.match(problem, /cannot be reached \(ENOENT\): no server listens at .*\/\.s\.PGSQL\.5432; host= is the folder/)
})

test('a database is reached over IPv6', async (t) => {
  const url = new URL(await server.database())
  const door = net.createServer((socket) => {
    const inner = net.connect(server.port, '127.0.0.1')
    for (const end of [socket, inner]) end.on('error', () => undefined)
    socket.pipe(inner).pipe(socket)
  })
  const isThere = await new Promise((resolve) => {
    door.once('error', () => resolve(false))
    door.listen(0, '::1', () => resolve(true))
  })
  if (!isThere) return t.diagnostic('this machine has no IPv6')
  t.after(() => door.close())
  const memory = freshMemory(t)
  configured(memory, `postgres://openbrain@[::1]:${door.address().port}${url.pathname}`)
  assert.deepEqual((await drainOpenBrain(memory.options)).delivered, 1)
  assert.equal((await searchThoughts('thought', memory.options)).backend, 'postgres')
})

test('a socket and IPv6 are addresses like others', async (t) => {
  const settings = (url) => {
    const memory = freshMemory(t)
    configured(memory, url)
    return readSettings(memory.project)
  }
  assert.equal(settings('postgres://user@[::1]:5433/memory').target.url.hostname, '[::1]')
  if (isWindows || !isReal(t)) return
  const url = new URL(await server.database())
  const memory = freshMemory(t)
  configured(
    memory,
    `postgres://openbrain@${url.pathname}?host=${server.data}&port=${server.port}`.replace('@/', '@localhost/'),
  )
  assert.match((await drainOpenBrain(memory.options)).reason, /names two hosts/)
  configured(memory, `postgres:///${url.pathname.slice(1)}?host=${server.data}&port=${server.port}`)
  // Without a user name, the database uses that of the current user.
  const report = await drainOpenBrain(memory.options)
  assert.match(report.reason ?? report.place, /postgres:\/\/\//)
  process.env.PGUSER = 'openbrain'
  t.after(() => delete process.env.PGUSER)
  const again = await drainOpenBrain(memory.options)
  assert.deepEqual([again.state, again.queued], ['done', 0], again.reason)
  assert.equal((await openBrainStatus(memory.options)).reachable, true)
  assert.equal((await searchThoughts('thought', memory.options)).backend, 'postgres')
})

test('the timeout of the connection check is a setting, and its default suits a slow network', (t) => {
  const memory = freshMemory(t)
  const times = (openbrain) => {
    const url = 'https://brain.example/'
    writeFileSync(join(memory.project, '.forge.json'), JSON.stringify({ openbrain: { url, ...openbrain } }))
    const { reachTimeoutMs, searchTimeoutMs, timeoutMs } = readSettings(memory.project)
    return [reachTimeoutMs, searchTimeoutMs, timeoutMs]
  }
  assert.deepEqual(times({}), [1500, 5000, 10_000])
  assert.deepEqual(times({ reachTimeoutMs: 300, searchTimeoutMs: 700, timeoutMs: 900 }), [300, 700, 900])
  assert.deepEqual(times({ reachTimeoutMs: -1, searchTimeoutMs: 'x' }), [1500, 5000, 10_000])
})

const KILL = "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'forge-memory'"

/** A proxy for the database that once ends all its sessions after a number of messages. */
async function openDoor(t, url, kill) {
  const state = { left: Number.POSITIVE_INFINITY, passed: 0 }
  const door = net.createServer((socket) => {
    const inner = net.connect(server.port, '127.0.0.1')
    for (const end of [socket, inner]) end.on('error', () => undefined)
    inner.pipe(socket)
    socket.on('data', (bytes) => {
      state.passed += 1
      state.left -= 1
      if (state.left !== 0) return void inner.write(bytes)
      inner.write(bytes)
      state.killed = kill().catch(() => undefined)
    })
    socket.on('close', () => inner.destroy())
    inner.on('close', () => socket.destroy())
  })
  door.listen(0, '127.0.0.1')
  await once(door, 'listening')
  t.after(() => door.close())
  const through = new URL(url)
  through.port = String(door.address().port)
  return { state, url: through }
}

test('a database that ends a session at any moment fails one call, and neither the process nor the next one', {
  timeout: 300_000,
}, async (t) => {
  if (!isReal(t)) return
  const url = await server.database()
  const door = await openDoor(t, url, () => execute(url, KILL))
  const work = async (store) => {
    const [kept, forgotten] = [thought('a thought to keep'), thought('a thought to forget')]
    await store.handshake()
    const outcomes = await store.put(storing(kept, forgotten))
    await store.search(asking('thought'))
    await store.embedMissing(10)
    const stop = await store.listen(() => undefined)
    outcomes.push(...(await store.remove(deleting(forgotten.id))))
    await store.count()
    await stop()
    return outcomes.map(({ kind }) => kind)
  }
  const embed = async (texts) => texts.map(() => Float32Array.of(1, 0, 0))
  const embedder = { model: 'test:three', dimensions: async () => 3, embed }
  const attempt = async (left) => {
    door.state.left = left
    door.state.passed = 0
    const store = new PostgresStore({ backend: 'postgres', url: door.url, password: undefined }, embedder, 5000)
    const ended = await work(store).catch((error) => assert.equal(error.name, 'StoreFailure', String(error)))
    await store.close()
    // The order to end the session may come late: the next session is not meant.
    await door.state.killed
    return ended
  }
  // The first one sets up the schema; what the second one says is what all others say.
  await attempt(Number.POSITIVE_INFINITY)
  assert.deepEqual(await attempt(Number.POSITIVE_INFINITY), ['delivered', 'delivered', 'gone'])
  const messages = door.state.passed
  assert.ok(messages > 8, `${messages} messages`)
  for (let left = 1; left <= messages; left += 1) await attempt(left)
  assert.deepEqual(await attempt(Number.POSITIVE_INFINITY), ['delivered', 'delivered', 'gone'])
})

test('a session that is ended while it waits for the lock of the schema fails one call, and not the process', async (t) => {
  if (!isReal(t)) return
  const url = await server.database()
  const { default: pg } = await import('pg')
  const holder = new pg.Client(url)
  holder.on('error', () => undefined)
  await holder.connect()
  t.after(() => holder.end())
  await holder.query('begin')
  await holder.query('select pg_advisory_xact_lock(7306412001)')
  const store = new PostgresStore({ backend: 'postgres', url: new URL(url), password: undefined }, undefined, 20_000)
  t.after(() => store.close())
  const waiting = store.handshake().then(
    () => assert.fail('the lock was held'),
    (error) => error,
  )
  const isWaiting =
    "select 1 from pg_stat_activity where application_name = 'forge-memory' and wait_event_type = 'Lock'"
  await until(async () => (await execute(url, isWaiting)).length > 0, 'it waits')
  await execute(url, KILL)
  assert.deepEqual([(await waiting).name, (await waiting).kind], ['StoreFailure', 'busy'])
  await holder.query('rollback')
  assert.equal((await store.handshake()).dialect, 'postgres')
})

test('a pooler that refuses a parameter of the session is used without it', async (t) => {
  const url = await server.database()
  const refused = Buffer.from('SFATAL\0C08P01\0Munsupported startup parameter: statement_timeout\0\0')
  const head = Buffer.alloc(5)
  head.write('E')
  head.writeInt32BE(refused.length + 4, 1)
  let refusals = 0
  const pooler = net.createServer((socket) => {
    socket.on('error', () => undefined)
    socket.once('data', (first) => {
      if (first.includes('statement_timeout')) {
        refusals += 1
        return void socket.end(Buffer.concat([head, refused]))
      }
      const inner = net.connect(server.port, '127.0.0.1')
      inner.on('error', () => socket.destroy())
      inner.write(first)
      socket.pipe(inner).pipe(socket)
    })
  })
  pooler.listen(0, '127.0.0.1')
  await once(pooler, 'listening')
  t.after(() => pooler.close())
  const through = new URL(url)
  through.port = String(pooler.address().port)
  const store = new PostgresStore({ backend: 'postgres', url: through, password: undefined }, undefined, 5000)
  t.after(() => store.close())
  assert.equal((await store.handshake()).dialect, 'postgres')
  assert.equal(await store.count(), 0)
  assert.equal(refusals, 1)
})
