import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import test from 'node:test'
import { listMemories } from '../index.js'
import { freshMemory, sentenceOf } from './support/memory.mjs'
import { runTogether, startChild } from './support/processes.mjs'
import { readLines } from './support/project.mjs'

const WRITERS = 3
const COUNT = 150
const BROKEN = ['broken', '{"torn":', '\ufeff[1]']

test('a repair during writes loses nothing and sets aside only invalid lines', async (t) => {
  const memory = freshMemory(t)
  mkdirSync(dirname(memory.raw), { recursive: true })
  writeFileSync(memory.raw, `${BROKEN.join('\n')}\n`)
  const captures = (seed) =>
    Array.from({ length: COUNT }, (_, at) => ({ type: 'lesson', body: sentenceOf(seed * COUNT + at) }))
  const writers = Array.from({ length: WRITERS }, (_, seed) =>
    startChild(t, 'captures', memory, { captures: captures(seed) }),
  )
  const repairs = [1, 2].map(() => startChild(t, 'repairs', memory, { times: 10 }))
  const results = await runTogether([...writers, ...repairs])
  const ids = results.slice(0, WRITERS).flatMap((told) => told.map(({ id, captured }) => captured && id))
  assert.equal(new Set(ids).size, WRITERS * COUNT)
  const lines = readFileSync(memory.raw, 'utf8').split('\n')
  assert.deepEqual(
    lines.filter((line) => BROKEN.includes(line)),
    [],
  )
  for (const path of [memory.raw, memory.raw.replace('memory-captures', 'lessons')]) {
    const stored = readLines(path).map(({ id }) => id)
    assert.deepEqual([...stored].sort(), [...ids].sort(), path)
  }
  const queued = new Set(readLines(memory.forge('openbrain-queue.jsonl')).map(({ id }) => id))
  assert.deepEqual(
    ids.filter((id) => !queued.has(id)),
    [],
  )
  assert.equal(listMemories({ ...memory.options, limit: 1000 }).total, WRITERS * COUNT)
})
