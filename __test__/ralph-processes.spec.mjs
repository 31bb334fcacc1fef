import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { ralphAdd, ralphClear, ralphList } from '../index.js'
import { freshMemory } from './support/memory.mjs'
import { childEnvironment, childProgram, runTogether, startChild } from './support/processes.mjs'

const folderOf = (memory) => join(memory.project, '.aiwg', 'ralph')
const storeOf = (memory) => join(folderOf(memory), 'memory.json')
const idsOf = (memory) => JSON.parse(readFileSync(storeOf(memory), 'utf8')).map(({ id }) => id)

test('eight processes that add different lessons lose none', async (t) => {
  const memory = freshMemory(t)
  const children = Array.from({ length: 8 }, (_, at) =>
    startChild(t, 'ralph-adder', memory, { from: 1000 * (at + 1), count: 25, loopId: `loop-${at}` }),
  )
  const added = (await runTogether(children)).flat()
  assert.ok(added.every((outcome) => outcome.added))
  const ids = idsOf(memory)
  assert.equal(new Set(ids).size, 200)
  assert.deepEqual(ids.toSorted(), added.map(({ id }) => id).toSorted())
})

test('eight processes that add the same lessons store each once', async (t) => {
  const memory = freshMemory(t)
  const children = Array.from({ length: 8 }, () =>
    startChild(t, 'ralph-adder', memory, { from: 1000, count: 20, loopId: 'same' }),
  )
  const outcomes = (await runTogether(children)).flat()
  assert.equal(outcomes.filter(({ added }) => added).length, 20)
  assert.equal(idsOf(memory).length, 20)
})

test('a reader among writers never sees half a store', async (t) => {
  const memory = freshMemory(t)
  ralphAdd({ lesson: 'the first of all' }, memory.options)
  const children = Array.from({ length: 4 }, (_, at) =>
    startChild(t, 'ralph-adder', memory, { from: 1000 * (at + 1), count: 25, loopId: 'x' }),
  )
  let isDone = false
  const done = runTogether(children).then(() => (isDone = true))
  let [looks, before] = [0, 0]
  while (!isDone) {
    const { entries, warnings } = ralphList(memory.options)
    assert.ok(entries.length >= before)
    assert.deepEqual(warnings, [])
    before = entries.length
    looks++
    await new Promise((resolve) => setImmediate(resolve))
  }
  await done
  assert.ok(looks > 3)
  assert.equal(ralphList(memory.options).entries.length, 101)
})

test('writers that are killed lose nothing that was acknowledged and leave a whole store', async (t) => {
  const memory = freshMemory(t)
  mkdirSync(folderOf(memory), { recursive: true })
  writeFileSync(storeOf(memory), '[]')
  const kept = []
  const rounds = 12
  for (let round = 1; round <= rounds; round++) {
    const writers = [1, 2].map((half) => {
      const args = [childProgram('ralph-writer'), memory.project, String(round * 100_000 + half * 10_000)]
      const child = spawn(process.execPath, args, {
        env: childEnvironment(memory),
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      let said = ''
      child.stdout.on('data', (text) => (said += text))
      return { child, said: () => said }
    })
    // Killed after a number of acknowledgements that differs every time, wherever the writer is by then.
    const wanted = 3 + ((round * 7) % 11)
    const lines = ({ said }) => said().split('\n').length - 1
    while (writers.some((writer) => lines(writer) < wanted)) {
      for (const { child } of writers) assert.equal(child.exitCode, null)
      await new Promise((resolve) => setImmediate(resolve))
    }
    for (const { child } of writers) child.kill('SIGKILL')
    await Promise.all(writers.map(({ child }) => once(child, 'close')))
    for (const { said } of writers) {
      const complete = said().split('\n').slice(0, -1)
      kept.push(...complete.filter((line) => line.startsWith('kept ')).map((line) => line.slice(5)))
    }
    const ids = new Set(idsOf(memory))
    assert.deepEqual(
      kept.filter((id) => !ids.has(id)),
      [],
    )
  }
  assert.ok(kept.length > rounds * 4)
  ralphAdd({ lesson: 'after all of that' }, memory.options)
  const leftovers = readdirSync(folderOf(memory)).filter((name) => name.endsWith('.tmp'))
  assert.deepEqual(leftovers, [])
})

test('entries that another process adds during the confirmation are kept', async (t) => {
  const memory = freshMemory(t)
  for (const number of [1, 2, 3]) ralphAdd({ lesson: `${number} `.repeat(number * 3), loopId: 'x' }, memory.options)
  const { keys, counted } = ralphClear({ ...memory.options, dryRun: true })
  const [added] = await runTogether([startChild(t, 'ralph-adder', memory, { from: 5000, count: 4, loopId: 'x' })])
  const outcome = ralphClear({ ...memory.options, only: keys })
  assert.deepEqual([counted, outcome.deleted, outcome.arrived, outcome.remaining], [3, 3, 4, 4])
  assert.deepEqual(idsOf(memory).toSorted(), added.map(({ id }) => id).toSorted())
})
