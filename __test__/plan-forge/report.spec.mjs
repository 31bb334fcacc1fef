// The report by the older tool's names, and projects that it left unmigrated.
import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import {
  autoDrainOpenBrainQueue,
  buildMemoryReport,
  buildProvenance,
  captureMemory,
  HALLMARK_SCHEMA_VERSION,
  mergeProvenance,
  validateProvenance,
} from 'forge-memory/plan-forge'
import { freshCommand } from '../support/command.mjs'
import { freshProject, OLDER_LOG, olderRecord, olderThought, QUEUE } from '../support/plan-forge.mjs'

const GOTCHA = { content: 'Gate needs --runInBand', type: 'gotcha', source: 'forge_sweep' }

test('the report has the fields that others read, by their names', (t) => {
  const { cwd } = freshProject(t)
  const report = buildMemoryReport(cwd)
  for (const name of [
    '_v',
    'timestamp',
    'cwd',
    'forgeDirExists',
    'l2Files',
    'queue',
    'drainTrend',
    'telemetry',
    'cache',
    'orphans',
  ])
    assert.ok(name in report, name)
  assert.deepEqual([report._v, report.cwd, report.forgeDirExists], [1, cwd, false])
})

test('the queue counts pending, delivered, failed, deferred and dlq', (t) => {
  const { cwd } = freshProject(t)
  captureMemory({ ...GOTCHA, cwd })
  const { pending, delivered, failed, deferred, dlq } = buildMemoryReport(cwd).queue
  assert.deepEqual([pending, delivered, failed, deferred, dlq], [1, 0, 0, 0, 0])
})

test('telemetry counts all, duplicates, and by tool and type', (t) => {
  const { cwd } = freshProject(t)
  for (let times = 0; times < 2; times += 1) captureMemory({ ...GOTCHA, cwd })
  const { total, dedupedCount, byTool, byType } = buildMemoryReport(cwd).telemetry
  assert.deepEqual([total, dedupedCount, byTool, byType], [2, 1, { forge_sweep: 2 }, { gotcha: 2 }])
})

test('a file is reported with name, size, records and versions', (t) => {
  const { cwd } = freshProject(t)
  captureMemory({ ...GOTCHA, cwd })
  const file = buildMemoryReport(cwd).l2Files.find(({ name }) => name === 'memory-captures.jsonl')
  assert.deepEqual([file.exists, file.records, file.versions], [true, 1, { 1: 1 }])
  assert.ok(file.size > 0)
})

test('the drain trend and the cache are counted', (t) => {
  const { drainTrend, cache } = buildMemoryReport(freshProject(t).cwd)
  for (const name of ['passes', 'lastAttempted', 'lastDelivered', 'totalDelivered', 'totalDeferred'])
    assert.equal(drainTrend[name], 0)
  assert.deepEqual(cache, { totalEntries: 0, uniqueKeys: 0, freshEntries: 0 })
})

test('a record in back-off is deferred and not also pending', async (t) => {
  const { cwd } = freshProject(t)
  captureMemory({ ...GOTCHA, cwd })
  await autoDrainOpenBrainQueue(cwd, { dispatcher: () => ({ ok: false, error: 'HTTP_503' }) })
  captureMemory({ ...GOTCHA, content: 'Another thing altogether', cwd })
  const { pending, deferred } = buildMemoryReport(cwd).queue
  assert.deepEqual([pending, deferred], [1, 1])
})

test('the ten files of the older tool are in the report, whether they exist or not', (t) => {
  const project = freshProject(t)
  project.append('.forge/incidents.jsonl', { _v: 1, id: 'i1' }, { id: 'i2' })
  const files = new Map(buildMemoryReport(project.cwd).l2Files.map((file) => [file.name, file]))
  for (const name of `liveguard-memories openbrain-queue openbrain-dlq openbrain-stats hub-events drift-history incidents
    regression-history env-diff-history memory-search-cache`.split(/\s+/))
    assert.equal(typeof files.get(`${name}.jsonl`)?.exists, 'boolean', name)
  const { exists, records, versions, size } = files.get('incidents.jsonl')
  assert.deepEqual([exists, records, versions], [true, 2, { 1: 1, none: 1 }])
  assert.ok(size > 0)
})

test('the drain trend looks back over twenty passes', (t) => {
  const project = freshProject(t)
  const pass = (delivered) => {
    const counts = { attempted: delivered, delivered, deferred: 1, dlq: 0, durationMs: 1 }
    return { _v: 1, timestamp: new Date().toISOString(), source: 'cli-drain', ...counts }
  }
  project.append('.forge/openbrain-stats.jsonl', ...Array.from({ length: 25 }, (_, n) => pass(n)))
  const { passes, lastAttempted, lastDelivered, totalDelivered, totalDeferred } = buildMemoryReport(
    project.cwd,
  ).drainTrend
  const expected = Array.from({ length: 20 }, (_, n) => n + 5).reduce((sum, n) => sum + n, 0)
  assert.deepEqual([passes, lastAttempted, lastDelivered, totalDelivered, totalDeferred], [20, 24, 24, expected, 20])
})

test('a report writes nothing', (t) => {
  const project = freshProject(t)
  buildMemoryReport(project.cwd)
  assert.equal(project.has('.forge'), false)
})

test('files that belong to nobody are orphans; those of the older tool are not', (t) => {
  const project = freshProject(t)
  project.write('.forge/notes.bin', 'x')
  project.append(OLDER_LOG, olderThought('a'))
  for (const name of [
    'anvil/stats.json',
    'brain/a/b.json',
    'hallmarks/h.json',
    'gate-suggestions.jsonl',
    ...`dashboard-state.json version-check.json fm-prefs.json forge-master-observer-state.json liveguard-events.jsonl team-activity.jsonl
      rbac.example.json release-notes-v3.24.2.md release-notes-v3.txt meta-bug-7.md meta-bug-7.txt meta-bug-7.json gate-tmp.x plans/p.md digests/d
      runbooks/r.md analysis/a fm-sessions/s cache/c validation/v chain-logs/c health/h archive/a network-logs/n hammer-forge-master/h
      load-sim/l orchestrator-logs/o traces/t`.split(/\s+/),
    'x.bak',
    '.hidden',
    'drift-history.json',
    'reviews/r.json',
    'review-queue/r.json',
    'review-queue.json',
    'patterns/p.json',
    'postmortems/p.md',
    'incidents/i.json',
    'deploy-journal.jsonl',
    'model-performance.json',
    'secret-scan-cache.json',
    'env-diff-cache.json',
    'tmp-capture.json',
  ])
    project.write(`.forge/${name}`, '{}\n')
  assert.deepEqual(buildMemoryReport(project.cwd).orphans, ['notes.bin'])
})

test('files of the older tool are reported with the command that migrates them', (t) => {
  const project = freshProject(t)
  project.append(OLDER_LOG, olderThought('a'), olderThought('b'))
  const { l2Files, unmigrated, hint } = buildMemoryReport(project.cwd)
  const file = l2Files.find(({ name }) => name === 'liveguard-memories.jsonl')
  assert.deepEqual([file.exists, file.records], [true, 2])
  assert.deepEqual(unmigrated, ['liveguard-memories.jsonl'])
  assert.match(hint, /forge-memory migrate-memory/)
})

for (const [what, args] of [
  ['recall', ['recall', 'gate']],
  ['status', ['status']],
  ['doctor', ['doctor']],
]) {
  test(`forge-memory ${what} names the older tool's log and the command that takes it over`, (t) => {
    const command = freshCommand(t)
    mkdirSync(join(command.project, '.forge'))
    writeFileSync(join(command.project, OLDER_LOG), `${JSON.stringify(olderThought('the gate is slow'))}\n`)
    const { stdout, stderr } = command.run(args)
    assert.match(stdout + stderr, /liveguard-memories\.jsonl/)
    assert.match(stdout + stderr, /forge-memory migrate-memory/)
  })
}

test('the queue of the older tool is reported', (t) => {
  const project = freshProject(t)
  project.append(QUEUE, olderRecord('a'), olderRecord('b'))
  const file = buildMemoryReport(project.cwd).l2Files.find(({ name }) => name === 'openbrain-queue.jsonl')
  assert.equal(file.records, 2)
})

test('records queued by the older tool are counted before they are migrated', (t) => {
  const project = freshProject(t)
  const late = { _nextAttemptAt: '2999-01-01T00:00:00.000Z' }
  const [done, failed] = [{ _status: 'delivered' }, { _status: 'failed' }]
  project.append(QUEUE, olderRecord('a'), olderRecord('b', late), olderRecord('c', done), olderRecord('e', failed))
  project.append('.forge/openbrain-dlq.jsonl', olderRecord('d', { _status: 'failed', _attempts: 5 }))
  captureMemory({ ...GOTCHA, cwd: project.cwd })
  const { pending, deferred, delivered, failed: dead, dlq } = buildMemoryReport(project.cwd).queue
  assert.deepEqual([pending, deferred, delivered, dead, dlq], [2, 1, 1, 1, 1])
})

for (const cwd of [null, 7, '', '/nowhere/at/all']) {
  test(`buildMemoryReport(${JSON.stringify(cwd)}) is empty, and says why`, () => {
    const { l2Files, forgeDirExists, error } = buildMemoryReport(cwd)
    assert.deepEqual([l2Files, forgeDirExists], [[], false])
    assert.ok(error.message.length > 0)
  })
}

const VALID = { schemaVersion: 'hallmark/v1', toolName: 'forge_sweep', capturedAt: '2026-11-20T10:00:00.000Z' }
const HASH = `sha256:${'0'.repeat(64)}`

test('the version of the envelope is hallmark/v1', () => assert.equal(HALLMARK_SCHEMA_VERSION, 'hallmark/v1'))

for (const fields of [
  {},
  { sourceFile: 'a.js', byteRange: [0, 10], contentHash: HASH, codeHash: HASH, toolVersion: '1' },
  { byteRange: [5, 5] },
  { capturedAt: '2026-11-20T10:00:00Z' },
]) {
  test(`an envelope with ${JSON.stringify(Object.keys(fields))} is valid`, () => {
    assert.deepEqual(validateProvenance({ ...VALID, ...fields }), { ok: true })
  })
}

for (const [what, record] of [
  ['null', null],
  ['nothing', undefined],
  ['a text', 'x'],
  ['a list', []],
  ['another version', { ...VALID, schemaVersion: 'hallmark/v2' }],
  ['no tool', { ...VALID, toolName: undefined }],
  ['an empty tool', { ...VALID, toolName: '' }],
  ['a time without its zone', { ...VALID, capturedAt: '2026-11-20T10:00:00' }],
  ['no time', { ...VALID, capturedAt: undefined }],
  ['a range that ends before it begins', { ...VALID, byteRange: [5, 4] }],
  ['a range below zero', { ...VALID, byteRange: [-1, 4] }],
  ['a range of fractions', { ...VALID, byteRange: [0.5, 4] }],
  ['a hash in capitals', { ...VALID, contentHash: `sha256:${'A'.repeat(64)}` }],
  ['a hash without its name', { ...VALID, codeHash: '0'.repeat(64) }],
  ['a field that there is not', { ...VALID, other: 1 }],
]) {
  test(`an envelope with ${what} is refused with reasons`, () => {
    const { ok, errors } = validateProvenance(record)
    assert.equal(ok, false)
    assert.ok(errors.length > 0)
  })
}

test('an envelope that refers to itself is refused, not thrown', () => {
  const record = { ...VALID }
  record.self = record
  assert.equal(validateProvenance(record).ok, false)
})

test('an envelope that is made is valid', () => {
  const made = buildProvenance({ toolName: 'forge_sweep', sourceFile: 'a.js' })
  assert.deepEqual(validateProvenance(made), { ok: true })
  assert.equal(made.sourceFile, 'a.js')
})

test('version and time are not the callers to choose', () => {
  const made = buildProvenance({ toolName: 'x', schemaVersion: 'mine', capturedAt: '2000-01-01T00:00:00Z' })
  assert.equal(made.schemaVersion, 'hallmark/v1')
  assert.notEqual(made.capturedAt, '2000-01-01T00:00:00Z')
})

test('an envelope is stored in a copy of the metadata', () => {
  const metadata = { tags: ['a'] }
  assert.deepEqual(mergeProvenance(metadata, VALID), { tags: ['a'], provenance: VALID })
  assert.deepEqual(metadata, { tags: ['a'] })
  assert.deepEqual(mergeProvenance(undefined, VALID), { provenance: VALID })
})
