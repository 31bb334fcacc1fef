// An older version works on the same project. Here a stand-in does to the derived files what it does; `scripts/two-versions.mjs` runs two
// real versions.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { fileURLToPath } from 'node:url'
import { queueStatus, recall } from '../dist/index.js'
import { Slot } from '../scripts/two-versions/slot.mjs'
import { CAPTURE_INDEX, freshMemory, physicalLines } from './support/memory.mjs'
import { childEnvironment, childProgram } from './support/processes.mjs'
import { until } from './support/waiting.mjs'

const library = fileURLToPath(new URL('../dist/index.js', import.meta.url))
const program = (name) => fileURLToPath(new URL(`../scripts/two-versions/${name}.mjs`, import.meta.url))

function slotOf(t, memory, name, argumentsOf) {
  const slot = new Slot({ name, argumentsOf, environment: childEnvironment(memory) })
  t.after(() => slot.stop())
  return slot
}

const worker = (memory, role, name) => (count) => [
  program('worker'),
  role,
  library,
  memory.project,
  `${name}r${count}`,
  '0',
]
const older = (memory) => () => [childProgram('older-version'), memory.project]

test('beside an older version and under kills, nothing is lost, stored twice, or taken for delivered', async (t) => {
  const memory = freshMemory(t)
  mkdirSync(memory.forge())
  const writers = ['a', 'b'].map((name) => slotOf(t, memory, 'writer', worker(memory, 'write', name)))
  const others = [
    slotOf(t, memory, 'keeper', worker(memory, 'keep', 'k')),
    slotOf(t, memory, 'older version', older(memory)),
  ]
  for (let kill = 1; kill <= 4; kill++) {
    await until(() => writers.every(({ current }) => current().length > 100))
    for (const slot of [...writers, ...others]) slot.kill()
    await until(() => [...writers, ...others].every(({ count }) => count > kill))
  }
  for (const slot of [...writers, ...others]) await slot.stop()
  assert.deepEqual(
    [...writers, ...others].flatMap(({ failures }) => failures),
    [],
  )

  const said = writers.flatMap(({ lines }) => lines.map((line) => JSON.parse(line)))
  const gone = new Set(said.filter(({ kind }) => kind === 'forgetting').map(({ id }) => id))
  const kept = said.filter(({ kind, id }) => ['own', 'shared'].includes(kind) && !gone.has(id))
  const records = physicalLines(memory.raw)
    .filter(Boolean)
    .map((line) => JSON.parse(line))
    .filter(({ _action }) => _action === undefined)
  const ids = new Set(records.map(({ id }) => id))
  assert.ok(kept.length > 400)
  assert.deepEqual(
    kept.filter(({ id }) => !ids.has(id)),
    [],
  )
  assert.equal(ids.size, records.length)
  const texts = records.map(({ content }) => content).filter((text) => !text.startsWith('The port'))
  assert.equal(new Set(texts).size, texts.length)
  const asked = kept.filter((_, at) => at % 20 === 0)
  assert.deepEqual(
    asked.filter(({ id, body }) => !recall(body, memory.options).hits.some((hit) => hit.id === id)),
    [],
  )
  // A record has a line for its capture and one each time it was captured again; nothing was delivered.
  assert.ok(queueStatus(memory.options).queued >= new Set(kept.map(({ id }) => id)).size)
})

test('an older version that takes turns with this one does not make it build its index anew', async (t) => {
  const memory = freshMemory(t)
  mkdirSync(memory.forge())
  const writer = slotOf(t, memory, 'writer', worker(memory, 'write', 'w'))
  await until(() => writer.current().length > 2500)
  await writer.stop()
  const turn = (name) => {
    const args = [program('turn'), library, memory.project, name]
    const { status, stderr } = spawnSync(process.execPath, args, { env: childEnvironment(memory), encoding: 'utf8' })
    assert.equal(status, 0, stderr)
  }
  const largest = () => {
    const folder = memory.forge(CAPTURE_INDEX)
    const sized = readdirSync(folder)
      .filter((name) => name.endsWith('.seg'))
      .map((name) => ({ name, size: statSync(join(folder, name)).size }))
    return sized.sort((a, b) => b.size - a.size)[0]?.name
  }
  turn('first')
  const before = largest()
  assert.notEqual(before, undefined)
  const other = slotOf(t, memory, 'older version', older(memory))
  for (let round = 1; round <= 5; round++) {
    const rounds = other.current().length
    await until(() => other.current().length > rounds + 5)
    turn(`t${round}`)
    assert.equal(largest(), before, `turn ${round}`)
  }
})
