import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { approveSetting } from '../dist/shared/asked-settings.js'
import { buildCaptureTelemetry, captureMemory, memoryStatus, recall } from '../index.js'
import { freshMemory, physicalLines, reopened, sentenceOf } from './support/memory.mjs'
import { filesUnder, readLines } from './support/project.mjs'

const DAY_MS = 86_400_000
const ROUTES = {
  gotcha: 'gotchas.jsonl',
  lesson: 'lessons.jsonl',
  decision: 'decisions.jsonl',
  pattern: 'patterns.jsonl',
  convention: 'conventions.jsonl',
}
const BODY = 'Gate needs --runInBand on Windows, or the run times out'

const capture = (memory, fields) =>
  captureMemory({ type: 'lesson', body: BODY, tool: 'forge_sweep', ...fields }, memory.options)
const configure = (memory, settings) => writeFileSync(join(memory.project, '.forge.json'), JSON.stringify(settings))

test('a capture is in the raw log, in the file of its type, in the queue, in the events and in the telemetry', (t) => {
  const memory = freshMemory(t)
  const outcome = capture(memory, { source: 'forge_sweep/gate', tags: ['jest'], confidence: 0.9, createdBy: 'claude' })
  const { thought } = outcome
  assert.deepEqual(
    { ...outcome, thought: undefined },
    {
      id: thought.id,
      captured: true,
      deduped: false,
      source: 'forge_sweep/gate',
      redactions: 0,
      retired: [],
      conflicts: [],
      tiers: { hub: { ok: true }, files: { ok: true }, openbrain: { ok: true } },
      thought: undefined,
    },
  )
  const [raw] = physicalLines(memory.raw)
  const { _mark: mark, ...record } = JSON.parse(raw)
  assert.deepEqual(record, thought)
  assert.deepEqual(Object.keys(JSON.parse(raw)), [
    '_v',
    'id',
    'content',
    'project',
    'type',
    'source',
    'created_by',
    'captured_at',
    'expiresAt',
    'tags',
    'confidence',
    'said',
    'hallmark',
    '_mark',
  ])
  assert.deepEqual(
    [thought._v, thought.content, thought.project, thought.created_by, thought.tags, thought.confidence],
    [1, BODY, memoryStatus(memory.options).projectName, 'claude', ['jest'], 0.9],
  )
  assert.deepEqual(physicalLines(memory.forge('lessons.jsonl')), [raw])

  const [queued] = readLines(memory.forge('openbrain-queue.jsonl'))
  const { _status, _attempts, _enqueuedAt, _nextAttemptAt, _mark, ...delivered } = queued
  assert.match(_mark, /^[0-9a-f]{32}$/)
  assert.equal(mark, _mark)
  assert.deepEqual(delivered, thought)
  assert.deepEqual(
    [_status, _attempts, _enqueuedAt, _nextAttemptAt],
    ['pending', 0, thought.captured_at, thought.captured_at],
  )

  const [event] = readLines(memory.forge('hub-events.jsonl'))
  // Whoever wants its provenance asks for the record.
  const { hallmark, ...announced } = thought
  assert.deepEqual(event, {
    _v: 1,
    version: '1.0',
    timestamp: thought.captured_at,
    type: 'memory-captured',
    seq: 1,
    captured: true,
    deduped: false,
    tool: hallmark.toolName,
    thought: announced,
  })

  const [counted] = readLines(memory.forge('telemetry', 'memory-captures.jsonl'))
  assert.deepEqual(counted, {
    _v: 1,
    timestamp: thought.captured_at,
    tool: 'forge_sweep',
    type: 'lesson',
    source: 'forge_sweep/gate',
    project: thought.project,
    contentLen: BODY.length,
    deduped: false,
  })
})

test('each of the five types goes to its file, and any other type to none', (t) => {
  const memory = freshMemory(t)
  for (const [type, file] of Object.entries(ROUTES)) {
    const { id } = capture(memory, { type, body: `about ${type}` })
    assert.deepEqual(
      readLines(memory.forge(file)).map((line) => line.id),
      [id],
    )
  }
  const before = filesUnder(memory.forge())
  assert.equal(capture(memory, { type: 'run-summary', body: 'three of four slices passed' }).captured, true)
  assert.deepEqual(filesUnder(memory.forge()), before)
  assert.equal(readLines(memory.raw).length, 6)
})

test('a capture expires by its type, or when it says', (t) => {
  const memory = freshMemory(t)
  const days = { lesson: 365, decision: 180, gotcha: 90, insight: 90, pattern: undefined, convention: undefined }
  for (const [type, expected] of Object.entries(days)) {
    const { thought } = capture(memory, { type, body: `about ${type}` })
    const lifetime = thought.expiresAt && (Date.parse(thought.expiresAt) - Date.parse(thought.captured_at)) / DAY_MS
    assert.deepEqual([type, lifetime], [type, expected])
  }
  const { thought } = capture(memory, { type: 'pattern', body: 'until then', expiresAt: '2999-12-31T12:00:00+01:00' })
  assert.equal(thought.expiresAt, '2999-12-31T11:00:00.000Z')
})

test('a source is stored when it is one, and is unknown with the reason when it is not', (t) => {
  const memory = freshMemory(t)
  const valid = ['forge_run_plan', 'forge_run_plan/slice-executor', 'watcher/fs-rule', 'hook/pre-deploy']
  const invalid = ['My Tool', 'forge_run_plan / slice-executor', '', 'a/b/c', '/x', 'x/', '../x']
  for (const [number, source] of [...valid, ...invalid].entries()) {
    const outcome = capture(memory, { source, body: sentenceOf(number) })
    assert.equal(outcome.captured, true)
    const stored = valid.includes(source) ? source : 'unknown'
    assert.deepEqual([source, outcome.source, outcome.thought.source], [source, stored, stored])
    assert.equal(typeof outcome.sourceRejected, valid.includes(source) ? 'undefined' : 'string')
  }
  const rejected = readLines(memory.forge('telemetry', 'memory-captures.jsonl')).filter((line) => line.sourceRejected)
  assert.equal(rejected.length, invalid.length)
  assert.equal(capture(memory, { source: undefined, body: 'the tool stands in' }).source, 'forge_sweep')
  assert.equal(capture(memory, { source: undefined, tool: undefined, body: 'nobody says' }).source, 'agent')
})

/** RFC 8785 for what a record is made of: JSON.stringify writes numbers and texts as it demands. */
function canonical(value) {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`
  if (value === null || typeof value !== 'object') return JSON.stringify(value)
  const names = Object.keys(value).sort()
  return `{${names.map((name) => `${JSON.stringify(name)}:${canonical(value[name])}`).join(',')}}`
}

test('the hallmark names tool and time, and its hash is that of the canonical record', (t) => {
  const memory = freshMemory(t)
  const bodies = [BODY, 'quotes " \\ and \n lines \u2028 \u0001', '日本語 👩‍👩‍👧 ß']
  const first = capture(memory, { body: 'to be superseded' }).id
  const extras = [{}, { confidence: 0.1 + 0.2, tags: ['b', 'a"'] }, { supersedes: first, expiresAt: '2999-01-01' }]
  for (const body of bodies)
    for (const extra of extras) capture(memory, { body: `${body} ${JSON.stringify(extra)}`, ...extra })
  const lines = readLines(memory.raw)
  assert.equal(lines.length, 1 + bodies.length * extras.length)
  for (const { hallmark, ...record } of lines) {
    const kept = Object.fromEntries(Object.entries(record).filter(([name]) => !name.startsWith('_')))
    const contentHash = `sha256:${createHash('sha256').update(canonical(kept)).digest('hex')}`
    assert.deepEqual(hallmark, {
      schemaVersion: 'hallmark/v1',
      toolName: 'forge_sweep',
      capturedAt: record.captured_at,
      contentHash,
    })
  }
})

test('a duplicate is not stored again but confirmed, and is counted', (t) => {
  const memory = freshMemory(t)
  const first = capture(memory, {})
  const again = capture(memory, { body: BODY.toUpperCase(), source: 'hook/other' })
  assert.deepEqual(
    [again.captured, again.deduped, again.duplicateOf, again.similarity, again.id],
    [false, true, first.id, 1, first.id],
  )
  assert.deepEqual(again.tiers, { hub: { ok: true }, files: { ok: true }, openbrain: { ok: true } })
  const [, confirmation, ...rest] = readLines(memory.raw)
  assert.deepEqual(rest, [])
  assert.deepEqual(confirmation, {
    _v: 1,
    _action: 'confirm',
    id: first.id,
    source: 'hook/other',
    at: confirmation.at,
    said: 'agent/api',
  })
  const lengths = ['lessons.jsonl', 'openbrain-queue.jsonl', 'hub-events.jsonl'].map(
    (name) => readLines(memory.forge(name)).length,
  )
  assert.deepEqual(lengths, [1, 1, 2])
  assert.deepEqual(readLines(memory.forge('hub-events.jsonl'))[1].deduped, true)
  assert.deepEqual(buildCaptureTelemetry(memory.options), {
    total: 2,
    deduped: 1,
    byTool: { forge_sweep: 2 },
    byType: { lesson: 2 },
  })
})

test('a text with a few words of content more or less is a duplicate from a cosine of 0.9 on', (t) => {
  const memory = freshMemory(t)
  const letter = (at) => String.fromCharCode(97 + at)
  const words = Array.from({ length: 16 }, (_, at) => `${letter(at)}ord${letter(at)}o`)
  const { id } = capture(memory, { body: words.join(' ') })
  const near = capture(memory, { body: [...words, 'unlike', 'every'].join(' ') })
  assert.deepEqual([near.duplicateOf, near.similarity], [id, 16 / Math.sqrt(16 * 17)])
  assert.equal(capture(memory, { body: words.slice(3).join(' ') }).duplicateOf, id)
  assert.equal(capture(memory, { body: words.slice(4).join(' ') }).captured, true)
})

test('a corrected fact is stored', (t) => {
  const memory = freshMemory(t)
  for (const [known, corrected] of [
    ['The rate limit is 100 requests a minute', 'The rate limit is 250 requests a minute'],
    ['Deploys go out on Tuesday', 'Deploys go out on Thursday'],
    ['CI builds with Node 18', 'CI builds with Node 20'],
    ['Dependencies are installed with yarn', 'Dependencies are installed with pnpm'],
    ['Priya owns the billing service', 'Marcus owns the billing service'],
    ['Look rows up with find_le', 'Look rows up with find_lt'],
  ]) {
    assert.equal(capture(memory, { body: known }).captured, true, known)
    assert.equal(capture(memory, { body: corrected }).captured, true, corrected)
    assert.equal(capture(memory, { body: `Note: ${corrected}!` }).deduped, true, corrected)
  }
})

test('a duplicate is found however much was captured in between', (t) => {
  const memory = freshMemory(t)
  const first = capture(memory, {})
  for (let number = 0; number < 2000; number++) capture(memory, { body: sentenceOf(number) })
  assert.equal(capture(memory, {}).duplicateOf, first.id)
  assert.equal(capture(memory, { body: `${BODY}!` }).duplicateOf, first.id)
  assert.equal(readLines(memory.raw).filter((line) => line.content === BODY).length, 1)
})

test('the contrary of a lesson is not a duplicate of it', (t) => {
  const memory = freshMemory(t)
  const rest =
    'use the shared connection pool for queries inside request handlers of this service since the database server counts its open sessions'
  for (const body of [
    `Always ${rest}`,
    `Never ${rest}`,
    'The init function calls setup before connect in every worker',
    'The init function calls connect before setup in every worker',
    'Enable strict mode in the compiler options of every package',
    'Disable strict mode in the compiler options of every package',
  ]) {
    assert.deepEqual([body, capture(memory, { body }).captured], [body, true])
  }
})

test('the same words of another type or another project are kept', (t) => {
  const memory = freshMemory(t)
  for (const fields of [{}, { type: 'convention' }, { project: 'shop' }, { type: 'convention', project: 'shop' }]) {
    assert.deepEqual([fields, capture(memory, fields).captured], [fields, true])
    assert.deepEqual([fields, capture(memory, fields).deduped], [fields, true])
  }
})

test('text of every script is compared', (t) => {
  const memory = freshMemory(t)
  for (const [body, other] of [
    ['ビルドの前に必ずキャッシュを消すこと', 'テストの後でログを保存すること'],
    ['перед сборкой нужно очистить кэш', 'после тестов сохраните журнал'],
    ['πριν από το build καθαρίστε την κρυφή μνήμη', 'αποθηκεύστε το αρχείο μετά τις δοκιμές'],
    ['امسح الذاكرة المؤقتة قبل البناء', 'احفظ السجل بعد الاختبارات'],
    ['构建之前必须清除缓存', '测试之后保存日志'],
    ['Größe vor dem Bauen prüfen', 'Protokoll nach den Prüfungen sichern'],
  ]) {
    const { id } = capture(memory, { body })
    assert.deepEqual([body, capture(memory, { body: `${body}!` }).duplicateOf], [body, id])
    assert.deepEqual([other, capture(memory, { body: other }).captured], [other, true])
  }
})

test('the number of an event increases strictly, also across rotations and restarts', (t) => {
  const memory = freshMemory(t)
  configure(memory, { limits: { eventsBytes: 4096 } })
  const numbers = []
  const note = () => numbers.push(readLines(memory.forge('hub-events.jsonl')).at(-1).seq)
  for (let number = 0; number < 40; number++) {
    captureMemory({ type: 'lesson', body: sentenceOf(number) }, number % 3 === 0 ? reopened(memory) : memory.options)
    note()
  }
  assert.deepEqual(
    numbers,
    Array.from({ length: 40 }, (_, at) => at + 1),
  )
  assert.ok(existsSync(memory.forge('hub-events.1.jsonl')))
  assert.ok(readLines(memory.forge('hub-events.jsonl')).length < 20)
})

test('sequence numbers increase after torn lines, and after any number of lines without one', (t) => {
  const memory = freshMemory(t)
  const path = memory.forge('hub-events.jsonl')
  const numbers = []
  const note = (options) => {
    captureMemory({ type: 'lesson', body: sentenceOf(numbers.length) }, options)
    numbers.push(readFileSync(path, 'utf8').trimEnd().split('\n').map(numberOf).at(-1))
  }
  const numberOf = (line) => {
    try {
      return JSON.parse(line).seq
    } catch {
      return undefined
    }
  }
  note(memory.options)
  note(memory.options)
  appendFileSync(path, '{"version":"1.0","seq":9')
  note(reopened(memory))
  const foreign = {
    version: '1.0',
    timestamp: '2026-11-20T10:00:00.000Z',
    type: 'slice-started',
    text: 'x'.repeat(1000),
  }
  appendFileSync(path, `${JSON.stringify(foreign)}\n`.repeat(1200))
  note(reopened(memory))
  note(memory.options)
  assert.deepEqual(numbers, [1, 2, 3, 4, 5])
})

test('the totals are over all captures, also across rotation', (t) => {
  const memory = freshMemory(t)
  configure(memory, { limits: { telemetryBytes: 4096 } })
  for (let number = 0; number < 60; number++) {
    const type = number % 2 === 0 ? 'lesson' : 'gotcha'
    capture(memory, { type, body: sentenceOf(number - (number % 6)), tool: `tool_${number % 3}` })
  }
  assert.ok(existsSync(memory.forge('telemetry', 'memory-captures.1.jsonl')))
  const expected = {
    total: 60,
    deduped: 40,
    byTool: { tool_0: 20, tool_1: 20, tool_2: 20 },
    byType: { lesson: 30, gotcha: 30 },
  }
  assert.deepEqual(buildCaptureTelemetry(memory.options), expected)
  // Counted from the files, by a process that has seen none of it.
  assert.deepEqual(buildCaptureTelemetry(reopened(memory)), expected)
})

test('a tier that fails is reported and does not stop the others', (t) => {
  const folders = {
    'lessons.jsonl': 'files',
    'telemetry/memory-captures.jsonl': 'files',
    'openbrain-queue.jsonl': 'openbrain',
    'hub-events.jsonl': 'hub',
  }
  for (const [name, tier] of Object.entries(folders)) {
    const memory = freshMemory(t)
    mkdirSync(memory.forge(name), { recursive: true })
    const outcome = capture(memory, {})
    assert.deepEqual([name, outcome.captured], [name, true])
    for (const [other, { ok, error }] of Object.entries(outcome.tiers)) {
      assert.deepEqual([name, other, ok], [name, other, other !== tier])
      if (!ok) assert.match(error.message, /lessons|telemetry|queue|events/)
    }
    assert.equal(readLines(memory.raw).length, 1)
    for (const file of Object.keys(folders).filter((file) => file !== name)) {
      assert.deepEqual([name, file, readLines(memory.forge(file)).length], [name, file, 1])
    }
    assert.equal(recall('Windows', memory.options).hits.length, 1)
  }
})

test('without a line in the raw log nothing is captured, and no other tier says that it was', (t) => {
  const memory = freshMemory(t)
  mkdirSync(memory.raw, { recursive: true })
  const outcome = capture(memory, {})
  assert.deepEqual([outcome.captured, outcome.deduped], [false, false])
  assert.deepEqual([outcome.tiers.files.ok, outcome.tiers.openbrain.ok], [false, false])
  assert.match(outcome.tiers.files.error.message, /memory-captures\.jsonl/)
  for (const name of ['lessons.jsonl', 'openbrain-queue.jsonl'])
    assert.equal(existsSync(memory.forge(name)), false, name)
  const events = readLines(memory.forge('hub-events.jsonl'))
  assert.deepEqual(
    events.map(({ captured, type }) => [captured, type]),
    [[false, 'memory-captured']],
  )
})

test('secrets in the text and in the tags are redacted before anything is stored', (t) => {
  const memory = freshMemory(t)
  const secret = ['gh', 'p_', 'R7xk2mQ9vT4bW8nZ3cY6hJ1dF5gL0sPaEiUo'].join('')
  const outcome = capture(memory, { body: `push with ${secret} as the token`, tags: [secret, 'ci'] })
  assert.deepEqual([outcome.captured, outcome.redactions], [true, 2])
  const leaks = () =>
    filesUnder(memory.project).filter((name) => readFileSync(join(memory.project, name), 'latin1').includes(secret))
  assert.deepEqual(leaks(), [])
  configure(memory, { redact: false })
  approveSetting(memory.project, 'redact: false')
  assert.equal(capture(memory, { body: `keep ${secret} as it is` }).redactions, 0)
  assert.ok(leaks().includes('.forge/memory-captures.jsonl'))
})

test('the project is named by .forge.json, by the capture, or by the path of its folder', (t) => {
  const memory = freshMemory(t)
  const names = [capture(memory, { body: 'one' }).thought.project]
  configure(memory, { projectName: 'shop', other: [1] })
  names.push(
    capture(memory, { body: 'two' }).thought.project,
    capture(memory, { body: 'three', project: 'mine' }).thought.project,
  )
  assert.match(names.shift(), /^local\/[0-9a-f]{12}\/project$/)
  assert.deepEqual(names, ['shop', 'mine'])
})
