import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import test from 'node:test'
import { freshMemory, physicalLines } from './support/memory.mjs'
import { childEnvironment, childProgram, runTogether, startChild } from './support/processes.mjs'
import { rest } from './support/waiting.mjs'

const WRITERS = 4
/** How often each of them is killed. */
const KILLS = Number(process.env.FORGE_MEMORY_CRASH_KILLS ?? 30)
/** Every writer numbers its records from a start of its own. */
const STRIDE = 10_000_000

/** A random number below `limit` from a seeded generator; the moment of a kill is random all the same. */
function makeRandom(seed) {
  let state = seed
  return (limit) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * limit)
  }
}

/** Runs one writer until it has acknowledged a random number of calls, kills it, and returns what came through whole. */
async function runAndKill(memory, from, random) {
  const child = spawn(process.execPath, [childProgram('crash-writer'), memory.project, String(from)], {
    env: childEnvironment(memory),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const ended = once(child, 'close')
  const kill = () => child.kill('SIGKILL')
  const calls = 1 + random(120)
  const acknowledged = []
  let [text, stderr] = ['', '']
  child.stderr.on('data', (piece) => (stderr += piece))
  child.stdout.on('data', (piece) => {
    text += piece
    const lines = text.split('\n')
    // A line without its end was not acknowledged.
    text = lines.pop()
    acknowledged.push(...lines.map((line) => line.split(' ')))
    if (acknowledged.length < calls) return
    // Some die as they answer, some a little later.
    if (random(2) === 0) kill()
    else rest(random(4)).then(kill)
  })
  // Some die as they begin.
  if (random(10) === 0) rest(random(150)).then(kill)
  const [, signal] = await ended
  assert.equal(signal, 'SIGKILL', `a writer ended by itself: ${stderr}`)
  return acknowledged.map(([what, number, id]) => ({ what, number: Number(number), id }))
}

/** A writer forgets the first of every eight captures. Killed there, the order may be in the file without an answer. */
function forgottenUnanswered(life) {
  const last = life.findLastIndex(({ what }) => what === 'forgotten')
  const captures = life.slice(last + 1).filter(({ what }) => what === 'captured' || what === 'known')
  return captures.length === 8 ? [captures[0].id] : []
}

/** Keeps one place filled with a living writer until enough have been killed. */
async function writeInPlace(memory, place) {
  const random = makeRandom(place + 1)
  const answers = []
  const doubtful = []
  let next = place * STRIDE
  for (let kills = 0; kills < KILLS; kills++) {
    const life = await runAndKill(memory, next, random)
    answers.push(...life)
    doubtful.push(...forgottenUnanswered(life))
    // The call that was cut off is made again, as an agent would do: the record must not be there twice then.
    for (const { what, number } of life) if (what !== 'forgotten') next = Math.max(next, number + 1)
  }
  return { answers, doubtful }
}

/** Counts the records with each id and with each text. An invalid line is the fragment of a killed writer. */
function countRecords(path) {
  const ids = new Map()
  const texts = new Map()
  for (const line of physicalLines(path)) {
    let record
    try {
      record = JSON.parse(line)
    } catch {
      continue
    }
    if (record._action !== undefined) continue
    const text = record.pattern ?? record.content
    ids.set(record.id, (ids.get(record.id) ?? 0) + 1)
    texts.set(text, (texts.get(text) ?? 0) + 1)
  }
  return { ids, texts }
}

const countAbove = (counts, limit) => [...counts.values()].filter((count) => count > limit).length

test('acknowledged records are neither lost nor duplicated when writers are killed at any moment', async (t) => {
  const memory = freshMemory(t)
  const places = await Promise.all(Array.from({ length: WRITERS }, (_, place) => writeInPlace(memory, place)))
  const answers = places.flatMap((place) => place.answers)
  const doubtful = new Set(places.flatMap((place) => place.doubtful))
  const forgotten = new Set(answers.filter(({ what }) => what === 'forgotten').map(({ id }) => id))
  const stored = answers.filter(({ what }) => what !== 'forgotten')

  const [raw, patterns] = [countRecords(memory.raw), countRecords(memory.patterns)]
  const timesInFile = ({ what, id }) => (what === 'saved' ? patterns : raw).ids.get(id) ?? 0
  const lost = new Set(stored.filter((answer) => timesInFile(answer) === 0).map(({ id }) => id))
  const doubled = [raw, patterns].flatMap(({ ids, texts }) => [countAbove(ids, 1), countAbove(texts, 1)])

  // Recall must agree with the file: with the index as the dead left it, and without one.
  const certain = stored.filter(({ id }) => !doubtful.has(id))
  const numbers = certain.map(({ number }) => number)
  for (const isIndexed of [true, false]) {
    if (!isIndexed) rmSync(memory.forge('index'), { recursive: true, force: true })
    const [found] = await runTogether([startChild(t, 'recalls', memory, { numbers })])
    certain.forEach(({ id }, at) => {
      const expected = forgotten.has(id) ? [] : [id]
      if (found[at].join() !== expected.join()) lost.add(id)
    })
  }
  console.log(`lost ${lost.size} of ${stored.length}`)
  console.log(`doubled ${doubled.reduce((sum, count) => sum + count, 0)}`)
  t.diagnostic(`${WRITERS * KILLS} kills, ${forgotten.size} forgotten, ${doubtful.size} perhaps`)
  assert.deepEqual([lost.size, ...doubled], [0, 0, 0, 0, 0], [...lost].slice(0, 5).join())
  assert.ok(stored.length > WRITERS * KILLS && forgotten.size > 0, 'the writers wrote')

  // What was answered as newly captured had reached the file of its type and the queue as well.
  const captured = answers.filter(({ what }) => what === 'captured')
  for (const name of ['lessons.jsonl', 'openbrain-queue.jsonl']) {
    const { ids } = countRecords(memory.forge(name))
    assert.deepEqual([name, captured.filter(({ id }) => ids.get(id) !== 1)], [name, []])
  }
})
