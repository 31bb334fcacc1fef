import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import net from 'node:net'
import { join } from 'node:path'
import test, { after, before } from 'node:test'
import { captureMemory, drainOpenBrain, openBrainStatus, searchThoughts } from '../dist/index.js'
import { PostgresStore } from '../dist/openbrain/postgres/store.js'
import { readSettings } from '../dist/openbrain/settings.js'
import { freshMemory, isWindows } from './support/memory.mjs'
import { execute, startPostgres } from './support/postgres.mjs'
import { asking, deleting, storing, thought } from './support/thoughts.mjs'
import { approveStores } from './support/trust.mjs'

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

function configured(memory, url, secret) {
  const settings = { projectName: 'shop', openbrain: { url }, embedder: { kind: 'none' } }
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
  test(`a server that asks for a password (${method}) which nobody set is told of at once`, async (t) => {
    if (!isReal(t)) return
    const url = await server.database()
    const role = `asked_${method.replace(/\W/g, '')}`
    await admitBy(url, role, method)
    const memory = freshMemory(t)
    const guarded = url.replace('openbrain@', `${role}@`)
    configured(memory, guarded)
    const started = performance.now()
    const report = await drainOpenBrain(memory.options)
    assert.ok(performance.now() - started < 8000, 'less than any time-out')
    assert.equal(report.state, 'misconfigured')
    assert.match(report.reason, /requires a password, and none is set: .*secrets\.json.*OPENBRAIN_KEY/)
    configured(memory, guarded, 'wrong')
    assert.match((await drainOpenBrain(memory.options)).reason, /28P01\): set the right password/)
  })
}

test('every other mistake of a first set-up is told with what to do about it', async (t) => {
  if (!isReal(t)) return
  const url = await server.database()
  await execute(url, 'create role reader login')
  const mistakes = [
    [url.replace('postgres:', 'mysql:'), /unknown scheme: mysql/],
    [url.replace('openbrain@', 'nobody_such@'), /28000\): create that role/],
    [url.replace(/\/[^/]+$/, '/no_such_database'), /3D000\): create that database/],
    [url.replace('openbrain@', 'reader@'), /42501\): grant the user create/],
    [`${url}?sslmode=verify-full`, /speaks no TLS: add \?sslmode=disable/],
    [`${url}?sslmode=sometimes`, /sslmode in openbrain\.url is none of/],
    [`${url}?sslmode=verify-full&sslrootcert=/no/such.pem`, /sslrootcert in openbrain\.url names no file/],
    [`${url}?sslmode=verify-full&sslrootcert=/dev/null`, /sslrootcert in openbrain\.url names no file/],
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

test('another service at the address is no database', async (t) => {
  const service = net.createServer((socket) => socket.on('data', () => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')))
  service.listen(0, '127.0.0.1')
  await once(service, 'listening')
  t.after(() => service.close())
  const memory = freshMemory(t)
  configured(memory, `postgres://openbrain@127.0.0.1:${service.address().port}/memory`)
  const report = await drainOpenBrain(memory.options)
  assert.notEqual(report.state, 'done')
  assert.equal(report.queued, 1)
  assert.match(report.reason, /^postgres:\/\/127\.0\.0\.1:\d+/)
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
  // Without a user the database takes the name of whoever runs this.
  const report = await drainOpenBrain(memory.options)
  assert.match(report.reason ?? report.place, /postgres:\/\/\//)
  process.env.PGUSER = 'openbrain'
  t.after(() => delete process.env.PGUSER)
  const again = await drainOpenBrain(memory.options)
  assert.deepEqual([again.state, again.queued], ['done', 0], again.reason)
  assert.equal((await openBrainStatus(memory.options)).reachable, true)
  assert.equal((await searchThoughts('thought', memory.options)).backend, 'postgres')
})

test('how long the question whether anybody is there may take is a setting, and longer than a slow network needs', (t) => {
  const memory = freshMemory(t)
  const times = (openbrain) => {
    writeFileSync(join(memory.project, '.forge.json'), JSON.stringify({ openbrain: { url: 'file', ...openbrain } }))
    const { reachTimeoutMs, searchTimeoutMs, timeoutMs } = readSettings(memory.project)
    return [reachTimeoutMs, searchTimeoutMs, timeoutMs]
  }
  assert.deepEqual(times({}), [1500, 5000, 10_000])
  assert.deepEqual(times({ reachTimeoutMs: 300, searchTimeoutMs: 700, timeoutMs: 900 }), [300, 700, 900])
  assert.deepEqual(times({ reachTimeoutMs: -1, searchTimeoutMs: 'x' }), [1500, 5000, 10_000])
})

const KILL = "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'forge-memory'"

/** A door before the database that, once, ends all its sessions when so many messages have passed. */
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
      kill().catch(() => undefined)
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
    await store.handshake()
    await store.put([storing(thought(1)), storing(thought(2))])
    await store.search(asking('thought'))
    const stop = await store.listen(() => undefined)
    await store.remove([deleting(thought(2).id)])
    await store.count()
    await stop()
  }
  const attempt = async (left) => {
    door.state.left = left
    door.state.passed = 0
    const store = new PostgresStore({ backend: 'postgres', url: door.url, password: undefined }, undefined, 5000)
    await work(store).catch((error) => assert.equal(error.name, 'StoreFailure', String(error)))
    await store.close()
  }
  await attempt(Number.POSITIVE_INFINITY)
  const messages = door.state.passed
  assert.ok(messages > 8, `${messages} messages`)
  for (let left = 1; left <= messages; left += 1) await attempt(left)
  await attempt(Number.POSITIVE_INFINITY)
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
  for (let tries = 0; (await execute(url, isWaiting)).length === 0; tries += 1) {
    assert.ok(tries < 400, 'it does not wait')
    await new Promise((next) => setTimeout(next, 20))
  }
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
