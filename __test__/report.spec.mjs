import assert from 'node:assert/strict'
import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import test from 'node:test'
import { drainOpenBrain, trustForeignRecords } from '../dist/index.js'
import {
  buildCaptureTelemetry,
  buildMemoryReport,
  captureMemory,
  diagnose,
  editMemory,
  forget,
  memorySave,
  memoryStatus,
  recall,
  settleIndex,
} from '../index.js'
import { freshCommand } from './support/command.mjs'
import { freshMemory, reopened, sentenceOf, treeOf } from './support/memory.mjs'

const HOUR_MS = 3_600_000
const at = (offset) => new Date(Date.now() + offset).toISOString()
const capture = (memory, fields) => captureMemory({ type: 'lesson', tool: 'forge_sweep', ...fields }, memory.options)

function write(memory, name, lines) {
  mkdirSync(dirname(memory.forge(name)), { recursive: true })
  writeFileSync(
    memory.forge(name),
    lines.map((line) => `${typeof line === 'string' ? line : JSON.stringify(line)}\n`).join(''),
  )
}

const fileOf = (report, name) => report.files.find((file) => file.name === name)
const countsOf = (report, name) => {
  const { exists, records, unparsable, versions } = fileOf(report, name)
  return { exists, records, unparsable, versions }
}

test('a project without a memory has a report, which creates nothing', (t) => {
  const memory = freshMemory(t)
  const report = buildMemoryReport(memory.options)
  const { timestamp } = report
  assert.deepEqual({ ...buildMemoryReport(memory.project), timestamp }, report, 'the folder alone is enough')
  assert.equal(report.projectDir, memory.project)
  assert.deepEqual([report._v, report.forgeDirExists, report.orphans], [1, false, []])
  assert.ok(report.files.length >= 10 && report.files.every(({ exists, records }) => !exists && records === 0))
  assert.deepEqual(report.queue, { pending: 0, delivered: 0, failed: 0, deferred: 0, dlq: 0 })
  assert.deepEqual(report.telemetry, { total: 0, deduped: 0, byTool: {}, byType: {} })
  assert.deepEqual(treeOf(memory.folder).length, 1)
})

test('the files are counted: bytes, records, lines that are not records, and versions', (t) => {
  const memory = freshMemory(t)
  for (let number = 0; number < 3; number++) capture(memory, { body: sentenceOf(number) })
  memorySave({ pattern: 'a pattern', category: 'convention' }, memory.options)
  const old = { content: 'from an older tool', type: 'lesson' }
  appendFileSync(memory.raw, `${JSON.stringify(old)}\nnull\n[1]\n{"torn":\n\n${JSON.stringify({ _v: 2, ...old })}\n`)
  for (const options of [memory.options, reopened(memory)]) {
    const report = buildMemoryReport(options)
    assert.deepEqual(countsOf(report, 'memory-captures.jsonl'), {
      exists: true,
      records: 5,
      unparsable: 3,
      versions: { 1: 3, 2: 1, none: 1 },
    })
    assert.deepEqual(countsOf(report, 'lessons.jsonl'), { exists: true, records: 3, unparsable: 0, versions: { 1: 3 } })
    assert.deepEqual(countsOf(report, 'memory/project.jsonl'), {
      exists: true,
      records: 1,
      unparsable: 0,
      versions: { 1: 1 },
    })
    assert.deepEqual(countsOf(report, 'gotchas.jsonl'), { exists: false, records: 0, unparsable: 0, versions: {} })
    const line = treeOf(memory.forge()).find((entry) => entry.startsWith('memory-captures.jsonl file'))
    assert.equal(fileOf(report, 'memory-captures.jsonl').size, Number(line.split(' ')[3]))
  }
})

test('the report counts incrementally, and starts over when a file was replaced', (t) => {
  const memory = freshMemory(t)
  const records = () => fileOf(buildMemoryReport(memory.options), 'memory-captures.jsonl').records
  capture(memory, { body: sentenceOf(1) })
  assert.equal(records(), 1)
  capture(memory, { body: sentenceOf(2) })
  appendFileSync(memory.raw, '{"content":"half')
  assert.equal(records(), 2)
  appendFileSync(memory.raw, ' a line"}\n')
  assert.equal(records(), 3)
  write(memory, 'memory-captures.jsonl', [{ content: 'the only one' }])
  assert.equal(records(), 1)
  write(memory, 'memory-captures.jsonl', [])
  assert.equal(records(), 0)
})

test('the queue is counted by status, also in the lines of the older tools', async (t) => {
  const memory = freshMemory(t)
  const record = (fields) => ({ _v: 1, content: 'text', project: 'shop', type: 'lesson', ...fields })
  capture(memory, { body: 'one of ours' })
  const [ours] = [at(0)]
  const lines = [
    record({ _status: 'pending', _attempts: 0, _enqueuedAt: ours, _nextAttemptAt: at(-HOUR_MS) }),
    record({
      _status: 'pending',
      _attempts: 2,
      _enqueuedAt: ours,
      _nextAttemptAt: at(HOUR_MS),
      _lastError: 'HTTP_503',
    }),
    record({ _status: 'delivered', _nextAttemptAt: at(-HOUR_MS) }),
    record({ _status: 'failed', _nextAttemptAt: at(-HOUR_MS) }),
    record({ _status: 'failed', _nextAttemptAt: at(-HOUR_MS) }),
    {
      _v: 1,
      _action: 'delete',
      key: 'cross.pattern.auth',
      _status: 'pending',
      _attempts: 0,
      _enqueuedAt: ours,
      _nextAttemptAt: ours,
    },
    { content: 'without any bookkeeping' },
    record({ _status: 'pending', _nextAttemptAt: 'at some time' }),
  ]
  for (const line of lines) appendFileSync(memory.forge('openbrain-queue.jsonl'), `${JSON.stringify(line)}\n`)
  appendFileSync(memory.forge('openbrain-queue.jsonl'), 'null\n{"torn\n')
  write(memory, 'openbrain-dlq.jsonl', [record({ _status: 'failed', _failedAt: ours }), record({}), 'garbage'])
  assert.equal(buildMemoryReport(memory.options).queue.pending, 1, 'lines that others wrote wait for a person')
  await trustForeignRecords(memory.options)
  const { queue } = buildMemoryReport(memory.options)
  assert.deepEqual(queue, { pending: 6, delivered: 1, failed: 2, deferred: 1, dlq: 2 })
})

test('the drain trend looks back over the last twenty passes', (t) => {
  const memory = freshMemory(t)
  const pass = (number) => ({
    _v: 1,
    timestamp: at(0),
    source: 'drain',
    attempted: number,
    delivered: number - 1,
    deferred: 1,
    dlq: 0,
  })
  const lines = Array.from({ length: 30 }, (_, number) => pass(number + 1))
  write(memory, 'openbrain-stats.jsonl', [...lines.slice(0, 29), 'torn {', lines[29]])
  const { drainTrend } = buildMemoryReport(memory.options)
  const delivered = lines.slice(10).reduce((sum, line) => sum + line.delivered, 0)
  assert.deepEqual(drainTrend, {
    passes: 20,
    lastAttempted: 30,
    lastDelivered: 29,
    totalDelivered: delivered,
    totalDeferred: 20,
    totalFailed: 0,
    totalDead: 0,
  })
})

test('telemetry counts every capture ever, by tool and by type', (t) => {
  const memory = freshMemory(t)
  // More than the five hundred lines that an older tool looks at, and lines that it wrote itself.
  const line = {
    _v: 1,
    timestamp: at(0),
    tool: 'forge_old',
    type: 'gotcha',
    source: 'forge_old',
    project: 'shop',
    contentLen: 3,
  }
  const lines = Array.from({ length: 700 }, (_, number) => ({ ...line, deduped: number % 7 === 0 }))
  write(memory, 'telemetry/memory-captures.jsonl', lines)
  capture(memory, { body: 'one more' })
  capture(memory, { body: 'one more' })
  const expected = {
    total: 702,
    deduped: 101,
    byTool: { forge_old: 700, forge_sweep: 2 },
    byType: { gotcha: 700, lesson: 2 },
  }
  assert.deepEqual(buildMemoryReport(memory.options).telemetry, expected)
  assert.deepEqual(buildCaptureTelemetry(memory.options), expected)
})

test('cached searches are counted, and the fresh ones among them', (t) => {
  const memory = freshMemory(t)
  const entry = (key, cachedAt, ttlMs) => ({
    _v: 1,
    key,
    query: 'q',
    project: 'shop',
    limit: 5,
    results: [],
    cachedAt,
    ttlMs,
  })
  write(memory, 'memory-search-cache.jsonl', [
    entry('a', at(-10), 60_000),
    entry('a', at(-2 * HOUR_MS), HOUR_MS),
    entry('b', at(-HOUR_MS / 2)),
    entry('c', 'never'),
  ])
  assert.deepEqual(buildMemoryReport(memory.options).cache, { totalEntries: 4, uniqueKeys: 3, freshEntries: 2 })
})

test('files of this package and of older tools are not orphans, and unknown files are', (t) => {
  const memory = freshMemory(t)
  writeFileSync(join(memory.project, '.forge.json'), '{"limits":{"eventsBytes":4096,"telemetryBytes":4096}}')
  for (const type of ['gotcha', 'lesson', 'decision', 'pattern', 'convention', 'other']) {
    for (let number = 0; number < 5; number++) capture(memory, { type, body: sentenceOf(number) })
  }
  const { id } = capture(memory, { body: 'to be edited' })
  editMemory(id, { body: 'edited' }, memory.options)
  forget(id, memory.options)
  memorySave({ pattern: 'a pattern', category: 'convention' }, memory.options)
  settleIndex(memory.options)
  assert.deepEqual(buildMemoryReport(memory.options).orphans, [])
  const older = [
    'liveguard-memories.jsonl',
    'openbrain-queue.archive.jsonl',
    'openbrain-replay-1763632000000.jsonl',
    'phase.lock',
    'capabilities.json',
    'gate-suggestions.jsonl',
    'deploy-journal.jsonl',
    'fix-proposals.jsonl',
    'hub-events.jsonl.bak-2026-11-20',
    'local-recall-index.json',
  ]
  for (const name of older) write(memory, name, [])
  for (const name of [
    'anvil',
    'brain',
    'hallmarks',
    'lattice',
    'review-queue',
    'reviews',
    'runs',
    'skills-auto',
    'trajectories',
  ]) {
    write(memory, `${name}/file.json`, [])
  }
  assert.deepEqual(buildMemoryReport(memory.options).orphans, [])
  write(memory, 'notes.txt', [])
  write(memory, 'mine/notes.txt', [])
  assert.deepEqual(buildMemoryReport(memory.options).orphans, ['mine', 'notes.txt'])
})

test('a report, a status and a diagnosis change nothing', (t) => {
  const memory = freshMemory(t)
  for (let number = 0; number < 20; number++) capture(memory, { body: sentenceOf(number) })
  appendFileSync(memory.raw, 'garbage\n{"torn":')
  const before = treeOf(memory.folder)
  for (const options of [memory.options, { projectDir: memory.project }]) {
    buildMemoryReport(options)
    buildCaptureTelemetry(options)
    memoryStatus(options)
    diagnose(options)
  }
  assert.deepEqual(treeOf(memory.folder), before)
})

test('the status has the counts and the settings in use', (t) => {
  const memory = freshMemory(t)
  capture(memory, { body: 'one' })
  capture(memory, { body: 'two' })
  memorySave({ pattern: 'three', category: 'convention' }, memory.options)
  memorySave({ pattern: 'four', category: 'convention', scope: 'global' }, memory.options)
  writeFileSync(join(memory.project, '.forge.json'), '{"projectName":"shop","durability":"disk","redact":"perhaps"}')
  const status = memoryStatus(memory.options)
  assert.deepEqual(
    [status.projectDir, status.projectName, status.home, status.configPath],
    [memory.project, 'shop', memory.home, join(memory.project, '.forge.json')],
  )
  assert.deepEqual([status.counts.memories, status.counts.global, status.queued, status.deadLetters], [4, 1, 2, 0])
  assert.deepEqual([status.durability, status.redact, status.indexedBytes], ['disk', true, status.journalBytes])
  assert.match(status.configProblem, /redact/)
})

test('the diagnosis names damaged lines, bad settings and unknown files, the worst first', (t) => {
  const memory = freshMemory(t)
  const codes = () =>
    diagnose(memory.options)
      .filter(({ severity }) => severity !== 'ok')
      .map(({ code }) => code)
  assert.deepEqual(codes(), ['NO_MEMORY'])
  capture(memory, { body: 'one' })
  assert.deepEqual(codes(), [])
  appendFileSync(memory.raw, 'garbage\n')
  write(memory, 'notes.txt', [])
  writeFileSync(join(memory.project, '.forge.json'), '{"durability":"often"}')
  assert.equal(codes()[0], 'CONFIG')
  assert.deepEqual(codes().sort(), ['CONFIG', 'ORPHANS', 'UNPARSABLE_LINES'])
  for (const finding of diagnose(memory.options)) assert.ok(finding.message.length > 0 && finding.subject.length > 0)
  assert.equal(recall('one', memory.options).hits.length, 1)
})

test('a type with the name of a property that every object has is counted like any other', (t) => {
  const memory = freshMemory(t)
  for (const type of ['__proto__', 'constructor', 'toString']) {
    assert.equal(capture(memory, { type, body: `What ${type} is for` }).captured, true)
  }
  const { byType } = buildCaptureTelemetry(memory.options)
  assert.deepEqual(Object.entries(byType).sort(), [
    ['__proto__', 1],
    ['constructor', 1],
    ['toString', 1],
  ])
  assert.equal(Object.hasOwn(buildMemoryReport(memory.options).telemetry.byType, '__proto__'), true)
})

test('a last line without a line end is recalled at once, and the next capture is a line of its own', (t) => {
  const memory = freshMemory(t)
  const record = { id: 'mem_unended', content: 'Integration tests must close the pool', type: 'lesson' }
  write(memory, 'memory-captures.jsonl', [])
  writeFileSync(memory.raw, JSON.stringify(record))
  const found = () => recall('integration pool', memory.options).hits.map(({ id }) => id)
  assert.deepEqual(found(), [record.id])
  capture(memory, { body: 'Prices are integers of cents' })
  assert.deepEqual(JSON.parse(readFileSync(memory.raw, 'utf8').split('\n')[0]), record)
  assert.deepEqual(found(), [record.id])
})

test('delivered records are counted, also after they left the queue', async (t) => {
  const memory = freshMemory(t)
  for (const round of [1, 2]) {
    capture(memory, { body: `the first of round ${round}: ${sentenceOf(round)}` })
    capture(memory, { body: `the second of round ${round}: ${sentenceOf(round + 10)}` })
    await drainOpenBrain(memory.options)
    const { queue } = buildMemoryReport(memory.options)
    assert.deepEqual([queue.pending, queue.delivered], [0, 2 * round])
  }
  write(memory, 'openbrain-queue.archive.1.jsonl', [
    { _v: 1, _status: 'delivered' },
    { _v: 1, _status: 'delivered' },
  ])
  assert.equal(buildMemoryReport(memory.options).queue.delivered, 6)
})

test('reports fit into 80 columns', (t) => {
  const command = freshCommand(t)
  const project = join(command.folder, 'a-folder-with-a-name-that-goes-on-and-on'.repeat(3), 'and-one-more')
  mkdirSync(join(project, '.forge', 'telemetry'), { recursive: true })
  for (const name of ['one', 'two', 'three', 'four', 'five']) {
    writeFileSync(join(project, '.forge', `${name}-that-nobody-knows-and-nobody-made.txt`), '')
    const tool = `forge_${name}_with_a_very_long_name_of_a_tool_that_goes_on_and_on_and_on`
    command.run(['--project', project, 'capture', '--tool', tool, '--type', `${name}-type`.repeat(7), `about ${name}`])
  }
  const versions = Array.from({ length: 9 }, (_, at) => JSON.stringify({ _v: at + 1, content: 'x' }))
  writeFileSync(join(project, '.forge', 'lessons.jsonl'), `${versions.join('\n')}\n`)
  const queue = Array.from({ length: 2000 }, () => '{"_v":1,"content":"x","_status":"failed"}\n').join('')
  writeFileSync(join(project, '.forge', 'openbrain-queue.jsonl'), queue)
  for (const LANG of ['C.UTF-8', 'C']) {
    const { stdout } = command.run(['--project', project, 'report'], { env: { COLUMNS: '80', LANG } })
    // A path that is wider stays whole, to be copied.
    for (const line of stdout.split('\n')) assert.ok([...line].length <= 80 || !line.includes(' '), line)
    assert.match(stdout, /five-that-nobody-knows-and-nobody-made\.txt/)
  }
})
