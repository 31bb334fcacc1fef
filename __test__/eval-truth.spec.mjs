import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { FATES, LABELS, pairs, partOf, timelines } from '../eval/truth/set.mjs'
import { freshFolder, root } from './support/project.mjs'

const isText = (value) => typeof value === 'string' && value.trim() === value && value !== ''
const count = (items, of) => items.filter(of).length
const capturesOf = ({ events }) => events.filter((event) => event.text !== undefined)

test('the set has at least 300 pairs of all labels, each once', () => {
  const all = pairs()
  assert.ok(all.length >= 300, `${all.length} pairs`)
  assert.equal(new Set(all.map(({ id }) => id)).size, all.length)
  assert.equal(new Set(all.map(({ older, newer }) => `${older.text}\n${newer.text}`)).size, all.length)
  for (const [label, least] of Object.entries({ retires: 100, conflict: 30, unrelated: 100, duplicate: 20 })) {
    const found = count(all, (pair) => pair.label === label)
    assert.ok(found >= least, `${found} pairs are labelled ${label}`)
  }
})

test('every pair has a label, a kind, two texts that differ, and says why', () => {
  for (const { id, kind, label, older, newer, why } of pairs()) {
    assert.ok(LABELS.includes(label), id)
    assert.match(kind, /^[a-z-]+$/, id)
    assert.ok([older.text, newer.text, older.type, newer.type, why].every(isText), id)
    assert.notEqual(older.text, newer.text, id)
  }
})

test('the set has at least 100 timelines, each with questions', () => {
  const all = timelines()
  assert.ok(all.length >= 100, `${all.length} timelines`)
  assert.equal(new Set(all.map(({ id }) => id)).size, all.length)
  assert.ok(all.every(({ questions }) => questions.length > 0))
  for (const kind of [
    'port',
    'version',
    'tool',
    'owner',
    'command',
    'path',
    'rename',
    'revert',
    'back-and-forth',
    'branches',
    'lookalike',
  ]) {
    assert.ok(count(all, (timeline) => timeline.kind === kind) >= 5, kind)
  }
})

test('every timeline goes forward in time, and names nothing that is not there', () => {
  for (const timeline of timelines()) {
    const { id, events, questions } = timeline
    const captures = capturesOf(timeline)
    const times = captures.map(({ at }) => Date.parse(at))
    assert.deepEqual(
      times,
      times.toSorted((a, b) => a - b),
      id,
    )
    const branches = new Set(['main'])
    const keys = new Set()
    for (const event of events) {
      if (event.fork) {
        assert.ok(branches.has(event.from), id)
        branches.add(event.fork)
      } else if (event.merge) {
        assert.ok(branches.has(event.merge) && branches.has(event.into), id)
      } else {
        assert.ok(branches.has(event.branch), id)
        assert.ok(FATES.includes(event.fate), id)
        assert.ok([event.key, event.by, event.session, event.text].every(isText), id)
        assert.ok(event.supersedes === undefined || keys.has(event.supersedes), id)
        assert.ok(!keys.has(event.key), id)
        keys.add(event.key)
      }
    }
    for (const { ask, current, notCurrent } of questions) {
      assert.ok(isText(ask) && current.length > 0, id)
      assert.ok(
        [...current, ...notCurrent].every((key) => keys.has(key)),
        id,
      )
      assert.ok(!current.some((key) => notCurrent.includes(key)), id)
    }
  }
})

test('what is retired or contested in a timeline must not be answered, unless it is the answer', () => {
  for (const timeline of timelines()) {
    const gone = capturesOf(timeline).filter(({ fate }) => fate === 'retired' || fate === 'contested')
    for (const { current, notCurrent } of timeline.questions) {
      const expected = gone.map(({ key }) => key).filter((key) => !current.includes(key))
      assert.deepEqual(notCurrent, expected, timeline.id)
    }
  }
})

test('about a third of the set is held back, and which third depends on the ids alone', () => {
  for (const all of [pairs(), timelines()]) {
    const held = count(all, ({ part }) => part === 'held') / all.length
    assert.ok(held > 0.25 && held < 0.42, `${held}`)
  }
  assert.deepEqual(['p001', 'p002', 't001'].map(partOf), ['held', 'tuning', 'held'])
})

test('the program judges all of the set, tells nothing of the held-back part unasked, and leaves nothing behind', (t) => {
  const folder = freshFolder(t)
  const env = { ...process.env, TMPDIR: folder, TEMP: folder, TMP: folder }
  const run = (...args) => {
    const program = join(root, 'eval', 'truth', 'run.mjs')
    const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...args], { env, encoding: 'utf8' })
    assert.equal(status, 0, stderr + stdout)
    return stdout
  }
  const { parts, failed } = JSON.parse(run('--json'))
  assert.deepEqual(failed, [])
  assert.equal(parts.tuning.pairs.pairs + parts.held.pairs.pairs, pairs().length)
  assert.equal(parts.tuning.timelines.timelines + parts.held.timelines.timelines, timelines().length)
  for (const { timelines } of Object.values(parts)) {
    assert.ok(timelines.reachable.share >= 0.98, 'a question that ranking alone fails')
  }
  const failures = run('--failures')
  const idsIn = (text) => [...text.matchAll(/^([pt]\d{3}) /gm)].map(([, id]) => id)
  assert.deepEqual(
    idsIn(failures).filter((id) => partOf(id) === 'held'),
    [],
  )
  assert.deepEqual(readdirSync(folder), [])
})
