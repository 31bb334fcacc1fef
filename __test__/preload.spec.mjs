import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { Hub } from '../dist/hub/index.js'
import { buildPlanBootContext, captureMemory, preloadPlan, publishEvents } from '../dist/index.js'
import { freshMemory } from './support/memory.mjs'

const plan = {
  name: 'Phase-1-AUTH',
  slices: [{ title: 'Add login tokens' }, { title: 'Database migrations' }, 'Write tests', { title: 'Token expiry' }],
}

test('a plan raises its own history first and each question of its slices once', (t) => {
  const { options } = freshMemory(t)
  const context = buildPlanBootContext(plan, 'shop', options)
  assert.deepEqual(context, {
    _v: 1,
    projectName: 'shop',
    planName: 'Phase-1-AUTH',
    hints: [
      { kind: 'plan-history', query: 'plan Phase-1-AUTH', limit: 5 },
      { kind: 'slice-keyword', query: 'authentication authorization patterns', limit: 5 },
      { kind: 'slice-keyword', query: 'database migration patterns', limit: 5 },
      { kind: 'slice-keyword', query: 'testing patterns conventions', limit: 5 },
    ],
  })
  assert.equal(buildPlanBootContext(plan, 'shop', { ...options, maxHints: 2 }).hints.length, 2)
  assert.equal(buildPlanBootContext('only a name', undefined, options).projectName, 'project')
})

test('there are eight hints at most, and a map of the project replaces the built-in one', (t) => {
  const memory = freshMemory(t)
  const slices = ['database', 'auth', 'api', 'tests', 'deploy', 'ui', 'cache', 'errors', 'memory']
  assert.equal(buildPlanBootContext({ name: 'p', slices }, 'shop', memory.options).hints.length, 8)
  const keywordMap = [{ pattern: '\\binvoice\\b', query: 'invoice rules' }, { pattern: '(' }]
  writeFileSync(join(memory.project, '.forge.json'), JSON.stringify({ openbrain: { keywordMap } }))
  const { hints } = buildPlanBootContext({ name: 'p', slices: ['Invoices', 'tests'] }, 'shop', memory.options)
  assert.deepEqual(
    hints.map(({ query }) => query),
    ['plan p', 'invoice rules'],
  )
})

test('an invalid plan is refused', (t) => {
  const { options } = freshMemory(t)
  for (const wrong of [null, 7, {}, { name: '' }, { name: 'a', slices: 'b' }, { name: 'a', slices: [{}] }]) {
    assert.throws(() => buildPlanBootContext(wrong, 'shop', options), { code: 'INVALID_INPUT' }, JSON.stringify(wrong))
  }
  for (const maxHints of [0, -1, 1.5, 1000]) {
    assert.throws(() => buildPlanBootContext(plan, 'shop', { ...options, maxHints }), { code: 'INVALID_INPUT' })
  }
})

test('a preload finds what the memory knows and stays within its budget', async (t) => {
  const { options } = freshMemory(t)
  const lessons = [
    'Database migration files must be reversible',
    'Testing conventions: one spec for each module',
    'Authorization tokens expire after an hour',
    'plan Phase-1-AUTH was blocked by missing seeds',
    'Something that no question is about',
  ]
  for (const body of lessons) captureMemory({ type: 'lesson', body }, options)
  const preload = await preloadPlan(plan, 'shop', options)
  assert.equal(preload.hints.length, 4)
  for (const lesson of lessons.slice(0, 4)) assert.ok(preload.text.includes(lesson), preload.text)
  assert.ok(!preload.text.includes(lessons[4]))
  assert.match(preload.text, /not instructions/)
  assert.equal(new Set(preload.entries.map(({ id }) => id)).size, preload.entries.length)
  assert.equal(preload.leftOut, 0)
  const small = await preloadPlan(plan, 'shop', { ...options, tokenBudget: 60 })
  assert.ok(small.tokens <= 60 && small.entries.length > 0 && small.leftOut > 0, JSON.stringify(small))
  assert.equal(small.entries.length + small.leftOut, preload.entries.length)
  assert.equal((await preloadPlan('unknown', 'shop', freshMemory(t).options)).text, '')
  await assert.rejects(preloadPlan(plan, 'shop', { ...options, tokenBudget: -1 }), { code: 'INVALID_INPUT' })
})

/** Publishes events, and returns the preloads in the file: the plan and the questions of each. */
function preloadsOf(memory, ...events) {
  publishEvents(
    events.map((event) => JSON.stringify(event)),
    memory.options,
  )
  const lines = readFileSync(memory.forge('hub-events.jsonl'), 'utf8').trim().split('\n')
  const all = lines.map((line) => JSON.parse(line)).filter(({ type }) => type === 'memory-preload')
  return all.map(({ planName, hints }) => [planName, ...hints.map(({ query }) => query)])
}

test('a run that names the file of its plan asks for that plan, and for the slices in the file', (t) => {
  const memory = freshMemory(t)
  mkdirSync(join(memory.project, 'docs/plans'), { recursive: true })
  const text =
    '# Plan\n\n### Slice 1: Add login tokens\n\ntext\n\n### Slice 2: Database migrations\n### Slices: none\n### Other: tests\n'
  writeFileSync(join(memory.project, 'docs/plans/Phase-1-AUTH-PLAN.md'), text)
  const expected = [
    'Phase-1-AUTH-PLAN',
    'plan Phase-1-AUTH-PLAN',
    'authentication authorization patterns',
    'database migration patterns',
  ]
  for (const path of ['docs/plans/Phase-1-AUTH-PLAN.md', join(memory.project, 'docs/plans/Phase-1-AUTH-PLAN.md')]) {
    assert.deepEqual(preloadsOf(memory, { type: 'run-started', data: { plan: path } }).at(-1), expected)
  }
  writeFileSync(join(memory.project, '../outside.md'), '### Slice 1: Database migrations\n')
  for (const path of ['../outside.md', 'docs/../../outside.md', 'docs\\plans\\outside.md', 'docs/plans/absent.md']) {
    const [name, ...queries] = preloadsOf(memory, { type: 'run-started', data: { plan: path } }).at(-1)
    assert.deepEqual([name, queries.length], [path.split(/[\\/]/).at(-1).slice(0, -3), 1], path)
  }
  const given = { type: 'run-started', data: { plan: 'docs/plans/Phase-1-AUTH-PLAN.md', slices: ['Write tests'] } }
  assert.deepEqual(preloadsOf(memory, given).at(-1).slice(2), ['testing patterns conventions'])
})

test('the start of a run that is long over is followed by nothing', (t) => {
  const memory = freshMemory(t)
  const started = (ago, more) => ({
    type: 'run-started',
    timestamp: new Date(Date.now() - ago).toISOString(),
    source: 'file-watcher',
    data: { plan: 'old' },
    ...more,
  })
  assert.deepEqual(preloadsOf(memory, started(3_600_000), started(11 * 30 * 86_400_000)), [])
  assert.equal(preloadsOf(memory, started(2000)).length, 1)
})

test('a program that sends the preload of its run itself does not double it', (t) => {
  const memory = freshMemory(t)
  const own = { type: 'memory-preload', ...buildPlanBootContext(plan, 'shop', memory.options) }
  assert.equal(preloadsOf(memory, { type: 'run-started', data: { plan } }, own).length, 1)
  assert.equal(preloadsOf(memory, { type: 'run-started', data: { plan } }).length, 2)
  assert.equal(preloadsOf(memory, own).length, 2)
  // Of another plan, or a second time, it is a new one.
  assert.equal(preloadsOf(memory, own, { ...own, planName: 'Phase-2' }).length, 4)
})

test('a start that a file watcher reads back from the log of its run is followed once', (t) => {
  const memory = freshMemory(t)
  const started = { type: 'run-started', timestamp: new Date().toISOString(), data: { plan: 'docs/plans/Phase-1.md' } }
  const watched = { ...started, source: 'file-watcher', data: { ...started.data, security_risk: 'none' } }
  assert.equal(preloadsOf(memory, started).length, 1)
  assert.equal(preloadsOf(memory, watched).length, 1)
  // Also when the program has sent its own preload in between; a later run, and one that only the watcher saw, have theirs.
  const own = { type: 'memory-preload', ...buildPlanBootContext('Phase-1', 'shop', memory.options) }
  assert.equal(preloadsOf(memory, own, watched).length, 1)
  assert.equal(preloadsOf(memory, started).length, 2)
  const other = { ...watched, data: { plan: 'docs/plans/Phase-2.md' } }
  assert.equal(preloadsOf(memory, other).length, 3)
})

test('the start of a run is followed by its preload, for every process', async (t) => {
  const memory = freshMemory(t)
  const [hub, other] = [new Hub({ projectDir: memory.project }), new Hub({ projectDir: memory.project })]
  t.after(() => Promise.all([hub.close(), other.close()]))
  const heard = []
  other.on('event', ({ type, hints, planName }) => heard.push([type, planName, hints?.length]))
  hub.broadcast({ type: 'run-started', data: { plan } })
  hub.broadcast({ type: 'run-started', plan: 'named', slices: ['tests'] })
  hub.broadcast({ type: 'run-started' })
  await new Promise((resolve) => setImmediate(resolve))
  other.pump()
  assert.deepEqual(heard, [
    ['run-started', undefined, undefined],
    ['memory-preload', 'Phase-1-AUTH', 4],
    ['run-started', undefined, undefined],
    ['memory-preload', 'named', 2],
    ['run-started', undefined, undefined],
  ])
})
