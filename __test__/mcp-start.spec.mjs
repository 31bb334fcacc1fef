import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import test from 'node:test'
import { SUPPORTED_PROTOCOL_VERSIONS } from '@modelcontextprotocol/server'
import { freshCommand } from './support/command.mjs'
import { call, connectWithin, TOOLS } from './support/mcp.mjs'

const INITIALIZE = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1.0.0' } },
}

/** Says on stderr, at every answer, which files are loaded by then. */
const WITNESS = `const { write } = process.stdout
process.stdout.write = function (...args) {
  console.error(JSON.stringify(Object.keys(require.cache)))
  return write.apply(this, args)
}`

/** Starts the server, and returns a function that sends a line and waits for its answer. */
function start(t, command, { node = [], words = [] } = {}) {
  const args = [...node, command.program, 'mcp', ...words]
  const server = spawn(process.execPath, args, { cwd: command.project, env: command.env(), stdio: 'pipe' })
  t.after(() => server.kill('SIGKILL'))
  const lines = createInterface({ input: server.stdout })[Symbol.asyncIterator]()
  const answer = async () => JSON.parse((await lines.next()).value)
  const ask = (message) => {
    server.stdin.write(`${JSON.stringify(message)}\n`)
    return answer()
  }
  return { server, answer, ask }
}

const LIST = { jsonrpc: '2.0', id: 2, method: 'tools/list' }

test('initialize is answered before the protocol is loaded, and the first list after opening a few files', async (t) => {
  // A host starts the server without the variable that asks to speak as a person.
  const command = freshCommand(t, { FORGE_AS: '' })
  command.run(['capture', '--type', 'lesson', 'Something that waits for the shared memory.'])
  const witness = join(command.folder, 'witness.cjs')
  writeFileSync(witness, WITNESS)
  const { server, ask } = start(t, command, { node: ['--require', witness] })
  const loaded = createInterface({ input: server.stderr })[Symbol.asyncIterator]()
  const nextLoaded = async () => JSON.parse((await loaded.next()).value).map((file) => file.replaceAll('\\', '/'))

  const first = await ask(INITIALIZE)
  assert.equal(first.result.serverInfo.name, 'forge-memory')
  assert.deepEqual(
    (await nextLoaded()).filter((file) => /dist\/mcp\//.test(file)),
    [],
  )
  const { result } = await ask(LIST)
  assert.equal(result.tools.length, 6)
  const files = await nextLoaded()
  assert.ok(files.some((file) => file.endsWith('dist/mcp/index.js')))
  // What the first searches need may be there already.
  const unwanted = files.filter((file) =>
    /node_modules|mcp\/(http|tools)\.js|dist\/(anvil|api|hub|shared)\/|openbrain\/(database|protocol)\.js/.test(file),
  )
  assert.deepEqual(unwanted, [])
  assert.ok(files.length <= 20, files.join('\n'))
})

/** Says on stderr which files are loaded, and when a request comes and is answered. */
const TIMELINE = `const Module = require('node:module')
const { write } = process.stdout
const { parse } = JSON
const load = Module._load
const seen = new Set(Object.keys(require.cache))
Module._load = (...args) => {
  const loaded = load(...args)
  for (const file of Object.keys(require.cache)) {
    if (!seen.has(file) && seen.add(file)) console.error('loaded ' + file.replaceAll('\\\\', '/'))
  }
  return loaded
}
JSON.parse = (text, ...more) => {
  const { jsonrpc, method } = Object(parse(text, ...more))
  if (jsonrpc !== undefined) console.error('asked ' + method)
  return parse(text, ...more)
}
process.stdout.write = (...args) => {
  console.error('answered')
  return write.apply(process.stdout, args)
}`

/** Starts the server, and returns a function that waits for a line of its timeline, and returns the lines up to it. */
function startWithTimeline(t) {
  const command = freshCommand(t, { FORGE_AS: '' })
  const timeline = join(command.folder, 'timeline.cjs')
  writeFileSync(timeline, TIMELINE)
  const started = start(t, command, { node: ['--require', timeline] })
  const lines = createInterface({ input: started.server.stderr })[Symbol.asyncIterator]()
  const seenUntil = async (last) => {
    const seen = []
    for (let line = ''; !last.test(line); seen.push(line)) line = (await lines.next()).value
    return seen
  }
  return { ...started, command, seenUntil }
}

const SEARCH = /loaded .*openbrain\/client\/search\.js$/

test('requests that have come are answered before the library of the first call is loaded', async (t) => {
  const { server, answer, seenUntil } = startWithTimeline(t)
  server.stdin.write(`${JSON.stringify(INITIALIZE)}\n${JSON.stringify(LIST)}\n`)
  assert.deepEqual([(await answer()).id, (await answer()).id], [1, 2])
  const seen = (await seenUntil(SEARCH)).filter((line) => !/loaded(?!.*openbrain\/)/.test(line))
  assert.deepEqual(seen.slice(0, seen.lastIndexOf('answered') + 1), [
    'asked initialize',
    'answered',
    'asked initialize',
    'asked tools/list',
    'answered',
  ])
  server.stdin.end()
})

test('the first call of a tool finds its library loaded, and nothing was opened for it', async (t) => {
  const { server, ask, command, seenUntil } = startWithTimeline(t)
  await ask(INITIALIZE)
  await seenUntil(/^answered$/)
  // No request has come since: the server loads by itself.
  const loaded = await seenUntil(SEARCH)
  assert.ok(loaded.some((line) => line.endsWith('openbrain/client/team.js')))
  assert.deepEqual(
    loaded.filter((line) => !line.startsWith('loaded ')).filter((line) => line !== 'asked initialize'),
    [],
  )
  assert.deepEqual([existsSync(command.home), existsSync(join(command.project, '.forge'))], [false, false])
  for (const [id, name] of ['memory_recall', 'search_thoughts'].entries()) {
    const { result } = await ask({
      jsonrpc: '2.0',
      id: id + 2,
      method: 'tools/call',
      params: { name, arguments: { query: 'pool' } },
    })
    assert.equal(result.isError, undefined)
    const during = await seenUntil(/^answered$/)
    assert.deepEqual(during.slice(during.indexOf('asked tools/call')), ['asked tools/call', 'answered'], name)
  }
  server.stdin.end()
})

/** `--tools core` gives the same tools, and its answer comes from the protocol library. */
const FROM_LIBRARY = { words: ['--tools', 'core'] }

const initialize = (params, id = 1) => ({ ...INITIALIZE, id, params: { ...INITIALIZE.params, ...params } })

test('the early answer is that of the protocol library', async (t) => {
  const command = freshCommand(t)
  const versions = [...SUPPORTED_PROTOCOL_VERSIONS, '1999-01-01']
  const requests = [
    ...versions.map((protocolVersion) => initialize({ protocolVersion })),
    initialize({ capabilities: { roots: { listChanged: true }, elicitation: {} } }, 'a text'),
    initialize({ protocolVersion: 7 }),
    initialize({ capabilities: { roots: 'all' } }),
    initialize({ clientInfo: undefined }),
    { ...INITIALIZE, params: undefined },
  ]
  for (const request of requests) {
    const [early, late] = [start(t, command), start(t, command, FROM_LIBRARY)]
    assert.deepEqual(await early.ask(request), await late.ask(request), JSON.stringify(request))
    assert.deepEqual(await early.ask(LIST), await late.ask(LIST), JSON.stringify(request))
    early.server.stdin.end()
    late.server.stdin.end()
  }
})

for (const protocolVersion of [undefined, 7, null]) {
  test(`initialize with the version ${protocolVersion} is invalid, in one line`, async (t) => {
    const { server, ask } = start(t, freshCommand(t))
    const { error } = await ask(initialize({ protocolVersion }))
    assert.equal(error.code, -32_602)
    assert.match(error.message, /^params\.protocolVersion: expected string, received (undefined|number|null)$/)
    // The server goes on.
    const { result } = await ask(initialize({}, 2))
    assert.deepEqual(result.capabilities, {
      tools: { listChanged: false },
      resources: { listChanged: false },
      prompts: { listChanged: false },
    })
    server.stdin.end()
  })
}

test('a request in pieces is answered once, and so is one that is sent with those after it', async (t) => {
  const command = freshCommand(t)
  const { server, answer } = start(t, command)
  const text = `${JSON.stringify(INITIALIZE)}\n`
  server.stdin.write(text.slice(0, 40))
  // A later turn, so that the pieces are two reads for the server, or one: both are right.
  await new Promise((resolve) => setImmediate(resolve))
  server.stdin.write(text.slice(40))
  assert.equal((await answer()).id, 1)
  const both = start(t, command)
  both.server.stdin.end(`${text}${JSON.stringify(LIST)}\n`)
  assert.deepEqual([(await both.answer()).id, (await both.answer()).id], [1, 2])
  const [code] = await once(both.server, 'exit')
  assert.equal(code, 0)
})

test('a server whose input has ended before its first request ends', async (t) => {
  const { server } = start(t, freshCommand(t))
  server.stdin.end()
  const [code] = await once(server, 'exit')
  assert.equal(code, 0)
})

test('a server is connected to a transport of the caller', async (t) => {
  const client = await connectWithin(t, freshCommand(t))
  assert.equal((await client.listTools()).tools.length, TOOLS.length)
  assert.equal((await call(client, 'capture_thought', { content: 'The pool is closed last.' })).captured, true)
})
