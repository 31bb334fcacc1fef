// MCP tools of the profile `plan-forge`: records, runs, cached answers, dead letters, the code graph.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { utimesSync } from 'node:fs'
import test from 'node:test'
import { publishEvents } from 'forge-memory'
import { autoDrainOpenBrainQueue, captureMemory } from 'forge-memory/plan-forge'
import { QUEUE } from '../support/plan-forge.mjs'
import { profile } from '../support/plan-forge-profile.mjs'
import { until } from '../support/waiting.mjs'

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

test('an incomplete character in a file of the older tool stops neither tool', async (t) => {
  const { project, call } = await profile(t)
  const half = '"\\ud800 half a character"'
  project.write('.forge/hallmarks/h1.json', `{"id":"h1","payload":${half}}\n`)
  project.write('.forge/brain/pattern/a.json', `{"content":${half}}\n`)
  project.write('.forge/runs/r1/events.log', `[2026-11-20T10:00:00.000Z] slice-failed: {"title":${half}}\n`)
  project.write('.forge/incidents.jsonl', `{"timestamp":"2026-11-20T10:00:00.000Z","title":${half}}\n`)
  assert.match((await call('forge_hallmark_show', { id: 'h1' })).payload, /half a character/)
  assert.match((await call('forge_sync_memories', { dryRun: true })).dryRunContent, /half a character/)
  assert.match((await call('forge_watch')).lastEvent.data.title, /half a character/)
  assert.equal((await call('forge_search', { query: 'half' })).total, 2)
  assert.equal((await call('forge_timeline', { from: '2026-11-01' })).total, 2)
})

for (const id of ['nobody', '../../package']) {
  test(`a record ${id} is not found`, async (t) => {
    const { call } = await profile(t)
    assert.ok((await call('forge_hallmark_show', { id })).failed)
    assert.ok((await call('forge_hallmark_verify', { id })).failed)
  })
}

test('a run is watched: state, counts, newest events, anomalies', async (t) => {
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

test('a missing run is reported, and its name opens no file', async (t) => {
  const { call } = await profile(t)
  for (const runId of ['r9', '../..']) assert.equal((await call('forge_watch', { runId })).ok, false)
})

/** A log of a run, and what it left of its slices. */
function ran(project, types, slices = {}) {
  const at = new Date().toISOString()
  const line = ([type, data = {}]) => `[${at}] ${type}: ${JSON.stringify(data)}\n`
  project.write('.forge/runs/r1/events.log', types.map(line).join(''))
  for (const [number, slice] of Object.entries(slices)) project.write(`.forge/runs/r1/slice-${number}.json`, slice)
}

test('a run is counted by the names of the older tool', async (t) => {
  const { project, call } = await profile(t)
  ran(project, [
    ['run-started', { plan: 'Phase-1', model: 'm1', sliceCount: 4 }],
    ['slice-started'],
    ['slice-escalated'],
    ['quorum-dispatch-started'],
    ['quorum-leg-completed'],
    ['quorum-review-completed'],
    ['skill-started'],
    ['skill-step-completed', { status: 'failed' }],
    ['skill-completed'],
    ['slice-completed'],
  ])
  const { plan, model, sliceCount, counts, runDir, lastEvent } = await call('forge_watch')
  assert.deepEqual([plan, model, sliceCount, lastEvent.type], ['Phase-1', 'm1', 4, 'slice-completed'])
  const one = { started: 1, completed: 1, escalated: 1, quorumDispatched: 1, quorumLegsCompleted: 1 }
  const more = { quorumReviewed: 1, skillsStarted: 1, skillsCompleted: 1, skillStepsFailed: 1 }
  assert.deepEqual(counts, { ...one, ...more, failed: 0, events: 10, artifacts: 0 })
  assert.equal(runDir, project.at('.forge/runs/r1'))
})

for (const [code, severity, types, slice] of [
  ['model-escalated', 'warn', [['slice-escalated']], {}],
  ['skill-step-failed', 'error', [['skill-step-completed', { status: 'failed' }]], {}],
  ['all-skipped', 'info', [['run-completed']], { status: 'skipped' }],
  ['tokens-zero', 'warn', [['run-completed']], { status: 'passed', duration: 61_000, tokens: { tokens_out: 0 } }],
  ['high-retries', 'warn', [['run-completed']], { status: 'passed', attempts: 3 }],
]) {
  test(`a run may have the anomaly ${code}, with a hint`, async (t) => {
    const { project, call } = await profile(t)
    ran(project, types, { 1: slice })
    const { anomalies, recommendations, artifacts } = await call('forge_watch')
    assert.deepEqual(
      anomalies.map((anomaly) => [anomaly.code, anomaly.severity]),
      [[code, severity]],
    )
    assert.ok(anomalies[0].message.length > 0 && recommendations[0].action.length > 0)
    assert.deepEqual([recommendations[0].code, recommendations[0].command], [code, null])
    assert.equal(artifacts[0].sliceNumber, '1')
  })
}

test('a watch says whether anything is new since a time', async (t) => {
  const { project, call } = await profile(t)
  ran(project, [['slice-started'], ['slice-completed']])
  const none = await call('forge_watch', { sinceTimestamp: '2999-01-01T00:00:00.000Z' })
  assert.deepEqual([none.hasNewEvents, none.newEventsCount, none.tailEvents], [false, 0, []])
  const all = await call('forge_watch', { sinceTimestamp: '2020-01-01T00:00:00.000Z', tailEvents: 1 })
  assert.deepEqual([all.hasNewEvents, all.newEventsCount, all.tailEvents.length], [true, 2, 1])
})

test('a watch keeps no history, and says so to those who ask for one', async (t) => {
  const { project, call } = await profile(t)
  ran(project, [['run-completed']])
  assert.equal((await call('forge_watch', { recordHistory: false })).ok, true)
  assert.match((await call('forge_watch', { recordHistory: true })).failed, /recordHistory/)
  assert.equal(project.has('.forge/watch-history.jsonl'), false)
})

test('a followed run is returned completely, up to the maximum number of events', async (t) => {
  const { project, call } = await profile(t)
  const following = call('forge_watch_live', {
    durationMs: 1500,
    pollIntervalMs: 20,
    maxCapturedEvents: 1,
    verbose: true,
  })
  let isDone = false
  following.then(() => (isDone = true))
  await until(() => {
    publishEvents(['{"type":"watch-anomaly-detected","data":{"code":"stalled"}}'], project.options)
    return isDone
  }, 'the end of the watch')
  const { capturedEvents, droppedEvents, maxCapturedEvents, capturedAnomalies, eventProjection, events } =
    await following
  assert.deepEqual([capturedEvents, maxCapturedEvents, eventProjection], [1, 1, 'verbose'])
  assert.ok(droppedEvents >= 1 && events[0].data.code === 'stalled')
  assert.deepEqual(capturedAnomalies, ['stalled'])
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

test('a rebuild deletes the answers about files that changed since a revision, and no others', async (t) => {
  const { project, call } = await profile(t)
  const git = (...args) => execFileSync('git', args, { cwd: project.cwd, stdio: 'ignore' })
  const commit = () => git('-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '-qam', 'x')
  for (const name of ['a.js', 'data.js', 'ключ.js']) project.write(name, 'one\n')
  git('init', '-q')
  git('add', '*.js')
  commit()
  for (const name of ['a.js', 'ключ.js']) project.write(name, 'two\n')
  commit()
  for (const [key, file] of Object.entries({ k1: 'a.js', k2: 'data.js', k3: 'ключ.js' }))
    project.write(`.forge/anvil/lattice_file_chunk/${key}.json`, { codeHashSeed: `${file}:sha256:0:pureJs:1.0.0` })
  assert.deepEqual(await call('forge_anvil_rebuild', { since: 'HEAD~1' }), { invalidated: 2, changedFiles: 2 })
  assert.equal(project.has('.forge/anvil/lattice_file_chunk/k2.json'), true)
})

test('a rebuild without a revision is refused', async (t) => {
  assert.match((await (await profile(t)).call('forge_anvil_rebuild')).failed, /since/)
})

test('dead letters are listed and put back into the queue, not deleted', async (t) => {
  const { project, call } = await profile(t)
  captureMemory({ content: 'the gate is slow', type: 'gotcha', source: 'ci', cwd: project.cwd })
  await autoDrainOpenBrainQueue(project.cwd, { dispatcher: () => ({ ok: false, error: 'HTTP_400' }), maxAttempts: 1 })
  const { items, total } = await call('forge_anvil_dlq_list')
  assert.deepEqual([total, items[0].inputs.content, items[0].error], [1, 'the gate is slow', 'HTTP_400'])
  assert.equal((await call('forge_anvil_dlq_drain')).drained, 1)
  assert.equal(project.lines(QUEUE).length, 1)
})

test('dead letters are listed by tool and by number, with their age', async (t) => {
  const { project, call } = await profile(t)
  for (const [content, source] of [
    ['the gate is slow', 'forge_sweep/stall'],
    ['prices are cents', 'forge_watch'],
  ])
    captureMemory({ content, type: 'gotcha', source, cwd: project.cwd })
  const refuse = () => ({ ok: false, error: 'HTTP_400' })
  await autoDrainOpenBrainQueue(project.cwd, { dispatcher: refuse, maxAttempts: 1 })
  const { items, total } = await call('forge_anvil_dlq_list', { tool: 'forge_sweep' })
  assert.deepEqual([total, items[0].toolName, items[0].inputs.content], [1, 'forge_sweep', 'the gate is slow'])
  assert.ok(Date.parse(items[0].failedAt) > 0)
  const cut = await call('forge_anvil_dlq_list', { limit: 1 })
  assert.deepEqual([cut.items.length, cut.total], [1, 2])
  assert.equal((await call('forge_anvil_dlq_drain', { tool: 'forge_sweep' })).drained, 1)
  assert.equal((await call('forge_anvil_dlq_list')).items[0].toolName, 'forge_watch')
  assert.equal((await call('forge_anvil_dlq_drain', { tool: 'nobody' })).drained, 0)
  assert.equal((await call('forge_anvil_dlq_drain', { id: 'nobody', tool: 'forge_watch' })).drained, 0)
})

test('records that the older tool set aside are listed, and a drain does not touch them', async (t) => {
  const { project, call } = await profile(t)
  const letter = { id: 'u1', toolName: 'forge_run_plan', inputs: { content: 'x' }, error: 'http-500' }
  project.write('.forge/anvil/dlq/u1.json', { ...letter, failedAt: '2026-11-20T10:00:00.000Z' })
  const { items } = await call('forge_anvil_dlq_list')
  assert.deepEqual(items, [{ ...letter, failedAt: '2026-11-20T10:00:00.000Z' }])
  assert.equal((await call('forge_anvil_dlq_drain')).drained, 0)
  assert.equal(project.has('.forge/anvil/dlq/u1.json'), true)
})

test('the code graph over MCP', async (t) => {
  const { project, call } = await profile(t)
  project.write('a.js', 'export function alpha() { return beta() }\nfunction beta() {}\n')
  const { filesIndexed, anvilMisses } = await call('forge_lattice_index')
  assert.deepEqual([filesIndexed, anvilMisses], [1, 1])
  assert.equal((await call('forge_lattice_stat')).languages.javascript, 3)
  for (const [tool, args] of [
    ['forge_lattice_query', { query: 'beta' }],
    ['forge_lattice_callers', { name: 'beta' }],
    ['forge_lattice_callees', { name: 'alpha' }],
  ])
    assert.ok((await call(tool, args)).total >= 1, tool)
  assert.ok((await call('forge_lattice_blast', { name: 'beta' })).nodes.length >= 2)
})
