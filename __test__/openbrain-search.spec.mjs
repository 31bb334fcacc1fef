import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import net from 'node:net'
import { join } from 'node:path'
import test from 'node:test'
import { captureMemory, captureThought, drainOpenBrain, editMemory, forget, searchThoughts } from '../dist/index.js'
import './support/loopback-only.cjs'
import { startEmbedder } from './support/embedder-server.mjs'
import { freshMemory } from './support/memory.mjs'
import { startOpenBrain } from './support/openbrain-server/server.mjs'
import { freePort } from './support/postgres.mjs'
import { approveStores } from './support/trust.mjs'

delete process.env.OPENBRAIN_KEY

/** Only to end what hangs; the time-out of a store is longer in these tests. */
const HANG_MS = 120_000

function configured(memory, settings) {
  writeFileSync(join(memory.project, '.forge.json'), JSON.stringify({ projectName: 'shop', ...settings }))
  approveStores(memory.project)
}

const ids = ({ thoughts }) => thoughts.map(({ id }) => id)

test('a thought that is captured is queued, and a duplicate of it is not queued again', async (t) => {
  const memory = freshMemory(t)
  const first = await captureThought({ content: 'never mock the clock', tags: ['tests'] }, memory.options)
  assert.deepEqual(Object.keys(first).sort(), ['id', 'queued'])
  assert.equal(first.queued, true)
  const second = await captureThought({ content: 'never mock the clock' }, memory.options)
  assert.deepEqual(second, { id: first.id, queued: false })
  await assert.rejects(captureThought({ content: '  ' }, memory.options), { code: 'INVALID_INPUT' })
})

test('records forgotten or replaced here are not found, even before the store knows', async (t) => {
  const memory = freshMemory(t)
  configured(memory, {})
  const capture = (body) => captureMemory({ type: 'lesson', body, tool: 'test' }, memory.options).id
  const [kept, forgotten, edited] = [
    capture('deploy note alpha'),
    capture('deploy note bravo'),
    capture('deploy note charlie'),
  ]
  await drainOpenBrain(memory.options)
  assert.equal((await searchThoughts('deploy note', memory.options)).thoughts.length, 3)
  forget(forgotten, memory.options)
  const revision = editMemory(edited, { body: 'deploy note delta' }, memory.options)
  // The revision waits to be delivered, and is found.
  assert.deepEqual(ids(await searchThoughts('deploy note', memory.options)).sort(), [kept, revision.id].sort())
  await drainOpenBrain(memory.options)
  assert.deepEqual(ids(await searchThoughts('deploy note', memory.options)).sort(), [kept, revision.id].sort())
})

test('only the beginning of a query counts, as in recall', async (t) => {
  const memory = freshMemory(t)
  configured(memory, {})
  captureMemory({ type: 'lesson', body: 'deploy note alpha', tool: 'test' }, memory.options)
  await drainOpenBrain(memory.options)
  const found = async (query) => (await searchThoughts(query, memory.options)).thoughts.length
  const filler = 'filler '.repeat(2000)
  assert.equal(await found(`${filler} deploy note alpha`), 1)
  assert.equal(await found(`${filler.repeat(2)} deploy note alpha`), 0)
  assert.equal(await found('x'.repeat(2 ** 29 - 24)), 0)
  for (const nothing of [7, null, {}, ['deploy']]) assert.equal(await found(nothing), 0)
})

test('project, type, since and limit narrow the search, and wrong ones are refused', async (t) => {
  const memory = freshMemory(t)
  configured(memory, {})
  const capture = (body, extra) => captureMemory({ type: 'lesson', body, tool: 'test', ...extra }, memory.options).id
  const [mine, theirs, gotcha] = [
    capture('cache keys need one version'),
    capture('cache entries want two owners', { project: 'bank' }),
    capture('cache misses hit three times', { type: 'gotcha' }),
  ]
  await drainOpenBrain(memory.options)
  const find = async (extra) => ids(await searchThoughts('cache', { ...memory.options, ...extra })).sort()
  assert.deepEqual(await find({}), [mine, theirs, gotcha].sort())
  assert.deepEqual(await find({ project: 'bank' }), [theirs])
  assert.deepEqual(await find({ type: 'gotcha' }), [gotcha])
  assert.deepEqual(await find({ since: '2099-01-01' }), [])
  assert.equal((await find({ since: '1d', limit: 2 })).length, 2)
  for (const wrong of [{ since: 'yesterday' }, { limit: 0 }, { limit: Number.NaN }]) {
    await assert.rejects(searchThoughts('cache', { ...memory.options, ...wrong }), { code: 'INVALID_INPUT' })
  }
})

test('a search is semantic with an embedder, and lexical without', async (t) => {
  const memory = freshMemory(t)
  const embedder = await startEmbedder()
  t.after(() => embedder.close())
  configured(memory, { embedder: { kind: 'ollama', url: embedder.url, model: 'test' } })
  const { id } = captureMemory(
    { type: 'lesson', body: 'reset the password after three failures', tool: 'test' },
    memory.options,
  )
  await drainOpenBrain(memory.options)
  const answer = await searchThoughts('login', memory.options)
  assert.deepEqual([answer.backend, answer.semantic, ids(answer)], ['embedded', true, [id]])
  embedder.state.fault = { status: 503, body: {} }
  const lexical = await searchThoughts('password', memory.options)
  assert.deepEqual([lexical.semantic, ids(lexical)], [false, [id]])
  assert.match(lexical.message, /^searched by words only: the embedder at http:\/\/127\.0\.0\.1:\d+ is busy/)
})

/** Listens and never answers, with a queue so short that further connections are not even taken. */
async function listenSilently(t) {
  const silent = { port: 0, connections: 0 }
  const server = net.createServer(() => {
    silent.connections += 1
  })
  server.listen({ port: 0, host: '127.0.0.1', backlog: 1 })
  await once(server, 'listening')
  t.after(() => server.close())
  silent.port = server.address().port
  return silent
}

/** A port that takes no connection any more: its queue is full, and the process that listens takes nothing from it. */
async function fullPort(t) {
  const program = `const server = require('node:net').createServer().listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => {
    require('node:fs').writeSync(1, String(server.address().port))
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
  })`
  const child = spawn(process.execPath, ['-e', program], { stdio: ['ignore', 'pipe', 'inherit'] })
  t.after(() => child.kill('SIGKILL'))
  const port = Number((await once(child.stdout, 'data'))[0])
  const waiting = Array.from({ length: 8 }, () => net.connect(port, '127.0.0.1').on('error', () => undefined))
  t.after(() => waiting.map((socket) => socket.destroy()))
  await once(waiting[0], 'connect')
  return port
}

test('a store that cannot be reached falls back to the files long before its time-out, and says so', async (t) => {
  const memory = freshMemory(t)
  const { id } = captureMemory({ type: 'lesson', body: 'never mock the clock', tool: 'test' }, memory.options)
  configured(memory, { openbrain: { url: 'file' } })
  await searchThoughts('mock', memory.options)
  const full = await fullPort(t)
  const addresses = [
    `http://127.0.0.1:${await freePort()}`,
    `http://127.0.0.1:${full}`,
    `postgres://me@127.0.0.1:${full}/db`,
    'https://no-such-host.invalid',
  ]
  for (const url of addresses) {
    configured(memory, { openbrain: { url, timeoutMs: 600_000 } })
    const started = performance.now()
    const answer = await searchThoughts('mock', memory.options)
    const took = performance.now() - started
    assert.deepEqual([answer.backend, answer.semantic, ids(answer)], ['files', false, [id]], url)
    assert.match(answer.message, /^answered by the project's own files: .* cannot be reached \(.+\)$/)
    assert.ok(took < HANG_MS, `${url}: ${took} ms`)
    t.diagnostic(`${url}: ${took.toFixed(0)} ms (${answer.message.slice(36)})`)
  }
})

test('a store that accepts the connection but does not respond times out after a few seconds', async (t) => {
  const memory = freshMemory(t)
  const { id } = captureMemory({ type: 'lesson', body: 'never mock the clock', tool: 'test' }, memory.options)
  const silent = await listenSilently(t)
  configured(memory, { openbrain: { url: `http://127.0.0.1:${silent.port}`, timeoutMs: 300 } })
  const answer = await searchThoughts('mock', memory.options)
  assert.deepEqual([answer.backend, ids(answer)], ['files', [id]])
  const asked = silent.connections
  await searchThoughts('mock', memory.options)
  assert.equal(silent.connections, asked, 'the second search does not ask again')
})

test('thoughts of other projects and programs are found through a server', async (t) => {
  const memory = freshMemory(t)
  const server = await startOpenBrain()
  t.after(() => server.close())
  configured(memory, { openbrain: { url: server.rest } })
  server.brain.capture({ content: 'somebody else wrote this', project: 'bank', metadata: { type: 'decision' } })
  const { thoughts, backend, semantic } = await searchThoughts('somebody wrote', memory.options)
  assert.deepEqual([backend, semantic, thoughts.length], ['remote', true, 1])
  assert.match(thoughts[0].id, /^openbrain_[0-9a-f]{24}$/)
  assert.equal(thoughts[0].type, 'decision')
})
