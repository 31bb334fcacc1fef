// Recall by meaning with the real model: vectors made on order and in the background, said by every surface.
import assert from 'node:assert/strict'
import { cpSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { captureMemory, embedMemories, memoryRecall, memoryStatus, recall, searchThoughts } from '../dist/index.js'
import { serve } from '../dist/server/index.js'
import { freshCommand, json } from './support/command.mjs'
import { call, connectWithin } from './support/mcp.mjs'
import { freshMemory } from './support/memory.mjs'
import { installedModel } from './support/model.mjs'
import { callerOf } from './support/served.mjs'
import { until } from './support/waiting.mjs'

const folder = installedModel()
const NOTES = [
  'Customers were billed twice because the webhook was delivered again after a time-out.',
  'The nightly backup fills the disk of the replica; prune snapshots older than a week.',
  'Jest needs --runInBand on the Windows runner, else the tests hang.',
  'ORA-01555 means that the undo tablespace is too small for the report.',
  'Rotate the signing key of the Android app twice a year.',
]
const QUESTION = 'why did people pay two times for one order'

/** Lends a home the installed model. */
function lendModel(home) {
  const target = join(home, 'models', 'all-MiniLM-L6-v2')
  mkdirSync(join(home, 'models'), { recursive: true })
  cpSync(folder, target, { recursive: true })
}

function memoryWithNotes(t) {
  const memory = freshMemory(t)
  for (const body of NOTES) captureMemory({ type: 'lesson', body }, memory.options)
  return memory
}

test('recall finds by meaning once the model is installed and the vectors are made', async (t) => {
  const memory = memoryWithNotes(t)
  assert.equal(recall(QUESTION, memory.options).mode, 'words')
  await assert.rejects(embedMemories(memory.options), { code: 'UNSUPPORTED' })
  assert.equal(memoryStatus(memory.options).vectors, undefined)
  lendModel(memory.home)
  assert.deepEqual(memoryStatus(memory.options).vectors.covered, 0)
  assert.deepEqual(await embedMemories({ ...memory.options, limit: 2 }), { made: 2, covered: 2, total: 5, busy: false })
  const pass = await embedMemories(memory.options)
  assert.deepEqual([pass.made, pass.covered], [3, 5])
  const found = recall(QUESTION, memory.options)
  assert.equal(found.mode, 'fused')
  assert.equal(found.hits[0].text, NOTES[0])
  assert.ok(found.hits[0].cosine > 0.3 && found.hits[0].score <= 1)
  const modes = ['words', 'meaning', 'auto'].map((mode) => recall('signing key', { ...memory.options, mode }).mode)
  assert.deepEqual(modes, ['words', 'meaning', 'fused'])
  const block = memoryRecall({ query: QUESTION, mode: 'meaning' }, memory.options)
  assert.deepEqual([block.mode, block.matches[0].text], ['meaning', NOTES[0]])
  assert.throws(() => recall('x', { ...memory.options, mode: 'both' }), { code: 'INVALID_INPUT' })
})

test('an unknown topic has no hits, and a known error code always has', async (t) => {
  const memory = memoryWithNotes(t)
  lendModel(memory.home)
  await embedMemories(memory.options)
  const none = recall('symptoms of iron deficiency in horses', memory.options)
  assert.deepEqual(none.hits, [])
  assert.match(none.message, /^No match/)
  for (const query of ['ORA-01555', '--runInBand', 'tablespace']) {
    const { hits } = recall(query, memory.options)
    assert.ok(hits.length > 0 && hits[0].weak === undefined, query)
  }
})

/** Notes that are too long for a search to embed them. */
const LONG_NOTES = Array.from(
  { length: 12 },
  (_, at) =>
    `Service ${at} of the shop keeps its own ledger. ${'Its runbook names who is called when a queue is full. '.repeat(10)}`,
)

test('a search embeds a few new records itself, and one without a vector is ranked by its words', async (t) => {
  const memory = memoryWithNotes(t)
  lendModel(memory.home)
  await embedMemories(memory.options)
  captureMemory({ type: 'lesson', body: 'The kraken gate opens at noon.' }, memory.options)
  const [first] = recall('kraken gate', memory.options).hits
  assert.equal(first.text, 'The kraken gate opens at noon.')
  assert.ok(first.cosine > 0.5)
  assert.equal(memoryStatus(memory.options).vectors.covered, NOTES.length + 1)
  captureMemory({ type: 'lesson', body: `The basilisk gate opens at dawn. ${LONG_NOTES[0]}` }, memory.options)
  const [long] = recall('basilisk gate', memory.options).hits
  assert.match(long.text, /basilisk/)
  assert.equal(long.cosine, undefined)
  assert.equal(long.weak, undefined)
})

test('an answer says how many texts have vectors while many have none', async (t) => {
  const memory = memoryWithNotes(t)
  lendModel(memory.home)
  await embedMemories(memory.options)
  for (const body of LONG_NOTES) captureMemory({ type: 'lesson', body }, memory.options)
  assert.match(recall('signing key', memory.options).message, /^Only 5 of 17 texts have vectors/)
  assert.equal(recall('signing key', { ...memory.options, mode: 'words' }).message, undefined)
})

test('the library computes vectors in the background after a search, without any other program', async (t) => {
  const memory = memoryWithNotes(t)
  for (const body of LONG_NOTES) captureMemory({ type: 'lesson', body }, memory.options)
  lendModel(memory.home)
  assert.equal(recall(QUESTION, memory.options).mode, 'words')
  const total = NOTES.length + LONG_NOTES.length
  await until(() => memoryStatus(memory.options).vectors.covered === total, 'vectors')
  const found = recall(QUESTION, memory.options)
  assert.deepEqual([found.mode, found.hits[0].text], ['fused', NOTES[0]])
  assert.ok(memoryRecall({ query: 'signing key' }, memory.options).matches[0].cosine > 0)
})

test('the command computes all vectors, and recall, status and JSON name the search mode', (t) => {
  const command = freshCommand(t)
  for (const body of NOTES) json(command, ['capture', '--type', 'lesson', body])
  assert.match(command.run(['status']).stdout, /meaning +not searched: forge-memory model install/)
  assert.notEqual(command.run(['embed']).status, 0)
  lendModel(command.home)
  assert.match(command.run(['status']).stdout, /meaning +no vectors for 5 texts yet: forge-memory embed/)
  const limited = json(command, ['embed', '--limit', '2'])
  assert.deepEqual([limited.made, limited.covered, limited.total], [2, 2, 5])
  assert.deepEqual(json(command, ['embed']).covered, 5)
  assert.match(command.run(['status']).stdout, /meaning +vectors for 5 of 5 texts/)
  const [first] = json(command, ['recall', ...QUESTION.split(' ')]).hits
  assert.equal(first.text, NOTES[0])
  assert.match(command.run(['recall', 'signing', 'key']).stdout, /by words and meaning/)
  assert.doesNotMatch(command.run(['recall', '--mode', 'words', 'signing', 'key']).stdout, / by /)
  assert.match(command.run(['recall', ...'symptoms of iron deficiency in horses'.split(' ')]).stdout, /No match/)
})

test('a server computes vectors in the background, and its API and tools accept a mode', {
  timeout: 120_000,
}, async (t) => {
  const memory = memoryWithNotes(t)
  lendModel(memory.home)
  const server = await serve({ projectDir: memory.project, port: 0, watch: false, drain: false })
  t.after(() => server.close())
  await until(() => memoryStatus(memory.options).vectors.covered === NOTES.length, 'vectors')
  const ask = callerOf(server)
  const found = await ask('GET', `/api/memory/recall?mode=meaning&query=${encodeURIComponent(QUESTION)}`)
  assert.deepEqual([found.body.mode, found.body.hits[0].text], ['meaning', NOTES[0]])
  const client = await connectWithin(t, memory)
  const result = await call(client, 'memory_recall', { query: QUESTION, mode: 'meaning' })
  assert.equal(result.notes[0].text, NOTES[0])
  assert.ok(result.notes[0].cosine > 0.3)
})

test('the shared memory fuses by scores, and says when nothing is relevant', async (t) => {
  const memory = memoryWithNotes(t)
  lendModel(memory.home)
  const { drainOpenBrain } = await import('../dist/index.js')
  await drainOpenBrain(memory.options)
  const found = await searchThoughts(QUESTION, memory.options)
  assert.deepEqual([found.semantic, found.thoughts[0].content], [true, NOTES[0]])
  assert.ok(found.thoughts[0].cosine > 0.3 && found.thoughts[0].score <= 1)
  const none = await searchThoughts('symptoms of iron deficiency in horses', memory.options)
  assert.deepEqual(none.thoughts, [])
  assert.match(none.message, /no match/)
})

test('vectors of another machine, and damaged ones, are computed again', async (t) => {
  const memory = memoryWithNotes(t)
  lendModel(memory.home)
  await embedMemories(memory.options)
  const vectors = join(memory.project, '.forge', 'index', 'vectors')
  for (const name of readdirSync(vectors)) writeFileSync(join(vectors, name), 'not what was written')
  assert.equal(recall('signing key', memory.options).hits[0].text, NOTES[4])
  assert.equal((await embedMemories(memory.options)).covered, NOTES.length)
  assert.equal(recall(QUESTION, memory.options).hits[0].text, NOTES[0])
})
