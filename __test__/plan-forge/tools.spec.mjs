// The surfaces of the older tool: MCP tools of the profile `plan-forge`, routes of the HTTP API, commands.
import assert from 'node:assert/strict'
import { mkdirSync, utimesSync } from 'node:fs'
import test from 'node:test'
import { Client, InMemoryTransport } from '@modelcontextprotocol/client'
import { publishEvents } from 'forge-memory'
import { createMcpServer, loadTools } from 'forge-memory/mcp'
import { captureMemory } from 'forge-memory/plan-forge'
import { serve } from 'forge-memory/server'
import { freshCommand, json } from '../support/command.mjs'
import { connectStdio } from '../support/mcp.mjs'
import { freshProject, OLDER_LOG, olderThought, QUEUE } from '../support/plan-forge.mjs'
import { until } from '../support/waiting.mjs'

const TOOLS = [
  'forge_memory_capture',
  'forge_memory_report',
  'forge_brain_test',
  'forge_brain_replay',
  'forge_sync_memories',
  'forge_local_search',
  'forge_embedding_status',
  'forge_local_recall_status',
  'forge_search',
  'forge_timeline',
  'forge_hallmark_show',
  'forge_hallmark_verify',
  'forge_watch',
  'forge_watch_live',
  'forge_anvil_stat',
  'forge_anvil_clear',
  'forge_anvil_rebuild',
  'forge_anvil_dlq_list',
  'forge_anvil_dlq_drain',
  'forge_lattice_index',
  'forge_lattice_stat',
  'forge_lattice_query',
  'forge_lattice_callers',
  'forge_lattice_callees',
  'forge_lattice_blast',
]

/** A client of a server with the profile, in a project of its own. */
async function profile(t) {
  const project = freshProject(t)
  const tools = await loadTools('plan-forge')
  const [ours, theirs] = InMemoryTransport.createLinkedPair()
  await createMcpServer({ projectDir: project.cwd, tools }).build().connect(theirs)
  const client = new Client({ name: 'test', version: '1.0.0' })
  await client.connect(ours)
  t.after(() => client.close())
  const call = async (name, args = {}) => {
    const { content, isError, structuredContent } = await client.callTool({ name, arguments: args })
    const texts = content.map(({ text }) => text)
    if (isError) return { failed: texts.join('\n') }
    const document = JSON.parse(texts[0])
    assert.deepEqual(structuredContent, document)
    return document
  }
  return { project, client, call }
}

test('the profile has exactly these tools', async (t) => {
  const { client } = await profile(t)
  assert.deepEqual(
    (await client.listTools()).tools.map(({ name }) => name),
    TOOLS,
  )
})

test('every tool of the profile takes path', async (t) => {
  const { client } = await profile(t)
  for (const { name, inputSchema } of (await client.listTools()).tools) {
    assert.ok(inputSchema.properties.path, name)
    assert.equal(inputSchema.additionalProperties, false, name)
  }
})

test('the watchers take targetPath as well', async (t) => {
  const { client } = await profile(t)
  for (const tool of (await client.listTools()).tools.filter(({ name }) => name.startsWith('forge_watch')))
    assert.ok(tool.inputSchema.properties.targetPath, tool.name)
})

test('an argument that there is not is refused with those that there are', async (t) => {
  const { call } = await profile(t)
  assert.match(
    (await call('forge_memory_report', { verbose: true })).failed,
    /verbose: unknown argument; expected one of path/,
  )
})

test('another name for the project is refused with the right one', async (t) => {
  const { call } = await profile(t)
  assert.match((await call('forge_memory_report', { projectDir: '/x' })).failed, /path names the folder of the project/)
})

test('a path that is not there is refused', async (t) => {
  const { call } = await profile(t)
  assert.match(
    (await call('forge_memory_report', { path: '/nowhere/at/all' })).failed,
    /path: the folder does not exist/,
  )
})

test('path leads every tool to the project that is meant', async (t) => {
  const { project, call } = await profile(t)
  const other = project.at('../other')
  mkdirSync(other)
  await call('forge_memory_capture', { content: 'over there', path: other })
  assert.equal((await call('forge_memory_report')).forgeDirExists, false)
  const { cwd, forgeDirExists } = await call('forge_memory_report', { path: other })
  assert.deepEqual([cwd, forgeDirExists], [other, true])
})

test('without the profile none of its own tools is there', async (t) => {
  const command = freshCommand(t)
  const { client } = await connectStdio(t, command)
  const names = (await client.listTools()).tools.map(({ name }) => name)
  for (const name of ['forge_brain_test', 'forge_anvil_stat', 'forge_timeline']) assert.ok(!names.includes(name), name)
})

test('forge-memory mcp --tools plan-forge serves the profile', async (t) => {
  const command = freshCommand(t)
  const { client } = await connectStdio(t, command, { args: ['--tools', 'plan-forge'] })
  assert.deepEqual(
    (await client.listTools()).tools.map(({ name }) => name),
    TOOLS,
  )
  assert.match(client.getInstructions(), /path/)
})

test('forge-memory mcp --tools full serves what it serves without', async (t) => {
  const command = freshCommand(t)
  const { client } = await connectStdio(t, command, { args: ['--tools', 'full'] })
  assert.ok((await client.listTools()).tools.some(({ name }) => name === 'memory_recall'))
})

test('a profile that there is not is refused with those that there are', async (t) => {
  const { status, stderr } = freshCommand(t).run(['mcp', '--tools', 'nonsense'])
  assert.notEqual(status, 0)
  assert.match(stderr, /unknown profile nonsense; expected one of full, plan-forge/)
  await assert.rejects(loadTools('toString'), { code: 'INVALID_INPUT' })
  assert.throws(() => createMcpServer({ tools: { name: 'x', tools: [] } }), { code: 'INVALID_INPUT' })
})

test('a capture over MCP is stored', async (t) => {
  const { project, call } = await profile(t)
  const { ok, captured, thought } = await call('forge_memory_capture', {
    content: 'the gate is slow',
    type: 'gotcha',
    created_by: 'me',
  })
  assert.deepEqual([ok, captured, thought.type, thought.created_by], [true, true, 'gotcha', 'me'])
  assert.equal(project.lines('.forge/memory-captures.jsonl').length, 1)
})

test('a capture without a type is a decision', async (t) => {
  const { call } = await profile(t)
  assert.equal((await call('forge_memory_capture', { content: 'we use cents' })).thought.type, 'decision')
})

test('a capture that fails is an error, never ok', async (t) => {
  const { call } = await profile(t)
  assert.match((await call('forge_memory_capture', { content: 'x'.repeat(70_000) })).failed, /INVALID_INPUT/)
})

test('the report over MCP is the report of the entry', async (t) => {
  const { project, call } = await profile(t)
  const { cwd, l2Files, queue } = await call('forge_memory_report')
  assert.equal(cwd, project.cwd)
  assert.ok(Array.isArray(l2Files) && 'pending' in queue)
})

test('a round trip through the shared store finds its thought and leaves nothing', async (t) => {
  const { call } = await profile(t)
  const { ok, hit, marker, capturedId, searchedHits } = await call('forge_brain_test')
  assert.deepEqual([ok, hit], [true, true])
  assert.match(marker, /^PFTEST-RT-\w{10}$/)
  assert.ok(capturedId && searchedHits >= 1)
})

test('a replay captures the lines of a file, once', async (t) => {
  const { project, call } = await profile(t)
  project.append('old.jsonl', olderThought('one thing'), olderThought('another matter'))
  const { sourceType, attempted, sent } = await call('forge_brain_replay', { source: 'old.jsonl' })
  assert.deepEqual([sourceType, attempted, sent], ['jsonl', 2, 2])
  const again = await call('forge_brain_replay', { source: 'old.jsonl' })
  assert.deepEqual([again.sent, again.skipped], [0, 2])
})

test('a replay captures the sections of a document, the text before the first too', async (t) => {
  const { project, call } = await profile(t)
  project.write(
    'notes.md',
    '# Notes\n\nThe beginning.\n\n## One\n\nFirst.\n\n```\n## not a heading\n```\n\n## Two\n\nSecond.\n',
  )
  const dry = await call('forge_brain_replay', { source: 'notes.md', dryRun: true })
  assert.deepEqual([dry.attempted, dry.sent, dry.samples.length], [3, 0, 3])
  assert.equal((await call('forge_brain_replay', { source: 'notes.md' })).sent, 3)
})

for (const source of ['../outside.md', '/etc/passwd', 'nothing.txt']) {
  test(`a replay of ${source} is refused`, async (t) => {
    const { call } = await profile(t)
    assert.ok((await call('forge_brain_replay', { source })).failed)
  })
}

test('hints are synced over MCP', async (t) => {
  const { project, call } = await profile(t)
  project.write('.forge/trajectories/P/slice-1.md', 'one')
  const { ok, hintsCount } = await call('forge_sync_memories', { dryRun: true })
  assert.deepEqual([ok, hintsCount], [true, 1])
})

test('local thoughts are found over MCP', async (t) => {
  const { project, call } = await profile(t)
  project.append(OLDER_LOG, olderThought('the gate is slow'))
  const { hits, backend } = await call('forge_local_search', { query: 'gate' })
  assert.deepEqual([hits.length, backend], [1, 'tfidf'])
})

test('the index of local recall is shown, written and removed', async (t) => {
  const { project, call } = await profile(t)
  project.append(OLDER_LOG, olderThought('the gate is slow'))
  assert.deepEqual([(await call('forge_local_recall_status')).staleness], ['n/a'])
  const warm = await call('forge_local_recall_status', { subcommand: 'warm' })
  assert.deepEqual([warm.action, warm.staleness, warm.corpusSize], ['warmed', 'fresh', 1])
  assert.equal((await call('forge_local_recall_status', { subcommand: 'clear' })).indexExists, false)
})

test('without a model the embedding status says how to get one', async (t) => {
  const { call } = await profile(t)
  const { neuralAvailable, backend, installHint } = await call('forge_embedding_status')
  assert.deepEqual([neuralAvailable, backend], [false, 'tfidf'])
  assert.match(installHint, /model install/)
})

test('a search finds captures by their words, with their own times', async (t) => {
  const { project, call } = await profile(t)
  const { thought } = captureMemory({ content: 'the gate is slow', type: 'gotcha', source: 'ci', cwd: project.cwd })
  const { hits, total } = await call('forge_search', { query: 'gate', sources: ['memory'] })
  assert.deepEqual(
    [total, hits[0].source, hits[0].recordRef, hits[0].timestamp],
    [1, 'memory', thought.id, thought.captured_at],
  )
})

test('a word that is nowhere finds nothing, and that is said', async (t) => {
  const { project, call } = await profile(t)
  captureMemory({ content: 'the gate is slow', type: 'gotcha', source: 'ci', cwd: project.cwd })
  const { hits, total, message } = await call('forge_search', { query: 'zeppelin' })
  assert.deepEqual([hits, total], [[], 0])
  assert.match(message, /No matches/)
})

test('a search finds events of runs and of the hub', async (t) => {
  const { project, call } = await profile(t)
  project.write('.forge/runs/r1/events.log', '[2026-11-20T10:00:00.000Z] slice-failed: {"title":"Add login"}\n')
  publishEvents(['{"type":"deploy-recorded","target":"login server"}'], project.options)
  const { hits } = await call('forge_search', { query: 'login' })
  assert.deepEqual(hits.map(({ source }) => source).sort(), ['hub-event', 'run'])
})

test('a search narrows by tag and by time', async (t) => {
  const { project, call } = await profile(t)
  captureMemory({ content: 'the gate is slow', type: 'gotcha', source: 'ci', cwd: project.cwd })
  assert.equal((await call('forge_search', { query: 'gate', sources: ['memory'], tags: ['none'] })).total, 0)
  assert.equal((await call('forge_search', { query: 'gate', sources: ['memory'], since: '2999-01-01' })).total, 0)
})

for (const [what, args] of [
  ['a since that is none', { query: 'x', since: 'soon' }],
  ['a source that there is not', { query: 'x', sources: ['nonsense'] }],
]) {
  test(`a search with ${what} is refused`, async (t) => {
    const { call } = await profile(t)
    assert.match((await call('forge_search', args)).failed, /INVALID_INPUT/)
  })
}

test('a timeline has captures at their own times, in order', async (t) => {
  const { project, call } = await profile(t)
  captureMemory({ content: 'the gate is slow', type: 'gotcha', source: 'ci', cwd: project.cwd })
  captureMemory({ content: 'prices are stored as cents', type: 'decision', source: 'ci', cwd: project.cwd })
  const { events, total, windowFrom, windowTo, sourcesQueried } = await call('forge_timeline', { sources: ['memory'] })
  assert.deepEqual(
    [events.map(({ event }) => event), total, sourcesQueried],
    [['memory-captured', 'memory-captured'], 2, ['memory']],
  )
  assert.ok(events[0].ts <= events[1].ts && windowFrom < windowTo)
})

test('of a timeline that is too long the newest are shown', async (t) => {
  const { project, call } = await profile(t)
  for (let n = 0; n < 4; n += 1) publishEvents([JSON.stringify({ type: 'a', n })], project.options)
  const { events, total, truncated } = await call('forge_timeline', { sources: ['hub-event'], limit: 2 })
  assert.deepEqual([events.map(({ payload }) => payload.n), total, truncated], [[2, 3], 4, true])
})

test('a timeline narrows by types, a * stands for anything', async (t) => {
  const { project, call } = await profile(t)
  publishEvents(['{"type":"slice-started"}', '{"type":"slice-failed"}', '{"type":"deploy"}'], project.options)
  const { events } = await call('forge_timeline', { events: ['slice-*'] })
  assert.deepEqual(
    events.map(({ event }) => event),
    ['slice-started', 'slice-failed'],
  )
})

test('a timeline groups what belongs together', async (t) => {
  const { project, call } = await profile(t)
  publishEvents(
    ['{"type":"a","correlationId":"c1"}', '{"type":"b","_correlationId":"c1"}', '{"type":"c"}'],
    project.options,
  )
  const { threads } = await call('forge_timeline', { groupBy: 'correlation' })
  assert.deepEqual(
    threads.map(({ correlationId, events }) => [correlationId, events.length]),
    [['c1', 2]],
  )
})

test('a timeline window that is none is refused', async (t) => {
  const { call } = await profile(t)
  assert.match((await call('forge_timeline', { from: 'soon' })).failed, /from: is neither/)
})

test('a record is shown with its hallmark, and verified', async (t) => {
  const { project, call } = await profile(t)
  const { thought } = captureMemory({ content: 'the gate is slow', type: 'gotcha', source: 'ci', cwd: project.cwd })
  assert.equal((await call('forge_hallmark_show', { id: thought.id })).content, 'the gate is slow')
  const { ok, drift, standing } = await call('forge_hallmark_verify', { id: thought.id })
  assert.deepEqual([ok, drift, standing], [true, false, 'intact'])
})

test('hallmarks of the older tool are listed and shown', async (t) => {
  const { project, call } = await profile(t)
  project.write('.forge/hallmarks/h1.json', { id: 'h1', payload: { slice: 3 } })
  assert.equal((await call('forge_hallmark_show')).count, 1)
  assert.deepEqual((await call('forge_hallmark_show', { id: 'h1' })).payload, { slice: 3 })
  assert.match((await call('forge_hallmark_verify', { id: 'h1' })).failed, /no hash to check/)
})

for (const id of ['nobody', '../../package']) {
  test(`a record ${id} is not found`, async (t) => {
    const { call } = await profile(t)
    assert.ok((await call('forge_hallmark_show', { id })).failed)
    assert.ok((await call('forge_hallmark_verify', { id })).failed)
  })
}

test('a run is watched: state, counts, newest events, what is wrong', async (t) => {
  const { project, call } = await profile(t)
  const line = (type) => `[2026-11-20T10:00:00.000Z] ${type}: {}\n`
  project.write('.forge/runs/r1/events.log', ['run-started', 'slice-started', 'slice-failed'].map(line).join(''))
  const { ok, runId, runState, counts, tailEvents, anomalies, cursor } = await call('forge_watch', {
    targetPath: project.cwd,
  })
  assert.deepEqual([ok, runId, runState, counts.failed, tailEvents.length], [true, 'r1', 'in-progress', 1, 3])
  assert.deepEqual(
    anomalies.map(({ code }) => code),
    ['stalled', 'slice-failed'],
  )
  assert.equal(cursor, '2026-11-20T10:00:00.000Z')
})

test('a run that is not there is told, and its name opens nothing', async (t) => {
  const { call } = await profile(t)
  for (const runId of ['r9', '../..']) assert.equal((await call('forge_watch', { runId })).ok, false)
})

test('events are followed for a while', async (t) => {
  const { project, call } = await profile(t)
  publishEvents(['{"type":"before"}'], project.options)
  const following = call('forge_watch_live', { durationMs: 1500 })
  let isDone = false
  following.then(() => (isDone = true))
  await until(() => {
    publishEvents(['{"type":"now"}'], project.options)
    return isDone
  }, 'the end of the watch')
  const { ok, events, capturedEvents } = await following
  assert.ok(ok && capturedEvents >= 1 && events.every(({ type }) => type === 'now'))
})

test('the answers that the older tool cached are counted by tool', async (t) => {
  const { project, call } = await profile(t)
  project.write('.forge/anvil/forge_sweep/a.json', { payload: {} })
  project.write('.forge/anvil/stats.json', { perTool: { forge_sweep: { hits: 4, misses: 1 } } })
  project.write('.forge/anvil/dlq/x.json', {})
  const { entries, totalBytes, oldestMtime, perTool } = await call('forge_anvil_stat')
  assert.deepEqual([entries, perTool], [1, { forge_sweep: { hits: 4, misses: 1, count: 1 } }])
  assert.ok(totalBytes > 0 && oldestMtime > 0)
})

test('cached answers are cleared by tool and by age', async (t) => {
  const { project, call } = await profile(t)
  for (const name of ['a', 'b']) project.write(`.forge/anvil/forge_sweep/${name}.json`, {})
  project.write('.forge/anvil/other/c.json', {})
  utimesSync(project.at('.forge/anvil/forge_sweep/a.json'), 1, 1)
  assert.equal((await call('forge_anvil_clear', { tool: 'forge_sweep', olderThanMs: 60_000 })).deleted, 1)
  assert.equal((await call('forge_anvil_clear', { tool: 'forge_sweep' })).deleted, 1)
  assert.equal((await call('forge_anvil_stat')).entries, 1)
})

test('nothing is cleared without a filter', async (t) => {
  const { call } = await profile(t)
  assert.match((await call('forge_anvil_clear')).failed, /ERR_ANVIL_NO_FILTER/)
})

for (const tool of ['..', '../../src', 'dlq', '.', '/']) {
  test(`clearing the tool ${tool} deletes nothing`, async (t) => {
    const { project, call } = await profile(t)
    project.write('src/a.json', {})
    project.write('.forge/anvil/dlq/x.json', {})
    project.write('.forge/y.json', {})
    assert.equal((await call('forge_anvil_clear', { tool })).deleted, 0)
    for (const path of ['src/a.json', '.forge/anvil/dlq/x.json', '.forge/y.json']) assert.ok(project.has(path), path)
  })
}

for (const since of ['--output=stolen', '-x', 'a b']) {
  test(`rebuilding since ${since} is refused`, async (t) => {
    const { project, call } = await profile(t)
    assert.match((await call('forge_anvil_rebuild', { since })).failed, /revision/)
    assert.equal(project.has('stolen'), false)
  })
}

test('without git a rebuild changes nothing', async (t) => {
  const { call } = await profile(t)
  assert.deepEqual(await call('forge_anvil_rebuild', { since: 'HEAD' }), { invalidated: 0, changedFiles: 0 })
})

test('dead letters are listed and put back into the queue, not deleted', async (t) => {
  const { project, call } = await profile(t)
  captureMemory({ content: 'the gate is slow', type: 'gotcha', source: 'ci', cwd: project.cwd })
  const { autoDrainOpenBrainQueue } = await import('forge-memory/plan-forge')
  await autoDrainOpenBrainQueue(project.cwd, { dispatcher: () => ({ ok: false, error: 'HTTP_400' }), maxAttempts: 1 })
  const { items, total } = await call('forge_anvil_dlq_list')
  assert.deepEqual([total, items[0].inputs.content, items[0].error], [1, 'the gate is slow', 'HTTP_400'])
  assert.equal((await call('forge_anvil_dlq_drain')).drained, 1)
  assert.equal(project.lines(QUEUE).length, 1)
})

test('the code graph over MCP', async (t) => {
  const { project, call } = await profile(t)
  project.write('a.js', 'export function alpha() { return beta() }\nfunction beta() {}\n')
  const { filesIndexed, anvilMisses } = await call('forge_lattice_index')
  assert.deepEqual([filesIndexed, anvilMisses], [1, 1])
  assert.equal((await call('forge_lattice_stat')).filesIndexed, 1)
  for (const [tool, args] of [
    ['forge_lattice_query', { query: 'beta' }],
    ['forge_lattice_callers', { name: 'beta' }],
    ['forge_lattice_callees', { name: 'alpha' }],
  ])
    assert.ok((await call(tool, args)).total >= 1, tool)
  assert.ok((await call('forge_lattice_blast', { name: 'beta' })).nodes.length >= 2)
})

/** A server of a project, and a way to ask it. */
async function served(t) {
  const project = freshProject(t)
  const server = await serve({ projectDir: project.cwd, port: 0, watch: false, drain: false })
  t.after(() => server.close())
  const ask = async (path, body, method = body === undefined ? 'GET' : 'POST') => {
    const headers = { authorization: `Bearer ${server.token}`, 'content-type': 'application/json' }
    const response = await fetch(server.origin + path, { method, headers, ...(body && { body: JSON.stringify(body) }) })
    return { status: response.status, body: await response.json() }
  }
  return { project, server, ask }
}

for (const [path, names] of [
  ['/api/memory', ['configured', 'endpoint', 'serverName']],
  ['/api/memory/presets', ['categories', 'recentFiles', 'projectContext']],
  ['/api/hub', ['running', 'port', 'clients']],
  ['/api/search?query=gate', ['hits', 'total', 'truncated', 'durationMs']],
  ['/api/timeline', ['events', 'total', 'truncated', 'windowFrom', 'windowTo', 'sourcesQueried']],
  [
    '/api/local-recall/status',
    ['ok', 'indexExists', 'version', 'builtAt', 'corpusSize', 'staleness', 'cacheFile', 'message'],
  ],
  [
    '/api/embedding/status',
    ['ok', 'backend', 'neuralAvailable', 'model', 'corpusSize', 'configuredBackend', 'installHint', 'message'],
  ],
]) {
  test(`GET ${path} answers ${names.join(', ')}`, async (t) => {
    const { ask } = await served(t)
    const { status, body } = await ask(path)
    assert.equal(status, 200)
    for (const name of names) assert.ok(name in body, name)
  })
}

test('the routes ask for the token like every other one', async (t) => {
  const { server } = await served(t)
  for (const path of ['/api/memory', '/api/hub', '/api/timeline'])
    assert.equal((await fetch(server.origin + path)).status, 401)
})

test('the address of a store is shown without its key', async (t) => {
  const { project, ask } = await served(t)
  project.write('.mcp.json', { mcpServers: { openbrain: { url: 'http://127.0.0.1:8000/sse?key=secret' } } })
  const { body } = await ask('/api/memory')
  assert.equal(body.configured, true)
  assert.doesNotMatch(JSON.stringify(body), /secret/)
})

test('GET /api/hub has the port of the stream', async (t) => {
  const { server, ask } = await served(t)
  assert.deepEqual((await ask('/api/hub')).body, { running: true, port: server.port, clients: [] })
})

test('POST /api/memory/search finds captures', async (t) => {
  const { project, ask } = await served(t)
  captureMemory({ content: 'the gate is slow', type: 'gotcha', source: 'ci', cwd: project.cwd })
  const { results } = (await ask('/api/memory/search', { query: 'gate' })).body
  assert.equal(results.length, 1)
  assert.match(results[0].excerpt, /gate is slow/)
})

for (const body of [{}, { query: 7 }, { query: 'x', other: 1 }]) {
  test(`POST /api/memory/search with ${JSON.stringify(body)} is refused`, async (t) => {
    const { ask } = await served(t)
    assert.equal((await ask('/api/memory/search', body)).status, 400)
  })
}

test('POST /api/memory/capture takes created_by, and stores', async (t) => {
  const { project, ask } = await served(t)
  const { status } = await ask('/api/memory/capture', {
    content: 'we use cents',
    type: 'decision',
    created_by: 'openclaw',
  })
  assert.equal(status, 201)
  assert.equal(project.lines('.forge/memory-captures.jsonl')[0].created_by, 'openclaw')
})

for (const path of [
  '/api/search?query=x&since=soon',
  '/api/search',
  '/api/timeline?from=soon',
  '/api/timeline?groupBy=x',
  '/api/search?q=x',
  '/api/hub?x=1',
]) {
  test(`GET ${path} is refused with a reason`, async (t) => {
    const { ask } = await served(t)
    const { status, body } = await ask(path)
    assert.equal(status, 400)
    assert.ok(body.error.message.length > 0)
  })
}

test('forge-memory brain test goes to the shared store and back', (t) => {
  const command = freshCommand(t)
  const { ok, hit } = json(command, ['brain', 'test'])
  assert.deepEqual([ok, hit], [true, true])
})

test('forge-memory brain replay captures a file of the project', async (t) => {
  const command = freshCommand(t)
  const { writeFileSync } = await import('node:fs')
  const { join } = await import('node:path')
  writeFileSync(join(command.project, 'old.jsonl'), `${JSON.stringify(olderThought('one thing'))}\n`)
  assert.equal(json(command, ['brain', 'replay', 'old.jsonl', '--dry-run']).dryRun, true)
  assert.equal(json(command, ['brain', 'replay', 'old.jsonl']).sent, 1)
})

test('forge-memory anvil stat, clear and rebuild', (t) => {
  const command = freshCommand(t)
  assert.equal(json(command, ['anvil', 'stat']).entries, 0)
  assert.deepEqual(json(command, ['anvil', 'clear', '--tool', 'forge_sweep']), { deleted: 0 })
  assert.deepEqual(json(command, ['anvil', 'rebuild', '--since', 'HEAD']), { invalidated: 0, changedFiles: 0 })
  assert.match(command.run(['anvil', 'clear']).stderr, /ERR_ANVIL_NO_FILTER/)
})

test('forge-memory timeline shows what happened, for people as JSON too', (t) => {
  const command = freshCommand(t)
  json(command, ['capture', '--type', 'lesson', 'the gate is slow'])
  assert.equal(json(command, ['timeline', '--source', 'memory']).total, 1)
  assert.match(command.run(['timeline', '--source', 'memory']).stdout, /"content": "the gate is slow"/)
  assert.notEqual(command.run(['timeline', '--from', 'soon']).status, 0)
})
