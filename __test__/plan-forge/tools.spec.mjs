// MCP tools of the profile `plan-forge`: the profile itself, and the tools for the memory.
import assert from 'node:assert/strict'
import { mkdirSync } from 'node:fs'
import test from 'node:test'
import { publishEvents } from 'forge-memory'
import { createMcpServer, loadTools } from 'forge-memory/mcp'
import { captureMemory } from 'forge-memory/plan-forge'
import { freshCommand } from '../support/command.mjs'
import { connectStdio } from '../support/mcp.mjs'
import { OLDER_LOG, olderThought } from '../support/plan-forge.mjs'
import { profile } from '../support/plan-forge-profile.mjs'

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

test('the profile has exactly these tools', async (t) => {
  const { client } = await profile(t)
  assert.deepEqual(
    (await client.listTools()).tools.map(({ name }) => name),
    TOOLS,
  )
})

test('every tool of the profile accepts path', async (t) => {
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

test('path selects the project of every tool', async (t) => {
  const { project, call } = await profile(t)
  const other = project.at('../other')
  mkdirSync(other)
  await call('forge_memory_capture', { content: 'over there', path: other })
  assert.equal((await call('forge_memory_report')).forgeDirExists, false)
  const { cwd, forgeDirExists } = await call('forge_memory_report', { path: other })
  assert.deepEqual([cwd, forgeDirExists], [other, true])
})

test('without the profile none of its tools is offered', async (t) => {
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

test('forge-memory mcp --tools full includes the tools of the default profile', async (t) => {
  const command = freshCommand(t)
  const { client } = await connectStdio(t, command, { args: ['--tools', 'full'] })
  assert.ok((await client.listTools()).tools.some(({ name }) => name === 'memory_recall'))
})

test('a profile that there is not is refused with those that there are', async (t) => {
  const { status, stderr } = freshCommand(t).run(['mcp', '--tools', 'nonsense'])
  assert.notEqual(status, 0)
  assert.match(stderr, /unknown profile nonsense; expected one of core, full, plan-forge/)
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

test('a round trip through the shared store finds its thought and leaves no data', async (t) => {
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

test('a section that cannot be captured is reported, and the others are captured', async (t) => {
  const { project, call } = await profile(t)
  project.write('notes.md', `## One\n\nFirst.\n\n## Large\n\n${'word '.repeat(20_000)}\n\n## Two\n\nSecond.\n`)
  const { ok, sent, failed, failures } = await call('forge_brain_replay', { source: 'notes.md' })
  assert.deepEqual([ok, sent, failed, failures.length, failures[0].index], [false, 2, 1, 1, 1])
  assert.ok(failures[0].error.length > 0)
  assert.match(failures[0].contentPreview, /^## Large/)
})

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

test('the embedding status follows the settings of the project', async (t) => {
  const { project, call } = await profile(t)
  assert.equal((await call('forge_embedding_status')).configuredBackend, 'auto')
  project.write('.forge.json', { embeddingBackend: 'tfidf' })
  assert.equal((await call('forge_embedding_status')).configuredBackend, 'tfidf')
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

test('an unknown word finds nothing, and the answer says so', async (t) => {
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

test('long texts are answered whole', async (t) => {
  const { call } = await profile(t)
  const content = `the gate is slow ${'since it waits '.repeat(600)}`.trim()
  assert.equal((await call('forge_memory_capture', { content })).thought.content, content)
})

for (const [tool, args] of [
  ['forge_search', { query: 'gate' }],
  ['forge_timeline', {}],
]) {
  test(`${tool} accepts the sources of the runner, and says that they are not searched`, async (t) => {
    const { project, call } = await profile(t)
    captureMemory({ content: 'the gate is slow', type: 'gotcha', source: 'ci', cwd: project.cwd })
    const { total, message } = await call(tool, { ...args, sources: ['memory', 'bug', 'tempering'] })
    assert.equal(total, 1)
    assert.match(message, /bug, tempering/)
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

test('a timeline is filtered by types, with * as a wildcard', async (t) => {
  const { project, call } = await profile(t)
  publishEvents(['{"type":"slice-started"}', '{"type":"slice-failed"}', '{"type":"deploy"}'], project.options)
  const { events } = await call('forge_timeline', { events: ['slice-*'] })
  assert.deepEqual(
    events.map(({ event }) => event),
    ['slice-started', 'slice-failed'],
  )
})

test('a timeline groups correlated events', async (t) => {
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

test('the limit of a grouped timeline counts threads, the newest first', async (t) => {
  const { project, call } = await profile(t)
  const events = ['c1', 'c1', 'c2', 'c2', 'c3'].map((correlationId) => JSON.stringify({ type: 'a', correlationId }))
  publishEvents(events, project.options)
  const all = await call('forge_timeline', { groupBy: 'correlation', limit: 3 })
  assert.deepEqual([all.threads.length, all.total, all.truncated], [3, 3, false])
  const { threads, total, truncated } = await call('forge_timeline', { groupBy: 'correlation', limit: 2 })
  assert.deepEqual([threads.length, total, truncated], [2, 3, true])
  for (const { events: own, firstTs, lastTs, sources } of threads)
    assert.ok(own.length >= 1 && firstTs <= lastTs && sources.includes('hub-event'))
})

test('a timeline covers a day by default', async (t) => {
  const { project, call } = await profile(t)
  const at = (hours) => new Date(Date.now() - hours * 3_600_000).toISOString()
  project.append(OLDER_LOG, olderThought('old', { captured_at: at(30) }), olderThought('new', { captured_at: at(1) }))
  const shown = async (args) => (await call('forge_timeline', args)).events.map(({ payload }) => payload.content)
  assert.deepEqual(await shown({}), ['new'])
  assert.deepEqual(await shown({ from: '2d' }), ['old', 'new'])
  assert.deepEqual(await shown({ from: '2d', to: '10h' }), ['old'])
})

test('an invalid timeline window is refused', async (t) => {
  const { call } = await profile(t)
  assert.match((await call('forge_timeline', { from: 'soon' })).failed, /from: is neither/)
})
