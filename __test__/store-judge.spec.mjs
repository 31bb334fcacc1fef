// The SQL by which PostgreSQL knows what counts is held against the judge of the engine, which the embedded store asks: every sequence of decisions
// about two thoughts, and every way in which three retire each other.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import test, { after, before } from 'node:test'
import { EmbeddedStore } from '../dist/openbrain/embedded/store.js'
import { startPostgres } from './support/postgres.mjs'
import { opened } from './support/postgres-store.mjs'
import { freshFolder } from './support/project.mjs'
import { kinds, ruling, storing, thought } from './support/thoughts.mjs'

let server
before(async () => {
  server = await startPostgres()
})
after(() => server?.close())

const BATCH = 500
const BEGIN = Date.parse('2026-01-01T00:00:00.000Z')

/** All sequences of some length. */
const sequences = (words, length) =>
  length === 0 ? [[]] : sequences(words, length - 1).flatMap((begin) => words.map((word) => [...begin, word]))

const about = {
  retire: (a, b) => ['retire', a, b],
  'retire by none': (a) => ['retire', a],
  keep: (a) => ['keep', a],
  conflict: (a, b) => ['conflict', a, b],
  hold: (a, b) => ['hold', b, a],
  accept: (a) => ['accept', a, 's_1'],
  reject: (a) => ['reject', a, 's_1'],
  useful: (a) => ['useful', a, 's_1'],
  wrong: (a) => ['wrong', a, 's_2'],
  withdraw: (a) => ['withdraw', a, 's_1'],
}

const around = {
  'a by b': (a, b) => ['retire', a, b],
  'b by c': (_, b, c) => ['retire', b, c],
  'c by a': (a, _, c) => ['retire', c, a],
  'keep a': (a) => ['keep', a],
  'keep b': (_, b) => ['keep', b],
}

/** What both stores say of the thoughts of each sequence, when its decisions are said one after the other, or all at once. */
async function compared(t, cases, { thoughts: count, isAtOnce }) {
  const postgres = opened(t, await server.database())
  const embedded = new EmbeddedStore(undefined, join(freshFolder(t), 'openbrain.db'))
  t.after(() => embedded.close())
  const given = cases.map(({ words, table }) => {
    const own = Array.from({ length: count }, (_, at) => thought(`text ${at}`))
    const rulings = words.map((word, at) => {
      const [kind, id, other] = table[word](...own.map((one) => one.id))
      return ruling(kind, id, {
        at: new Date(BEGIN + (isAtOnce ? 0 : at * 1000)).toISOString(),
        ...(other && { other }),
      })
    })
    return { name: words.join(', '), own, rulings }
  })
  const batches = (all) =>
    Array.from({ length: Math.ceil(all.length / BATCH) }, (_, at) => all.slice(at * BATCH, (at + 1) * BATCH))
  const states = []
  for (const store of [postgres, embedded]) {
    for (const part of batches(given.flatMap(({ own }) => storing(...own)))) await store.put(part)
    for (const part of batches(given.flatMap(({ rulings }) => rulings)))
      assert.ok(kinds(await store.rule(part)).every((kind) => kind === 'delivered'))
    const said = new Map()
    for (const part of batches(given.flatMap(({ own }) => own.map(({ id }) => id)))) {
      for (const { thought: one, state, useful, wrong, contradictedBy = [] } of await store.read({
        ids: part,
        projects: [],
        limit: BATCH,
      }))
        said.set(one.id, [state, useful, wrong, contradictedBy.length])
    }
    states.push(given.map(({ name, own }) => [name, ...own.map(({ id }) => said.get(id))]))
  }
  assert.deepEqual(states[0], states[1])
  return states[0]
}

test('every three decisions about two thoughts do in PostgreSQL what the judge says', async (t) => {
  const cases = sequences(Object.keys(about), 3).map((words) => ({ words, table: about }))
  const said = await compared(t, cases, { thoughts: 2, isAtOnce: false })
  const of = (name) => said.find(([words]) => words === name)[1]
  assert.equal(of('keep, keep, retire')[0], 'retired')
  assert.equal(of('keep, retire, keep')[0], 'current')
  assert.deepEqual(
    of('hold, keep, conflict'),
    ['current', 0, 0, 1],
    'a contradiction that was declared after both held',
  )
})

test('every two decisions that are said at one time do the same', async (t) => {
  const cases = sequences(Object.keys(about), 2).map((words) => ({ words, table: about }))
  await compared(t, cases, { thoughts: 2, isAtOnce: true })
})

test('thoughts that retire each other in a circle count, and those that it leads to do not', async (t) => {
  const cases = sequences(Object.keys(around), 4).map((words) => ({ words, table: around }))
  await compared(t, cases, { thoughts: 3, isAtOnce: false })
})
