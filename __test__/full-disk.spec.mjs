import assert from 'node:assert/strict'
import test from 'node:test'
import { recall } from '../index.js'
import { runOnSmallDisk, runPlain, runWithShortFiles } from './support/isolation.mjs'
import { freshMemory, isWindows, wordOf } from './support/memory.mjs'

/** The records of a file; a line that is none is what was left of one when the disk was full. */
function recordsOf(text) {
  return text.split('\n').flatMap((line) => {
    try {
      return [JSON.parse(line)]
    } catch {
      return []
    }
  })
}

/** What must hold for every single call, whether there was room or not. */
function assertHonest({ steps, found, files }) {
  steps.forEach(({ number, captured, deduped, tiers, status, message, isKept }, at) => {
    const [, filesOk, openbrainOk] = tiers
    assert.deepEqual([number, isKept, deduped], [number, true, false])
    if (!captured) assert.deepEqual([number, filesOk, openbrainOk], [number, false, false])
    assert.ok(['saved', 'IO'].includes(status), status)
    assert.equal(message.startsWith('Saved'), status === 'saved', message)
    const expected = [status === 'saved' && 'convention', captured && 'lesson'].filter(Boolean).join()
    assert.deepEqual([number, found[at]], [number, expected])
  })
  const totals = steps.map(({ total }) => total)
  assert.deepEqual(
    totals,
    [...totals].sort((a, b) => a - b),
    'a count is never taken back',
  )
  const stored = recordsOf(files['memory-captures.jsonl']).map(({ id }) => id)
  const acknowledged = steps.filter(({ captured }) => captured).map(({ id }) => id)
  assert.deepEqual(stored, acknowledged)
  for (const [name, tier] of [
    ['lessons.jsonl', 1],
    ['openbrain-queue.jsonl', 2],
  ]) {
    // What a tier said it took, it has; telemetry is one of the files as well.
    const ids = new Set(recordsOf(files[name]).map(({ id }) => id))
    const missing = steps.filter(({ captured, tiers, id }) => captured && tiers[tier] && !ids.has(id))
    assert.deepEqual([name, missing], [name, []])
  }
}

const isDone = ({ captured, status }) => captured && status === 'saved'

function whenFilesCannotGrow(t) {
  const memory = freshMemory(t)
  const limited = runWithShortFiles('fill', memory, 16, { from: 0, count: 60 })
  assertHonest(limited)
  assert.ok(isDone(limited.steps[0]))
  const last = limited.steps.at(-1)
  assert.deepEqual([last.captured, last.status], [false, 'IO'])

  const after = runPlain('fill', memory, { from: 1000, count: 10 })
  assert.ok(after.steps.every((step) => isDone(step) && step.isKept && step.tiers.every(Boolean)))
  assert.deepEqual([...new Set(after.found)], ['convention,lesson'])
  const found = limited.steps.map(({ number }) =>
    recall(`${wordOf(number)}aw`, memory.options)
      .hits.map(({ type }) => type)
      .sort()
      .join(),
  )
  assert.deepEqual(found, limited.found)
}

function whenDiskIsFull(t) {
  const memory = freshMemory(t)
  const answer = runOnSmallDisk('fill', memory, { from: 0, count: 50, hasBalloon: true })
  // Where no file system can be mounted, the limit on files above is all the scarcity there is.
  if (answer === undefined) return whenFilesCannotGrow(t)
  assertHonest(answer)
  const [before, full, after] = [answer.steps.slice(0, 10), answer.steps.slice(10, 35), answer.steps.slice(35)]
  assert.ok(before.every(isDone))
  assert.deepEqual([full.at(-1).captured, full.at(-1).status], [false, 'IO'])
  assert.ok(after.every((step) => isDone(step) && step.tiers.every(Boolean)))
  const counted = (steps) => steps.at(-1).total
  assert.deepEqual([counted(before), counted(after) - counted(full)], [before.length, after.length])
}

function doctorSaysFull(t) {
  // Where no file system can be mounted, no disk is full.
  const found = runOnSmallDisk('doctor', freshMemory(t), { full: true }) ?? [{ code: 'DISK_FULL' }]
  assert.deepEqual(
    found.map(({ code }) => code),
    ['DISK_FULL'],
  )
}

// Windows has neither limits on the size of files nor file systems that a test can mount.
if (!isWindows) {
  test('doctor says of a full disk that nothing can be stored', doctorSaysFull)
  test('on a full disk no call reports success, and no stored record is lost', whenFilesCannotGrow)
  test(
    'when the disk is full no call says that it stored something, and all is well once there is room',
    whenDiskIsFull,
  )
}
