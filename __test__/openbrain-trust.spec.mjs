import assert from 'node:assert/strict'
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import {
  captureMemory,
  createDrainWorker,
  drainOpenBrain,
  openBrainStatus,
  queueStatus,
  searchThoughts,
  trustOpenBrain,
  untrustedOpenBrain,
} from '../dist/index.js'
import { freshCommand, json } from './support/command.mjs'
import { startEmbedder } from './support/embedder-server.mjs'
import { freshMemory, isWindows } from './support/memory.mjs'
import { startOpenBrain } from './support/openbrain-server/server.mjs'
import { until } from './support/waiting.mjs'

delete process.env.OPENBRAIN_KEY
delete process.env.FORGE_OPENBRAIN_URL

/** Writes files like those of a cloned repository. */
function cloned(project, files) {
  for (const [path, value] of Object.entries(files)) {
    mkdirSync(join(project, path, '..'), { recursive: true })
    writeFileSync(join(project, path), JSON.stringify(value))
  }
}

async function served(t) {
  const server = await startOpenBrain()
  t.after(() => server.close())
  return server
}

const capture = ({ options }, body = 'never mock the clock') =>
  captureMemory({ type: 'lesson', body, tool: 'test' }, options).id

const NOT_APPROVED =
  /127\.0\.0\.1:\d+ is named by the project's files and not approved on this machine: forge-memory drain --trust/

test('a server that a cloned project names gets nothing, not even a connection, before the user approves it', async (t) => {
  const memory = freshMemory(t)
  const server = await served(t)
  let connections = 0
  server.state.sockets.add = () => {
    connections += 1
    return server.state.sockets
  }
  for (const files of [
    { '.forge.json': { openbrain: { url: server.rest } } },
    { '.forge.json': {}, '.mcp.json': { mcpServers: { openbrain: { url: server.sse } } } },
  ]) {
    cloned(memory.project, files)
    const id = capture(memory, `a note for ${Object.keys(files)}`)
    const report = await drainOpenBrain(memory.options)
    assert.deepEqual([report.state, report.attempted, report.deadLetters], ['misconfigured', 0, 0])
    assert.match(report.reason, NOT_APPROVED)
    const status = await openBrainStatus(memory.options)
    assert.deepEqual([status.backend, status.reachable, status.untrusted.length], ['remote', false, 1])
    assert.match(status.problem, NOT_APPROVED)
    const found = await searchThoughts('note', memory.options)
    assert.equal(found.backend, 'files')
    assert.match(found.message, NOT_APPROVED)
    assert.ok(found.thoughts.some((thought) => thought.id === id))
  }
  assert.deepEqual([connections, server.state.requests.length, server.brain.rows.length], [0, 0, 0])
})

test('approved records are delivered, for this project and this address only', async (t) => {
  const memory = freshMemory(t)
  const [server, other] = [await served(t), await served(t)]
  cloned(memory.project, { '.forge.json': { openbrain: { url: server.rest } } })
  capture(memory)
  assert.deepEqual(await trustOpenBrain(memory.options), [`${server.rest}/`])
  assert.deepEqual([await trustOpenBrain(memory.options), await untrustedOpenBrain(memory.options)], [[], []])
  assert.equal((await drainOpenBrain(memory.options)).state, 'done')
  assert.equal(server.brain.rows.length, 1)
  const neighbour = join(memory.folder, 'neighbour')
  cloned(neighbour, { '.forge.json': { openbrain: { url: server.rest } } })
  assert.deepEqual(await untrustedOpenBrain({ projectDir: neighbour }), [`${server.rest}/`])
  for (const url of [other.rest, `${server.rest}/elsewhere`, `${server.rest}/?to=elsewhere`]) {
    cloned(memory.project, { '.forge.json': { openbrain: { url } } })
    assert.equal((await untrustedOpenBrain(memory.options)).length, 1, url)
  }
})

test('an approval is a file of the user, and one that others can write is ignored', async (t) => {
  if (isWindows) return
  const memory = freshMemory(t)
  cloned(memory.project, { '.forge.json': { openbrain: { url: 'postgres://me@db.example/base?sslmode=no-verify' } } })
  assert.deepEqual(await trustOpenBrain(memory.options), ['postgres://db.example/base?sslmode=no-verify'])
  const folder = join(memory.home, 'trusted-stores')
  const [name, ...more] = readdirSync(folder)
  assert.deepEqual([more, statSync(folder).mode & 0o777, statSync(join(folder, name)).mode & 0o777], [[], 0o700, 0o600])
  const { project, address } = JSON.parse(readFileSync(join(folder, name), 'utf8'))
  assert.deepEqual([project, address], [memory.project, 'postgres://db.example/base?sslmode=no-verify'])
  chmodSync(join(folder, name), 0o622)
  assert.equal((await untrustedOpenBrain(memory.options)).length, 1)
  cloned(memory.project, { '.forge.json': { openbrain: { url: 'postgres://me@db.example/base' } } })
  assert.equal((await untrustedOpenBrain(memory.options)).length, 1, 'without its checks it is another way')
})

test("the user is taken from the environment's own word", async (t) => {
  const memory = freshMemory(t)
  const server = await served(t)
  cloned(memory.project, { '.forge.json': { openbrain: { url: 'https://elsewhere.example' } } })
  process.env.FORGE_OPENBRAIN_URL = server.rest
  t.after(() => delete process.env.FORGE_OPENBRAIN_URL)
  capture(memory)
  const report = await drainOpenBrain(memory.options)
  assert.deepEqual([report.state, report.place, server.brain.rows.length], ['done', server.rest, 1])
  delete process.env.FORGE_OPENBRAIN_URL
  process.env.MY_BRAIN = server.sse
  t.after(() => delete process.env.MY_BRAIN)
  cloned(memory.project, {
    '.forge.json': {},
    '.mcp.json': { mcpServers: { openbrain: { url: ['$', '{env:MY_BRAIN}'].join('') } } },
  })
  const use = 'the address in the environment variable MY_BRAIN'
  assert.deepEqual(await untrustedOpenBrain(memory.options), [use], 'a file of the project chose the variable')
  assert.deepEqual(await trustOpenBrain(memory.options), [use])
  assert.deepEqual(await untrustedOpenBrain(memory.options), [])
})

test('a variable that a cloned project names is read only after the user approved it for that store', async (t) => {
  const memory = freshMemory(t)
  const server = await served(t)
  process.env.AWS_SECRET_TEST = 'wJalrXUtnFEMI-canary'
  t.after(() => delete process.env.AWS_SECRET_TEST)
  const secret = ['$', '{env:AWS_SECRET_TEST}'].join('')
  const named = (url) => ({ '.mcp.json': { mcpServers: { openbrain: { url, headers: { 'x-brain-key': secret } } } } })
  cloned(memory.project, named(server.sse))
  capture(memory)
  const refused = await drainOpenBrain(memory.options)
  assert.equal(refused.state, 'misconfigured')
  assert.doesNotMatch(JSON.stringify(server.state.requests), /canary/)
  const use = `${server.sse} with the header x-brain-key from the environment variable AWS_SECRET_TEST`
  assert.deepEqual((await openBrainStatus(memory.options)).untrusted, [server.sse, use])
  assert.deepEqual(await trustOpenBrain(memory.options), [server.sse, use])
  assert.equal((await drainOpenBrain(memory.options)).state, 'done')
  assert.match(JSON.stringify(server.state.requests.at(-1).headers) + JSON.stringify(server.state.requests), /canary/)
  // The approval is for that store alone.
  const other = await served(t)
  cloned(memory.project, named(other.sse))
  assert.equal((await openBrainStatus(memory.options)).untrusted.length, 2)
})

test('an embedder elsewhere that a cloned project names sees no text before it is approved', async (t) => {
  const memory = freshMemory(t)
  const embedder = await startEmbedder()
  t.after(() => embedder.close())
  // The same server by a name that is not known to be this machine.
  const url = 'http://192.0.2.1:9/v1'
  cloned(memory.project, { '.forge.json': { embedder: { kind: 'openai', url } } })
  capture(memory)
  assert.deepEqual(await untrustedOpenBrain(memory.options), [url])
  const report = await drainOpenBrain(memory.options)
  assert.deepEqual([report.state, report.delivered], ['done', 1])
  const found = await searchThoughts('clock', memory.options)
  assert.deepEqual([found.backend, found.semantic, found.thoughts.length], ['embedded', false, 1])
  assert.match(found.message, /192\.0\.2\.1:9 is named by the project's files and not approved/)
  cloned(memory.project, { '.forge.json': { embedder: { kind: 'ollama', url: embedder.url } } })
  // Any program may listen on this machine, and get the key with the texts.
  process.env.FORGE_EMBEDDER_KEY = 'key-canary'
  t.after(() => delete process.env.FORGE_EMBEDDER_KEY)
  const asked = () => JSON.stringify(embedder.state.requests ?? []).length
  const before = asked()
  for (const [kind, more] of [
    ['ollama', ''],
    ['openai', '/v1'],
  ]) {
    cloned(memory.project, { '.forge.json': { embedder: { kind, url: `${embedder.url}${more}` } } })
    assert.equal((await untrustedOpenBrain(memory.options)).length, 1, kind)
    assert.equal((await searchThoughts('clock', memory.options)).semantic, false)
  }
  assert.equal(asked(), before)
  cloned(memory.project, { '.forge.json': { embedder: { kind: 'ollama' } } })
  assert.deepEqual(
    await untrustedOpenBrain(memory.options),
    ['http://127.0.0.1:11434/'],
    'an address that is not written',
  )
})

test('a worker pauses, burns nothing, and delivers after the approval of another process', async (t) => {
  const memory = freshMemory(t)
  const server = await served(t)
  cloned(memory.project, { '.forge.json': { openbrain: { url: server.rest } } })
  capture(memory)
  const worker = await createDrainWorker({ projectDir: memory.project, intervalMs: 50 })
  t.after(() => worker.stop())
  worker.start()
  await until(() => worker.state === 'paused', 'a pause')
  assert.match(worker.reason, NOT_APPROVED)
  assert.deepEqual([queueStatus(memory.options).queued, server.state.requests.length], [1, 0])
  await trustOpenBrain(memory.options)
  await until(() => server.brain.rows.length === 1, 'a delivery')
})

test('drain --trust approves and delivers; doctor and status report what is not approved', async (t) => {
  const command = freshCommand(t)
  cloned(command.project, { '.forge.json': { openbrain: { url: 'http://127.0.0.1:1' } } })
  json(command, ['capture', '--type', 'lesson', '--tool', 'test', 'never mock the clock'])
  const refused = command.run(['drain'])
  assert.equal(refused.status, 1)
  assert.match(refused.stderr, NOT_APPROVED)
  const told = json(command, ['doctor']).filter(({ code }) => code === 'STORE_NOT_APPROVED')
  assert.deepEqual([told.length, told[0].severity], [1, 'warning'])
  assert.match(command.run(['status']).stdout, /not approved on this machine/)
  const trusted = command.run(['drain', '--trust'])
  assert.match(trusted.stdout, /^Approved http:\/\/127\.0\.0\.1:1\/ for this project\.\n/)
  assert.match(trusted.stderr, /cannot be reached/)
  assert.equal(existsSync(join(command.home, 'trusted-stores')), true)
  assert.deepEqual(
    json(command, ['doctor']).filter(({ code }) => code === 'STORE_NOT_APPROVED'),
    [],
  )
})
