// Answers that were asked for before are made by another way than the first: what they say must not tell.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import test from 'node:test'
import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'
import { captureMemory, editMemory, listMemories, memorySave, recall } from '../index.js'
import { freshMemory } from './support/memory.mjs'

const CHILD = fileURLToPath(new URL('support/children/answers.mjs', import.meta.url))
const TIMES = 5

/** Texts that a text of a program would have to escape. */
const TEXTS = [
  'plain words about the cache',
  'the cache says "$" and \\ and $a0 and a1 and `a2`',
  'cache of __proto__ and constructor, toString',
  'cache \u2028 line \u2029 ends \t and \n more',
  'cache of ünïcode, кэш, 数据, 🦀',
]

function fill(memory) {
  for (const [at, body] of TEXTS.entries()) {
    const fields =
      at % 2 ? { tags: ['nightly', '__proto__', 'prüfung', `$a${at}`], confidence: 0.1 + at / 7 } : { type: 'pattern' }
    captureMemory({ type: 'lesson', body, source: 'tests/answers', ...fields }, memory.options)
  }
  memorySave({ pattern: 'cache of everybody', category: 'convention', scope: 'global' }, memory.options)
}

/** The same call several times; every answer must be the first one, to the letter. */
function repeat(call) {
  const [first, ...others] = Array.from({ length: TIMES }, call)
  for (const other of others) {
    assert.deepStrictEqual(other, first)
    assert.equal(JSON.stringify(other), JSON.stringify(first))
  }
  return first
}

test('repeated recalls and lists return the same result', (t) => {
  const memory = freshMemory(t)
  fill(memory)
  const { hits } = repeat(() => recall('cache', memory.options))
  assert.deepEqual(hits.map(({ text }) => text).sort(), [...TEXTS, 'cache of everybody'].sort())
  for (const text of TEXTS) repeat(() => recall(text, { ...memory.options, limit: 2 }))
  assert.equal(repeat(() => recall('nowhere', memory.options)).hits.length, 0)
  assert.equal(repeat(() => listMemories(memory.options)).entries.length, TEXTS.length + 1)
})

test('repeated captures return results of the same form', (t) => {
  const memory = freshMemory(t)
  for (const body of TEXTS) {
    const capture = (extra) =>
      captureMemory({ type: 'lesson', body, source: 'tests/answers' }, { ...memory.options, ...extra })
    const { thought } = capture()
    const { thought: known } = repeat(() => capture())
    assert.deepStrictEqual(known, thought)
    assert.equal(known.content, body)
  }
  const bodies = Array.from({ length: TIMES }, (_, at) => `number ${at} of several that differ in ${at * 17} words`)
  const outcomes = bodies.map((body) => captureMemory({ type: 'lesson', body, tags: ['a', 'b'] }, memory.options))
  const shapes = outcomes.map((outcome) =>
    JSON.stringify(outcome, (_, value) => (Object(value) === value ? value : typeof value)),
  )
  assert.equal(new Set(shapes).size, 1)
  assert.deepEqual(
    outcomes.map(({ thought }) => thought.content),
    bodies,
  )
})

test('edits return results of the documented form', (t) => {
  const memory = freshMemory(t)
  let { id } = captureMemory({ type: 'lesson', body: 'revision 0' }, memory.options)
  for (let revision = 1; revision < TIMES; revision++) {
    const edited = editMemory(id, { body: `revision ${revision}` }, memory.options)
    assert.equal(edited.content, `revision ${revision}`)
    assert.equal(edited.supersedes, id)
    id = edited.id
  }
})

test('changing a returned object does not change other results', (t) => {
  const memory = freshMemory(t)
  fill(memory)
  const before = JSON.stringify(recall('cache', memory.options))
  for (let time = 0; time < TIMES; time++) {
    const answer = recall('cache', memory.options)
    assert.equal(JSON.stringify(answer), before)
    assert.equal(Object.getPrototypeOf(answer.hits[0]), Object.prototype)
    for (const hit of answer.hits) {
      hit.tags.push('mine')
      hit.text = 'mine'
      hit.extra = true
      delete hit.id
    }
    answer.hits.length = 1
  }
})

test('worker threads return the same results as the main thread, sequentially and concurrently', async (t) => {
  const memory = freshMemory(t)
  fill(memory)
  const expected = JSON.stringify(recall('cache', memory.options))
  const ask = () =>
    new Promise((resolve, reject) => {
      const worker = new Worker(CHILD, { argv: [JSON.stringify(memory.options)] })
      const answers = []
      worker.on('message', (answer) => answers.push(answer))
      worker.on('error', reject)
      worker.on('exit', () => resolve(answers))
    })
  for (let time = 0; time < 3; time++) {
    const threads = await Promise.all([ask(), ask()])
    assert.deepEqual(threads, Array(2).fill(Array(TIMES).fill(expected)))
  }
  repeat(() => recall('cache', memory.options))
})

test('the package works in a process that forbids code generation from strings', (t) => {
  const memory = freshMemory(t)
  fill(memory)
  const flags = ['--disallow-code-generation-from-strings', '--frozen-intrinsics', '--no-warnings']
  const output = execFileSync(process.execPath, [...flags, CHILD, JSON.stringify(memory.options)], { encoding: 'utf8' })
  const expected = JSON.stringify(recall('cache', memory.options))
  assert.deepEqual(output.trim().split('\n'), Array(TIMES).fill(expected))
})
