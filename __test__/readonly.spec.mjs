import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { appendFileSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { captureMemory, memorySave, settleIndex } from '../index.js'
import { freshCommand, json } from './support/command.mjs'
import { runPlain, runReadOnly, runUnreadable } from './support/isolation.mjs'
import { freshMemory, isWindows, sentenceOf, treeOf, wordOf } from './support/memory.mjs'

/** A memory with an index, damage and everything else that might tempt a reader to tidy up. */
function usedMemory(t) {
  const memory = freshMemory(t)
  for (let number = 0; number < 900; number++) {
    memory.id = captureMemory({ type: 'lesson', body: sentenceOf(number), tool: 'forge_sweep' }, memory.options).id
  }
  for (const scope of ['project', 'global'])
    memorySave({ pattern: `${sentenceOf(5)} ${scope}`, category: 'convention', scope }, memory.options)
  settleIndex(memory.options)
  appendFileSync(memory.raw, 'garbage\n{"content":"torn')
  return memory
}

/** Windows knows no read-only folders; there only the tree tells. */
function assertRefused(refusal) {
  if (!isWindows) assert.match(refusal, /^(EROFS|EACCES|EPERM)$/)
}

test('reading works where nothing can be written, and answers the same', (t) => {
  const memory = usedMemory(t)
  const input = { query: `${wordOf(5)}aw`, id: memory.id }
  const expected = runPlain('reads', memory, input)
  assert.equal(expected.refusal, 'none')
  rmSync(`${memory.project}/probe`)
  assert.equal(expected.answers.recall.hits.length, 3)
  const before = treeOf(memory.folder)
  const { refusal, answers } = runReadOnly('reads', memory, input)
  assertRefused(refusal)
  // A confidence fades by the millisecond.
  for (const { shown } of [answers, expected.answers]) shown.confidenceNow = shown.confidenceNow.toFixed(6)
  assert.deepEqual(answers, expected.answers)
  if (isWindows) rmSync(`${memory.project}/probe`)
  assert.deepEqual(treeOf(memory.folder), before)
})

test('reading without a memory creates nothing, whether or not it could', (t) => {
  const memory = freshMemory(t)
  mkdirSync(memory.home)
  const before = treeOf(memory.folder).map((line) => line.split(' ').slice(0, 2))
  for (const run of [runReadOnly, runPlain]) {
    const { refusal, answers } = run('reads', memory, { query: 'anything' })
    if (run === runReadOnly) assertRefused(refusal)
    rmSync(`${memory.project}/probe`, { force: true })
    assert.deepEqual([answers.recall.hits, answers.text, answers.list.total], [[], 'No memories found.', 0])
    assert.deepEqual(
      treeOf(memory.folder).map((line) => line.split(' ').slice(0, 2)),
      before,
    )
  }
})

function refusesToWrite(t) {
  const memory = usedMemory(t)
  const before = treeOf(memory.folder)
  const { captured, deduped, tiers, saves } = runReadOnly('writes', memory, {})
  assert.deepEqual([captured, deduped, tiers], [false, false, [false, false, false]])
  assert.deepEqual(saves, ['IO', 'IO'])
  assert.deepEqual(treeOf(memory.folder), before)
}

function passesOverUnreadable(t) {
  const memory = freshMemory(t)
  captureMemory({ type: 'lesson', body: 'nobody may read this' }, memory.options)
  memorySave({ pattern: 'everybody may read this', category: 'convention' }, memory.options)
  const { recall, list } = runUnreadable('reads', memory, memory.raw, { query: 'read' }).answers
  assert.deepEqual(
    recall.hits.map(({ text }) => text),
    ['everybody may read this'],
  )
  assert.match(recall.message, /Not searched: .*memory-captures\.jsonl/)
  assert.equal(list.total, 1)
}

function doctorSaysReadOnly(t) {
  const memory = usedMemory(t)
  assert.deepEqual(codesOf(runPlain('doctor', memory, {})), [])
  const found = runReadOnly('doctor', memory, {})
  assert.deepEqual(codesOf(found), ['READ_ONLY'])
  assert.match(found[0].message, /^nothing can be stored: .*\.forge cannot be written \((EROFS|EACCES)\)$/)
  assert.match(found[0].hint, /who may write there/)
}

/** Lines that are no record are another matter: this memory is damaged. */
const codesOf = (findings) => findings.map(({ code }) => code).filter((code) => /READ_ONLY|DISK_FULL/.test(code))

test('a home in which nothing can be made ends no command, and what is stored is said', (t) => {
  const command = freshCommand(t, { FORGE_AS: '' })
  const env = { HOME: '/proc', FORGE_HOME: '' }
  const { status, stdout, stderr } = command.run(['add', '-t', 'lesson', 'The queue is in Redis'], { env })
  assert.equal(status, 0, stderr)
  assert.match(stdout, /^lesson \w+ stored/)
  assert.match(stderr, /^warning: it is stored, but undo will not take it back: .*\/proc/)
  assert.deepEqual(
    json(command, ['list'], { env }).entries.map(({ text }) => text),
    ['The queue is in Redis'],
  )
})

// Windows has neither read-only folders nor modes.
if (!isWindows) {
  test('doctor says where nothing can be stored', doctorSaysReadOnly)
  test('writing where nothing can be written is an error and never a success', refusesToWrite)
  test('a file that may not be read is named in the message, and the others are searched', passesOverUnreadable)
}

test('doctor says so when a file of the memory is none', (t) => {
  // It has no FIFOs.
  if (isWindows) return
  const command = freshCommand(t)
  command.run(['add', '-t', 'lesson', 'The gate listens on port 8080'])
  const path = join(command.project, '.forge', 'decisions.jsonl')
  execFileSync('mkfifo', [path])
  assert.match(command.run(['add', '-t', 'decision', 'Ports are even']).stderr, /UNSAFE_PATH|not a regular file/)
  const { status, stdout } = command.run(['doctor'])
  assert.equal(status, 1)
  assert.match(stdout, /\.forge\/decisions\.jsonl: is not a regular file.*\(UNSAFE_PATH\)/)
  rmSync(path)
  command.run(['doctor', '--fix', '--yes'])
  assert.match(readFileSync(path, 'utf8'), /Ports are even/)
})
