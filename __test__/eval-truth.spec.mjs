import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { FATES, LABELS, pairs, partOf, timelines } from '../eval/truth/set.mjs'
import { memoryFolder } from '../scripts/setup/memory-folder.mjs'
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

test('a retired or contested record of a timeline must not be the answer, unless it is the expected one', () => {
  for (const timeline of timelines()) {
    const gone = capturesOf(timeline).filter(({ fate }) => fate === 'retired' || fate === 'contested')
    for (const { current, notCurrent } of timeline.questions) {
      const expected = gone.map(({ key }) => key).filter((key) => !current.includes(key))
      // The later part lists for some questions only what is about their subject: see its README.
      const isListed = (key) => timeline.part !== 'later' || notCurrent.includes(key)
      assert.deepEqual(notCurrent, expected.filter(isListed), timeline.id)
    }
  }
})

test('about a third of the set is held out, determined by the ids alone, and three parts were written later', () => {
  const sizes = ['later', 'third', 'fourth'].map((name) => {
    const isOf = ({ part }) => part === name
    return [count(pairs(), isOf), count(timelines(), isOf)]
  })
  assert.deepEqual(sizes, [
    [120, 60],
    [128, 43],
    [100, 50],
  ])
  for (const whole of [pairs(), timelines()]) {
    const all = whole.filter(({ part }) => part === 'tuning' || part === 'held')
    const held = count(all, ({ part }) => part === 'held') / all.length
    assert.ok(held > 0.25 && held < 0.42, `${held}`)
  }
  assert.deepEqual(['p001', 'p002', 't001'].map(partOf), ['held', 'tuning', 'held'])
})

/** How often each rule that retires was right, on all of the set. */
function verdicts(parts) {
  const found = {}
  for (const { pairs } of Object.values(parts)) {
    for (const { rule, retired } of pairs.rules) {
      const known = found[rule] ?? { count: 0, of: 0 }
      found[rule] = { count: known.count + retired.count, of: known.of + retired.of }
    }
  }
  return Object.fromEntries(Object.entries(found).filter(([, { of }]) => of > 0))
}

/** The rows of the table of rules in the document: the names, and "N of M". */
function documented() {
  const text = readFileSync(join(root, 'docs', 'reference', 'truth.md'), 'utf8')
    .split('| correct retirements |')[1]
    .split('\n\n')[0]
  const rows = [...text.matchAll(/^\| ([a-z]+) \| .* \| (\d+) of (\d+) \|$/gm)]
  return Object.fromEntries(rows.map(([, rule, count, of]) => [rule, { count: Number(count), of: Number(of) }]))
}

test('the program scores the whole set, hides the held-out part by default, and leaves no files', (t) => {
  // Ten thousand captures are synced, which takes ten times their processor time on a disk.
  const memory = memoryFolder()
  t.after(memory.remove)
  const folder = mkdtempSync(join(memory.variables.TMPDIR ?? freshFolder(t), 'truth-'))
  const env = { ...process.env, TMPDIR: folder, TEMP: folder, TMP: folder }
  const program = join(root, 'eval', 'truth', 'run.mjs')
  const options = { env, encoding: 'utf8', maxBuffer: 1 << 24 }
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [program, '--json', '--failures', '--no-offers', '--data', folder],
    options,
  )
  assert.equal(status, 0, stderr + stdout)
  const { parts, failed, mistakes } = JSON.parse(stdout)
  assert.deepEqual(failed, [])
  const sumOf = (of) => Object.values(parts).reduce((sum, part) => sum + of(part), 0)
  assert.equal(
    sumOf(({ pairs }) => pairs.pairs),
    pairs().length,
  )
  assert.equal(
    sumOf(({ timelines }) => timelines.timelines),
    timelines().length,
  )
  // The questions of the later part are asked in other words than the answers are written in.
  for (const { timelines } of [parts.tuning, parts.held]) {
    assert.ok(timelines.reachable.share >= 0.97, 'a question that ranking alone fails')
  }
  assert.deepEqual(documented(), verdicts(parts), 'the table of rules in docs/reference/truth.md')
  const failures = mistakes.join('\n\n')
  assert.match(failures, /tuning, not right/)
  const idsIn = (text) => [...text.matchAll(/^([pt]\d{3}) /gm)].map(([, id]) => id)
  assert.deepEqual(
    idsIn(failures).filter((id) => partOf(id) === 'held'),
    [],
  )
  for (const part of ['later', 'third', 'fourth']) assert.equal(failures.includes(`${part}, not right`), false)
  assert.deepEqual(readdirSync(folder), [])
})
