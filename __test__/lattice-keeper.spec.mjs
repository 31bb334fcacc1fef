// The index that `serve` keeps fresh: a real server in a process of its own, and real changes of files.
import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { latticeIndex, latticeQuery } from '../dist/index.js'
import { freshMemory } from './support/memory.mjs'
import { startChild } from './support/processes.mjs'
import { until } from './support/waiting.mjs'

async function startServer(t, memory) {
  const child = startChild(t, 'server', memory, { watch: true })
  await child.ready()
  child.go()
  const { origin, token } = await child.said('address')
  const call = async (method, path, body) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    const response = await fetch(origin + path, { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) })
    return { status: response.status, body: await response.json() }
  }
  const stop = () => {
    child.tell({ stop: true })
    return child.result()
  }
  const keeper = async () => (await call('GET', '/health')).body.lattice
  return { origin, call, keeper, stop }
}

/** A keeper at work elsewhere: what it has noticed and done since, this project's keeper has had the time to do as well. */
async function startOther(t, { folder, home }) {
  const project = join(folder, 'elsewhere')
  const memory = { project, home, options: { projectDir: project } }
  write(memory, 'a.js', 'function begun() {}\n')
  await latticeIndex(memory.options)
  const server = await startServer(t, memory)
  await until(async () => (await server.keeper()).running, 'the other keeper watches')
  let changes = 0
  return {
    stop: server.stop,
    hasWorked: async () => {
      changes += 1
      write(memory, 'a.js', `function changed${changes}() {}\n`)
      await until(() => found(memory, `changed${changes}`), 'the other keeper')
    },
  }
}

function write(memory, path, text) {
  mkdirSync(join(memory.project, path, '..'), { recursive: true })
  writeFileSync(join(memory.project, path), text)
}

const found = (memory, name) =>
  latticeQuery({ ...memory.options, query: name }).chunks.some((chunk) => chunk.name === name && !chunk.stale)

test('while serve runs, a changed, a new and a deleted file are in the index without anybody asking', async (t) => {
  const memory = freshMemory(t)
  write(memory, 'src/a.js', 'export function early() {}\n')
  await latticeIndex(memory.options)
  const server = await startServer(t, memory)
  await until(async () => (await server.keeper()).running, 'the keeper watches')
  write(memory, 'src/a.js', 'export function early() {}\nexport function late() { early() }\n')
  await until(() => found(memory, 'late'), 'the changed file')
  write(memory, 'lib/deep/b.py', 'def brandnew():\n    pass\n')
  await until(() => found(memory, 'brandnew'), 'the new file')
  rmSync(join(memory.project, 'lib/deep/b.py'))
  await until(() => latticeQuery({ ...memory.options, query: 'brandnew' }).total === 0, 'the deleted file')
  const callers = await server.call('GET', '/api/lattice/callers?name=early')
  assert.deepEqual(
    callers.body.chunks.map(({ name }) => name),
    ['late'],
  )
  const events = readFileSync(memory.forge('hub-events.jsonl'), 'utf8')
  assert.match(events, /"lattice-indexed"/)
  await server.stop()
})

test('writes of the index and of ignored files start no run', async (t) => {
  const memory = freshMemory(t)
  write(memory, '.gitignore', 'build/\n')
  write(memory, 'a.js', 'function one() {}\n')
  await latticeIndex(memory.options)
  const server = await startServer(t, memory)
  await until(async () => (await server.keeper()).runs === 1, 'the first run')
  const elsewhere = await startOther(t, memory)
  const { mtimeMs } = statSync(memory.forge('lattice', 'graph.bin'))
  write(memory, 'build/out.js', 'function built() {}\n')
  write(memory, '.forge/lattice/other.js', 'function inside() {}\n')
  await elsewhere.hasWorked()
  assert.equal((await server.keeper()).runs, 1)
  assert.equal(statSync(memory.forge('lattice', 'graph.bin')).mtimeMs, mtimeMs)
  await elsewhere.stop()
  await server.stop()
})

test('no index is built before a user builds one or the settings ask for it', async (t) => {
  const memory = freshMemory(t)
  write(memory, 'a.js', 'function one() {}\n')
  const server = await startServer(t, memory)
  const elsewhere = await startOther(t, memory)
  await elsewhere.hasWorked()
  write(memory, 'a.js', 'function two() {}\n')
  await elsewhere.hasWorked()
  assert.equal(existsSync(memory.forge('lattice', 'meta.json')), false)
  const made = await server.call('POST', '/api/lattice/index', {})
  assert.deepEqual([made.status, made.body.filesChanged], [200, 1])
  await until(async () => (await server.keeper()).running, 'the keeper begins')
  write(memory, 'a.js', 'function three() {}\n')
  await until(() => found(memory, 'three'), 'the change')
  await elsewhere.stop()
  await server.stop()

  const other = freshMemory(t)
  write(other, 'a.js', 'function wanted() {}\n')
  writeFileSync(join(other.project, '.forge.json'), '{ "lattice": { "watch": true } }\n')
  const asked = await startServer(t, other)
  await until(() => found(other, 'wanted'), 'an index that the settings ask for')
  await asked.stop()
})

test('the route that indexes needs the token, and takes no field that it does not know', async (t) => {
  const memory = freshMemory(t)
  write(memory, 'a.js', 'function one() {}\n')
  const server = await startServer(t, memory)
  const bare = await fetch(`${server.origin}/api/lattice/index`, { method: 'POST' })
  assert.equal(bare.status, 401)
  const odd = await server.call('POST', '/api/lattice/index', { force: true })
  assert.deepEqual([odd.status, odd.body.error.code], [400, 'INVALID_INPUT'])
  const outside = await server.call('POST', '/api/lattice/index', { paths: ['../elsewhere'] })
  assert.deepEqual([outside.status, outside.body.error.code], [400, 'ERR_LATTICE_PATH_OUTSIDE_REPO'])
  assert.equal(existsSync(memory.forge('lattice', 'meta.json')), false)
  await server.stop()
})
