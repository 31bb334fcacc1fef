// Long texts in the shared stores: an embedding model reads the beginning of a text only, so that each piece behind it has a vector of its own, and a
// text is as near as the nearest of its pieces. A client of an earlier release knows no pieces, and works beside one that does.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import test, { after, before } from 'node:test'
import { EmbeddedStore } from '../dist/openbrain/embedded/store.js'
import { StoreFailure } from '../dist/openbrain/failure.js'
import { ADDITIONS, WITH_PIECES } from '../dist/openbrain/postgres/additions.js'
import { STEPS } from '../dist/openbrain/postgres/schema.js'
import { searchStatement } from '../dist/openbrain/postgres/search-statement.js'
import { embedRest } from '../dist/outbox/embedding.js'
import { comesWithVectors, execute, startPostgres } from './support/postgres.mjs'
import { opened } from './support/postgres-store.mjs'
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
    const before = await store.state()
    assert.equal((await store.embedMissing(64)).tried, 0, 'nothing is left to do')
    assert.deepEqual(kinds(await store.remove(deleting(long.id))), ['gone'])
    assert.notEqual(await store.state(), before)
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
  const of = { id: 1, cast: 'vector', isIndexed: true }
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

/** A database as the release before leaves it. */
async function withoutPieces(url) {
  await execute(url, 'create extension if not exists vector; create schema forge_memory')
  await execute(
    url,
    'create table forge_memory.migrations (version int primary key, applied_at timestamptz not null default now())',
  )
  const steps = [
    ...STEPS.map((step, at) => [step, at + 1]),
    ...ADDITIONS.slice(0, WITH_PIECES - 1).map((step, at) => [step, -at - 1]),
  ]
  for (const [step, version] of steps) {
    await execute(url, step)
    await execute(url, `insert into forge_memory.migrations (version) values (${version})`)
  }
}

test('a database of an earlier release: a member says what is missing, and the owner migrates and completes it', async (t) => {
  if (!comesWithVectors || server.kind !== 'postgres') return t.diagnostic('PGlite has one user')
  const url = await server.database()
  await withoutPieces(url)
  const name = new URL(url).pathname.slice(1)
  await execute(url, `create role m_${name} login; grant usage on schema forge_memory to m_${name}`)
  t.after(() => execute(url, `drop owned by m_${name}; drop role m_${name}`))
  await execute(url, `grant select, insert, update, delete on all tables in schema forge_memory to m_${name}`)
  await execute(url, `grant execute on all functions in schema forge_memory to m_${name}`)
  await execute(
    url,
    `alter default privileges in schema forge_memory grant select, insert, update, delete on tables to m_${name}`,
  )
  const member = inDatabase(t, url.replace('openbrain@', `m_${name}@`))
  const long = thought(about(1, 2, 3))
  assert.deepEqual(kinds(await member.put(storing(long))), ['delivered'])
  const { negotiatedAway, semantic } = await member.handshake()
  assert.equal(semantic, true)
  assert.ok(
    negotiatedAway.some((text) => /^the ends of long texts/.test(text)),
    `${negotiatedAway}`,
  )
  assert.equal((await member.embedMissing(64)).tried, 0)
  const near = async (store) => (await store.search(asking('topic3 ?'))).thoughts.filter(({ cosine }) => cosine > 0.9)
  assert.deepEqual(await near(member), [])
  const owner = inDatabase(t, url)
  assert.deepEqual(
    (await owner.handshake()).negotiatedAway.filter((text) => /long texts/.test(text)),
    [],
  )
  await embedRest(owner, undefined, () => undefined)
  assert.deepEqual(
    (await near(owner)).map(({ id }) => id),
    [long.id],
  )
  assert.deepEqual(
    (await near(member)).map(({ id }) => id),
    [long.id],
    'who reads sees them at once',
  )
})

test('a client of an earlier release writes one vector and removes one, and the pieces follow', async (t) => {
  if (!comesWithVectors) return t.diagnostic('this server has no vectors')
  const url = await server.database()
  const store = inDatabase(t, url)
  await store.handshake()
  const [theirs, gone] = [thought(about(1, 2, 3)), thought(about(4, 5))]
  await opened(t, url, undefined).put(storing(theirs, gone))
  const vector = (one) => `[${vectorOf(one.content).join(',')}]`
  const text = 'insert into forge_memory.vectors_1 (id, embedding, is_indexed) values ($1, $2, true), ($3, $4, true)'
  await execute(url, text, [theirs.id, vector(theirs), gone.id, vector(gone)])
  const asked = asking('topic3 ?')
  assert.ok((await store.search(asked)).thoughts.every(({ cosine }) => cosine < 0.9))
  const before = await store.state()
  await embedRest(store, undefined, () => undefined)
  assert.notEqual(await store.state(), before, 'cached answers end')
  assert.equal((await store.search(asked)).thoughts[0].id, theirs.id)
  assert.ok((await count(url, `id = '${gone.id}'`)) > 0)
  // That release forgets a text by these two statements.
  await execute(url, `update forge_memory.thoughts set content = '', forgotten_at = now() where id = '${gone.id}'`)
  await execute(url, 'delete from forge_memory.vectors_1 where id = any($1)', [[gone.id]])
  assert.equal(await count(url, `id = '${gone.id}'`), 0)
  // It removes the vectors of a model that nobody uses by a function of the database.
  await execute(url, "update forge_memory.embedders set seen_at = now() - interval '40 days'")
  const [{ dropped }] = await execute(url, 'select forge_memory.drop_space(1, 30) as dropped')
  assert.equal(dropped, true)
  const left = await execute(
    url,
    "select tablename from pg_tables where schemaname = 'forge_memory' and tablename ~ '_1$'",
  )
  assert.deepEqual(left, [])
})

test('texts that may be long and are not are noted once, and change no answer', async (t) => {
  if (!comesWithVectors) return t.diagnostic('this server has no vectors')
  const url = await server.database()
  const texts = Array.from({ length: 5 }, (_, at) => thought(`topic${at} ${filler(40)}`))
  await opened(t, url, undefined).put(storing(...texts))
  const store = inDatabase(t, url)
  assert.equal((await store.embedMissing(64)).made, 5)
  assert.equal(await count(url, 'embedding is null'), 5, 'with their vectors')
  // Of a client of an earlier release they are noted later.
  await execute(url, 'delete from forge_memory.pieces_1')
  const before = await store.state()
  const { made, tried } = await store.embedMissing(64)
  assert.deepEqual([made, tried, await count(url, 'embedding is null')], [0, 5, 5])
  assert.equal(await store.state(), before)
  const [{ pieces_at: since }] = await execute(url, 'select pieces_at from forge_memory.spaces')
  assert.equal(since, null)
  assert.equal((await store.embedMissing(64)).tried, 0)
})
