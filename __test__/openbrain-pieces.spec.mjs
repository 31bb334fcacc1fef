// Long texts in the shared stores: an embedding model reads the beginning of a text only, so that each piece behind it has a vector of its own, and a
// text is as near as the nearest of its pieces.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import test, { after, before } from 'node:test'
import { EmbeddedStore } from '../dist/openbrain/embedded/store.js'
import { StoreFailure } from '../dist/openbrain/failure.js'
import { searchStatement } from '../dist/openbrain/postgres/search-statement.js'
import { embedRest } from '../dist/outbox/embedding.js'
import { comesWithVectors, execute, startPostgres } from './support/postgres.mjs'
import { opened, stateOf } from './support/postgres-store.mjs'
import { freshFolder } from './support/project.mjs'
import { asking, deleting, kinds, storing, thought } from './support/thoughts.mjs'

delete process.env.OPENBRAIN_KEY

let server
before(async () => {
  server = await startPostgres()
})
after(() => server?.close())

const DIMENSIONS = 16
/** The words that the model reads. */
const READ = 100
const filler = (count) => Array.from({ length: count }, (_, at) => `filler${at % 7}`).join(' ')

/** The direction of the topics in the words that it reads: `topicN` is the axis N. */
function vectorOf(text) {
  const vector = new Float32Array(DIMENSIONS).fill(0.01)
  const read = text.split(/\s+/).slice(0, READ).join(' ')
  for (const [, axis] of read.matchAll(/topic(\d+)/g)) vector[Number(axis) % DIMENSIONS] += 1
  const length = Math.hypot(...vector)
  return vector.map((value) => value / length)
}

/** A model that reads the beginning of a text, and refuses some. */
const reading = (refuses = () => false) => ({
  model: 'reading',
  dimensions: async () => DIMENSIONS,
  embed: async (texts) => {
    if (texts.some(refuses)) throw new StoreFailure('busy', 'it is refused')
    return texts.map(vectorOf)
  },
})

/** A text whose pieces are about these topics, one after the other. */
const about = (...topics) => topics.map((topic) => `topic${topic} ${filler(140)}`).join(' ')

const inDatabase = (t, url, embedder = reading(), options) => opened(t, url, embedder, options)
const count = async (url, what = 'true') =>
  (await execute(url, `select count(*)::int as count from forge_memory.pieces_1 where ${what}`))[0].count

const STORES = {
  embedded: async (t) => {
    const path = join(freshFolder(t), 'openbrain.db')
    return (embedder) => {
      const store = new EmbeddedStore(embedder, path)
      t.after(() => store.close())
      return store
    }
  },
  postgres: async (t) => {
    const url = await server.database()
    return (embedder) => opened(t, url, embedder)
  },
}

for (const [kind, found] of Object.entries(STORES)) {
  const hasVectors = kind === 'embedded' || comesWithVectors

  test(`${kind}: what stands at the end of a long text is found by meaning, at once and in each project`, async (t) => {
    if (!hasVectors) return t.diagnostic('this server has no vectors')
    const store = (await found(t))(reading())
    const long = thought(about(1, 2, 3, 4))
    const others = [5, 6, 7].map((topic) => thought(`topic${topic} in short`))
    const elsewhere = thought(about(8, 4), { project: 'other' })
    assert.deepEqual(new Set(kinds(await store.put(storing(long, ...others, elsewhere)))), new Set(['delivered']))
    for (const topic of [1, 2, 3, 4]) {
      const { thoughts, semantic } = await store.search(asking(`topic${topic} ?`, { project: 'shop' }))
      assert.deepEqual([semantic, thoughts[0]?.id], [true, long.id], `topic ${topic}`)
      assert.ok(thoughts[0].cosine > 0.9, `topic ${topic}: ${thoughts[0].cosine}`)
      assert.equal(new Set(thoughts.map(({ id }) => id)).size, thoughts.length, 'each text once')
    }
    const everywhere = await store.search(asking('topic4 ?'))
    assert.deepEqual(new Set(everywhere.thoughts.slice(0, 2).map(({ id }) => id)), new Set([long.id, elsewhere.id]))
    const before = await stateOf(store)
    assert.equal((await store.embedMissing(64)).tried, 0, 'nothing is left to do')
    assert.deepEqual(kinds(await store.remove(deleting(long.id))), ['gone'])
    assert.notEqual(await stateOf(store), before)
    const rest = await store.search(asking('topic3 ?', { project: 'shop' }))
    assert.ok(rest.thoughts.every(({ id, cosine = 0 }) => id !== long.id && cosine < 0.5))
  })

  test(`${kind}: pieces that are missing are computed batch by batch, by whichever process comes next`, async (t) => {
    if (!hasVectors) return t.diagnostic('this server has no vectors')
    const open = await found(t)
    const plain = open(undefined)
    const texts = Array.from({ length: 30 }, (_, at) => thought(about(at % 3, 5, 6, 7 + (at % 8))))
    await plain.put(storing(...texts))
    const first = open(reading())
    assert.equal((await first.embedMissing(64)).made, 30, 'the vectors of the texts come first')
    const { made, tried } = await first.embedMissing(6)
    assert.ok(made > 0 && made < 10 && tried === made, `${made}`)
    const second = open(reading())
    let rest = 0
    await embedRest(second, undefined, (progress) => {
      rest += progress.made
    })
    assert.equal(made + rest, 30)
    const { thoughts } = await second.search(asking('topic9 ?'))
    assert.ok(thoughts.slice(0, 3).every(({ id }) => texts.findIndex((one) => one.id === id) % 8 === 2))
    assert.equal((await first.embedMissing(64)).tried, 0)
  })

  test(`${kind}: a text of which a piece is refused is found by its beginning, and the pass ends`, async (t) => {
    if (!hasVectors) return t.diagnostic('this server has no vectors')
    const open = await found(t)
    const refusing = reading((text) => text.split(/\s+/).slice(0, READ).includes('poison'))
    const store = open(refusing)
    const bad = thought(`${about(1, 2)} poison ${about(3)}`)
    const good = thought(about(4, 5))
    assert.deepEqual(kinds(await store.put(storing(bad, good))), ['delivered', 'delivered'])
    await embedRest(store, undefined, () => undefined)
    const cosines = async (text) =>
      (await store.search(asking(text))).thoughts.map(({ id, cosine }) => [id, cosine > 0.9])
    assert.deepEqual((await cosines('topic1 ?'))[0], [bad.id, true])
    assert.deepEqual((await cosines('topic5 ?'))[0], [good.id, true])
    assert.ok((await cosines('topic2 ?')).every(([, isNear]) => !isNear))
    const mended = open(reading())
    await embedRest(mended, undefined, () => undefined)
    assert.deepEqual((await mended.search(asking('topic3 ?'))).thoughts[0].id, bad.id)
  })
}

test('a text with many near pieces takes the places of no others, with and without a filter', async (t) => {
  if (!comesWithVectors) return t.diagnostic('this server has no vectors')
  const url = await server.database()
  const store = inDatabase(t, url)
  const crowding = Array.from({ length: 3 }, () => thought(about(...new Array(120).fill(1))))
  const wanted = Array.from({ length: 20 }, (_, at) =>
    thought(`${about(2 + (at % 10))} topic1 topic${2 + (at % 10)} ${filler(100)}`),
  )
  const all = [...crowding, ...wanted]
  for (const one of all) await store.put(storing(one))
  await embedRest(store, undefined, () => undefined)
  assert.ok((await count(url)) > 300)
  for (const project of [undefined, 'shop']) {
    const answer = await store.search(asking('topic1 ?', { limit: 23, ...(project && { project }) }))
    const near = answer.thoughts.filter(({ cosine }) => cosine > 0.6).map(({ id }) => id)
    assert.deepEqual(new Set(near), new Set(all.map(({ id }) => id)), `${project}`)
  }
  const expired = asking('topic1 ?', { type: 'gotcha' })
  assert.deepEqual((await store.search(expired)).thoughts, [])
})

test('a search of short texts alone is the statement that it was, and each is planned once', async (t) => {
  if (!comesWithVectors) return t.diagnostic('this server has no vectors')
  const of = { id: 1, cast: 'vector', isIndexed: true, parts: [] }
  const space = (areAny) => ({
    ...of,
    table: 'forge_memory.vectors_1',
    pieces: { ...of, table: 'forge_memory.pieces_1', areAny },
  })
  const statement = (text, pieces, projects) =>
    searchStatement({
      ...asking(text),
      depth: 40,
      hasRulings: true,
      ...(projects && { projects }),
      meaning: { space: space(pieces), vector: vectorOf(text), efSearch: 100, scansIteratively: true, isLayered: true },
    })
  for (const projects of [undefined, ['shop']]) {
    assert.ok(!statement('topic1', false, projects).text.includes('pieces'))
    const [one, other] = [statement('topic1', true, projects), statement('a longer question', true, projects)]
    assert.equal(one.name, other.name, 'the text does not depend on the values')
    assert.notEqual(one.name, statement('topic1', false, projects).name)
  }
})

test('texts that may be long and are not are noted once, and change no answer', async (t) => {
  if (!comesWithVectors) return t.diagnostic('this server has no vectors')
  const url = await server.database()
  const texts = Array.from({ length: 5 }, (_, at) => thought(`topic${at} ${filler(40)}`))
  await opened(t, url, undefined).put(storing(...texts))
  const store = inDatabase(t, url)
  assert.equal((await store.embedMissing(64)).made, 5)
  assert.equal(await count(url, 'embedding is null'), 5, 'with their vectors')
  // What is missing is noted later.
  await execute(url, 'delete from forge_memory.pieces_1')
  const before = await stateOf(store)
  const { made, tried } = await store.embedMissing(64)
  assert.deepEqual([made, tried, await count(url, 'embedding is null')], [0, 5, 5])
  assert.equal(await stateOf(store), before)
  const [{ pieces_at: since }] = await execute(url, 'select pieces_at from forge_memory.spaces')
  assert.equal(since, null)
  assert.equal((await store.embedMissing(64)).tried, 0)
})
