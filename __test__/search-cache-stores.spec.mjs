// Cached answers of the shared store, which changes by others invalidate.
import assert from 'node:assert/strict'
import { cpSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import test, { after, before } from 'node:test'
import { captureMemory, drainOpenBrain, editMemory, forget, searchThoughts } from '../dist/index.js'
import { PostgresStore } from '../dist/openbrain/postgres/store.js'
import { freshMemory } from './support/memory.mjs'
import { installedModel } from './support/model.mjs'
import { startOpenBrain } from './support/openbrain-server/server.mjs'
import { execute, startPostgres } from './support/postgres.mjs'
import { stateOf } from './support/postgres-store.mjs'
import { deleting, ruling, storing, thought } from './support/thoughts.mjs'
import { approveStores } from './support/trust.mjs'

delete process.env.OPENBRAIN_KEY

let database
before(async () => {
  database = await startPostgres()
})
after(() => database?.close())

function configured(memory, openbrain, embedder = { kind: 'none' }) {
  writeFileSync(join(memory.project, '.forge.json'), JSON.stringify({ projectName: 'shop', openbrain, embedder }))
  approveStores(memory.project)
}

/** The stores, and what makes two projects share one. */
const STORES = {
  embedded: async () => 'file',
  postgres: async () => database.database(),
  'remote by REST': async (t) => (await served(t)).rest,
  'remote by MCP': async (t) => (await served(t)).sse,
}

async function served(t) {
  const server = await startOpenBrain()
  t.after(() => server.close())
  return server
}

for (const [name, open] of Object.entries(STORES)) {
  test(`${name}: a capture, an edit and a forget by another process invalidate a cached answer at once`, async (t) => {
    const here = freshMemory(t)
    const there = freshMemory(t)
    // One user, whose folder has the embedded store and the approvals.
    process.env.FORGE_HOME = here.home
    const url = await open(t)
    for (const machine of [here, there]) configured(machine, { url })
    const texts = async () => {
      const { thoughts, cached, backend } = await searchThoughts('deploy note', here.options)
      assert.notEqual(backend, 'files')
      return [thoughts.map(({ content }) => content).sort(), cached === true]
    }
    captureMemory({ type: 'lesson', body: 'deploy note alpha' }, here.options)
    await drainOpenBrain(here.options)
    const answers = async (expected, what) => {
      assert.deepEqual(await texts(), [expected, false], what)
      assert.deepEqual(await texts(), [expected, true], `${what}, asked again`)
    }
    await answers(['deploy note alpha'], 'a first answer')
    const { id } = captureMemory({ type: 'lesson', body: 'deploy note bravo' }, there.options)
    await drainOpenBrain(there.options)
    await answers(['deploy note alpha', 'deploy note bravo'], 'a capture')
    const edited = editMemory(id, { body: 'deploy note charlie' }, there.options)
    await drainOpenBrain(there.options)
    await answers(['deploy note alpha', 'deploy note charlie'], 'an edit')
    forget(edited.id, there.options)
    await drainOpenBrain(there.options)
    await answers(['deploy note alpha'], 'a forget')
  })
}

test('postgres: every kind of change is another state, also one that is made by hand or takes nothing but a vector', async (t) => {
  const url = await database.database()
  const store = new PostgresStore({ backend: 'postgres', url: new URL(url), password: undefined }, undefined)
  t.after(() => store.close())
  const one = thought('a note')
  await store.put(storing(one))
  const states = [await stateOf(store)]
  const changes = [
    () => store.put(storing(thought('another note'))),
    () => store.remove(deleting(one.id)),
    () => execute(url, "update forge_memory.thoughts set expires_at = now() + interval '1 day'"),
    () => execute(url, 'truncate forge_memory.thoughts cascade'),
  ]
  for (const change of changes) {
    assert.equal(await stateOf(store), states.at(-1), 'nothing happened')
    await change()
    states.push(await stateOf(store))
  }
  assert.equal(new Set(states).size, states.length, states.join('\n'))
})

test('postgres: a change ends the answers of its project, and of all at once, and of no other project', async (t) => {
  const url = await database.database()
  const store = new PostgresStore({ backend: 'postgres', url: new URL(url), password: undefined }, undefined)
  t.after(() => store.close())
  const [here, there] = [thought('a note'), thought('a note', { project: 'bank' })]
  await store.put(storing(here, there))
  for (const [what, change] of [
    ['a capture', () => store.put(storing(thought('another note')))],
    ['a ruling', () => store.rule([ruling('useful', here.id)])],
    [
      'a longer life',
      () =>
        execute(url, "update forge_memory.thoughts set expires_at = now() + interval '1 day' where project = 'shop'"),
    ],
    ['a forgetting', () => store.remove(deleting(here.id))],
    ['a removal', () => execute(url, "delete from forge_memory.thoughts where project = 'shop'")],
  ]) {
    const before = [await stateOf(store, ['shop']), await stateOf(store, ['bank']), await stateOf(store)]
    await change()
    assert.notEqual(await stateOf(store, ['shop']), before[0], what)
    assert.equal(await stateOf(store, ['bank']), before[1], what)
    assert.notEqual(await stateOf(store), before[2], what)
  }
  const [shop, bank] = [await stateOf(store, ['shop']), await stateOf(store, ['bank'])]
  await execute(url, "update forge_memory.thoughts set project = 'shop' where project = 'bank'")
  assert.notEqual(await stateOf(store, ['shop']), shop, 'where it moved to')
  assert.notEqual(await stateOf(store, ['bank']), bank, 'and from')
})

test('postgres: an uncommitted write does not invalidate too early', async (t) => {
  if (database.kind !== 'postgres') return t.diagnostic('PGlite cannot show this')
  const { default: pg } = await import('pg')
  const url = await database.database()
  const store = new PostgresStore({ backend: 'postgres', url: new URL(url), password: undefined }, undefined)
  t.after(() => store.close())
  await store.put(storing(thought('a note')))
  const before = await stateOf(store)
  const writer = new pg.Client(url)
  await writer.connect()
  t.after(() => writer.end())
  await writer.query('begin')
  await writer.query("insert into forge_memory.thoughts (id, content) values ('mem_slow', 'slow')")
  assert.equal(await stateOf(store), before)
  await writer.query('commit')
  assert.notEqual(await stateOf(store), before)
})

test('an installed model invalidates cached lexical answers', async (t) => {
  const memory = freshMemory(t)
  configured(memory, { url: 'file' }, { kind: 'local' })
  captureMemory({ type: 'lesson', body: 'never mock the clock' }, memory.options)
  await drainOpenBrain(memory.options)
  await searchThoughts('clock', memory.options)
  const byWords = await searchThoughts('clock', memory.options)
  assert.deepEqual([byWords.cached, byWords.semantic], [true, false])
  const folder = join(memory.home, 'models', 'all-MiniLM-L6-v2')
  mkdirSync(dirname(folder), { recursive: true })
  cpSync(installedModel(), folder, { recursive: true })
  assert.equal((await searchThoughts('clock', memory.options)).cached, undefined, 'before there is any vector')
  assert.equal((await drainOpenBrain(memory.options)).embedded, 1)
  const byMeaning = await searchThoughts('clock', memory.options)
  assert.deepEqual([byMeaning.cached, byMeaning.semantic], [undefined, true])
})
