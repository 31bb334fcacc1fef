// `captureMemory` by the older tool's name: its arguments, its answers, its soft failures.
import assert from 'node:assert/strict'
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import test from 'node:test'
import { recall } from 'forge-memory'
import { buildRunSummaryThought, captureMemory, validateSourceFormat } from 'forge-memory/plan-forge'
import { CAPTURES, freshProject, QUEUE, warnings } from '../support/plan-forge.mjs'

const DAY = 86_400_000
const GOTCHA = { content: 'Gate needs --runInBand on Windows', type: 'gotcha', source: 'forge_sweep' }

/** Captures in a project of its own. */
function captured(t, fields = {}) {
  const project = freshProject(t)
  return { project, answer: captureMemory({ ...GOTCHA, cwd: project.cwd, ...fields }) }
}

test('a capture returns captured, deduped, openBrainQueued and the thought', (t) => {
  const { answer } = captured(t)
  assert.deepEqual(Object.keys(answer), ['captured', 'deduped', 'openBrainQueued', 'thought'])
  assert.deepEqual([answer.captured, answer.deduped], [true, false])
})

test('the thought has the fields of the older tool, in its spelling', (t) => {
  const { thought } = captured(t).answer
  for (const name of ['_v', 'content', 'project', 'type', 'source', 'created_by', 'captured_at', 'expiresAt'])
    assert.ok(name in thought, name)
  assert.equal(thought.content, GOTCHA.content)
})

test('the author is liveguard-auto unless another one is named', (t) => {
  assert.equal(captured(t).answer.thought.created_by, 'liveguard-auto')
  assert.equal(captured(t, { created_by: 'me' }).answer.thought.created_by, 'me')
})

test('the project is the one that .forge.json names', (t) => {
  const project = freshProject(t)
  project.write('.forge.json', { projectName: 'shop' })
  assert.equal(captureMemory({ ...GOTCHA, cwd: project.cwd }).thought.project, 'shop')
})

test('captured is true only when the thought is in the raw log', (t) => {
  const { project, answer } = captured(t)
  assert.equal(project.lines(CAPTURES)[0].id, answer.thought.id)
})

test('a capture writes the line of its type', (t) => {
  assert.equal(captured(t).project.lines('.forge/gotchas.jsonl').length, 1)
})

test('a capture writes a line of telemetry, a duplicate as well', (t) => {
  const { project } = captured(t)
  captureMemory({ ...GOTCHA, cwd: project.cwd })
  const rows = project.lines('.forge/telemetry/memory-captures.jsonl')
  assert.deepEqual(
    rows.map(({ deduped }) => deduped),
    [false, true],
  )
  assert.deepEqual([rows[0].tool, rows[0].type], ['forge_sweep', 'gotcha'])
})

test('a capture is queued, also where no store is set', (t) => {
  const { project, answer } = captured(t)
  assert.equal(answer.openBrainQueued, true)
  assert.equal(project.lines(QUEUE).length, 1)
})

test('a record of the queue contains its bookkeeping and the fields of the thought', (t) => {
  const [record] = captured(t).project.lines(QUEUE)
  assert.deepEqual([record._v, record._status, record._attempts], [1, 'pending', 0])
  assert.ok(record._enqueuedAt && record._nextAttemptAt)
  assert.deepEqual([record.content, record.type, record.source], [GOTCHA.content, 'gotcha', 'forge_sweep'])
})

test('the same thought again is deduped and not queued again', (t) => {
  const { project } = captured(t)
  const again = captureMemory({ ...GOTCHA, cwd: project.cwd })
  assert.deepEqual([again.captured, again.deduped, again.openBrainQueued], [false, true, false])
  assert.equal(project.lines(QUEUE).length, 1)
})

test('the same words as another type are another thought', (t) => {
  const { project } = captured(t)
  assert.equal(captureMemory({ ...GOTCHA, type: 'convention', cwd: project.cwd }).captured, true)
})

test('a reversal is not taken for a duplicate', (t) => {
  const { project } = captured(t, { content: 'Always use the cached token when the gate calls the payment service' })
  const content = 'Never use the cached token when the gate calls the payment service'
  assert.equal(captureMemory({ ...GOTCHA, content, cwd: project.cwd }).captured, true)
})

test('a repetition after fifty other captures is still a duplicate', (t) => {
  const { project } = captured(t)
  const words = 'alpha bravo charlie delta echo foxtrot golf hotel india juliet'.split(' ')
  for (let at = 0; at < 55; at += 1) {
    const content = `${words[at % 10]} ${words[Math.floor(at / 10)]} number${at} other${at} thing${at}`
    captureMemory({ ...GOTCHA, content, cwd: project.cwd })
  }
  assert.equal(captureMemory({ ...GOTCHA, cwd: project.cwd }).deduped, true)
})

for (const [language, text] of [
  ['Russian', 'Ключи кэша нуждаются в версии'],
  ['Japanese', 'キャッシュのキーには版が必要です'],
  ['Greek', 'Τα κλειδιά χρειάζονται έκδοση'],
]) {
  test(`a thought in ${language} is captured, found, and known again`, (t) => {
    const { project, answer } = captured(t, { content: text })
    assert.equal(answer.captured, true)
    assert.equal(recall(text.split(' ')[0], project.options).hits.length, 1)
    assert.equal(captureMemory({ ...GOTCHA, content: text, cwd: project.cwd }).deduped, true)
  })
}

for (const [type, days] of [
  ['lesson', 365],
  ['decision', 180],
  ['gotcha', 90],
]) {
  test(`a ${type} expires after ${days} days`, (t) => {
    const { thought } = captured(t, { type }).answer
    assert.equal(Math.round((Date.parse(thought.expiresAt) - Date.parse(thought.captured_at)) / DAY), days)
  })
}

for (const type of ['pattern', 'convention']) {
  test(`a ${type} does not expire`, (t) => {
    assert.equal(captured(t, { type }).answer.thought.expiresAt, undefined)
  })
}

test('an unknown type expires after 90 days, as Plan Forge documents but does not do', (t) => {
  const { thought } = captured(t, { type: 'insight' }).answer
  assert.equal(Math.round((Date.parse(thought.expiresAt) - Date.parse(thought.captured_at)) / DAY), 90)
})

test('onCapture gets the thought and whether it is a duplicate', (t) => {
  const project = freshProject(t)
  const told = []
  const opts = { onCapture: (thought, deduped) => told.push([thought.content, deduped]) }
  for (let times = 0; times < 2; times += 1) captureMemory({ ...GOTCHA, cwd: project.cwd, opts })
  assert.deepEqual(told, [
    [GOTCHA.content, false],
    [GOTCHA.content, true],
  ])
})

test('a callback that throws does not affect the capture', (t) => {
  const throwing = () => {
    throw new Error('no')
  }
  assert.equal(captured(t, { opts: { onCapture: throwing } }).answer.captured, true)
})

test('a callback that rejects later is reported and does not end the process', async (t) => {
  const said = await warnings(async () => {
    const rejecting = async () => {
      throw new Error('no')
    }
    assert.equal(captured(t, { opts: { onCapture: rejecting } }).answer.captured, true)
    await new Promise((resolve) => setImmediate(resolve))
  })
  assert.match(said.join(), /onCapture failed: no/)
})

test('the summary of a run is captured as the text that it is', (t) => {
  const project = freshProject(t)
  const content = buildRunSummaryThought(
    { plan: 'Phase-1', status: 'completed', results: { passed: 3, failed: 0 } },
    'shop',
  )
  const answer = captureMemory({ content, type: 'decision', source: 'forge_run_plan', cwd: project.cwd })
  assert.equal(answer.captured, true)
  assert.equal(project.lines(CAPTURES)[0].content, content.content)
  assert.equal(project.lines(QUEUE)[0].content, content.content)
})

test('secrets are redacted before anything is stored', (t) => {
  const { project } = captured(t, { content: 'the key is ghp_abcdefghijklmnopqrstuvwxyz0123456789' })
  for (const path of [CAPTURES, QUEUE]) assert.doesNotMatch(project.text(path), /ghp_/)
})

test('an invalid source is stored as unknown, and the answer says why', (t) => {
  const { answer } = captured(t, { source: 'My Tool' })
  assert.deepEqual([answer.captured, answer.thought.source], [true, 'unknown'])
  assert.match(answer.sourceRejected, /./)
})

for (const [what, fields] of [
  ['no cwd', { cwd: undefined }],
  ['a cwd that is a number', { cwd: 7 }],
  ['an empty cwd', { cwd: '' }],
  ['a cwd that is not there', { cwd: '/nowhere/at/all' }],
  ['no content', { content: undefined }],
  ['null as content', { content: null }],
  ['a number as content', { content: 7 }],
  ['an empty content', { content: '  ' }],
  ['a list as content', { content: ['a'] }],
  ['a content that is too long', { content: 'x'.repeat(70_000) }],
  ['a type that is a number', { type: 7 }],
  ['an empty type', { type: '' }],
]) {
  test(`with ${what} nothing is thrown, and the answer says why nothing was captured`, (t) => {
    const { answer } = captured(t, fields)
    assert.deepEqual(
      [answer.captured, answer.deduped, answer.openBrainQueued, answer.thought],
      [false, false, false, null],
    )
    assert.match(answer.error.code, /^[A-Z_]+$/)
    assert.ok(answer.error.message.length > 0 && answer.error.hint.length > 0)
  })
}

for (const input of [undefined, null, 'text', 7, []]) {
  test(`captureMemory(${JSON.stringify(input)}) throws nothing`, () => {
    const { captured, error } = captureMemory(input)
    assert.equal(captured, false)
    assert.equal(error.code, 'INVALID_INPUT')
  })
}

test('a raw log that cannot be written is reported', (t) => {
  const project = freshProject(t)
  mkdirSync(project.at(CAPTURES), { recursive: true })
  const answer = captureMemory({ ...GOTCHA, cwd: project.cwd })
  assert.equal(answer.captured, false)
  assert.ok(answer.error.message.length > 0)
})

test('a read-only project is reported, not thrown', (t) => {
  if (process.platform === 'win32' || process.getuid() === 0) return
  const project = freshProject(t)
  chmodSync(project.cwd, 0o500)
  t.after(() => chmodSync(project.cwd, 0o700))
  const answer = captureMemory({ ...GOTCHA, cwd: project.cwd })
  assert.deepEqual([answer.captured, answer.error?.code], [false, 'IO'])
})

test('a file in place of .forge is reported, not thrown', (t) => {
  const project = freshProject(t)
  writeFileSync(project.at('.forge'), 'x')
  assert.equal(captureMemory({ ...GOTCHA, cwd: project.cwd }).captured, false)
})

for (const source of [
  'forge_run_plan',
  'forge_run_plan/slice-executor',
  'watcher/fs-rule',
  'hook/pre-deploy',
  'watch',
]) {
  test(`${source} is a source`, () => assert.deepEqual(validateSourceFormat(source), { valid: true }))
}

for (const source of ['My Tool', 'forge_run_plan / slice', '', 'a/b/c', null, undefined, 7, {}]) {
  test(`${JSON.stringify(source)} is not a valid source, and the verdict says why`, () => {
    const { valid, reason } = validateSourceFormat(source)
    assert.equal(valid, false)
    assert.ok(reason.length > 0)
  })
}
