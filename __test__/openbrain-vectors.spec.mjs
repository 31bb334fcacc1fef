// Vectors that are complete: filled in by every worker and by a command, indexed once there are many, and changed with the model.
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test, { after, before } from 'node:test'
import { ollamaEmbedder } from '../dist/openbrain/embedder/ollama.js'
import { floatArray } from '../dist/openbrain/postgres/rows.js'
import { spaceOf } from '../dist/openbrain/postgres/schema.js'
import { searchStatement } from '../dist/openbrain/postgres/search-statement.js'
import { insertVectors } from '../dist/openbrain/postgres/sql.js'
import { buildMemory } from '../dist/openbrain/postgres/vector-index.js'
import { embedRest } from '../dist/outbox/embedding.js'
import { freshCommand, runBeside } from './support/command.mjs'
import { startEmbedder } from './support/embedder-server.mjs'
import { sentenceOf } from './support/memory.mjs'
import { execute, startPostgres } from './support/postgres.mjs'
import { opened } from './support/postgres-store.mjs'
import { asking, kinds, ruling, storing, thought } from './support/thoughts.mjs'
import { approveStores } from './support/trust.mjs'

delete process.env.OPENBRAIN_KEY

let server
before(async () => {
  server = await startPostgres()
})
after(() => server?.close())

async function embedderFor(t, options) {
  const embedder = await startEmbedder(options)
  t.after(() => embedder.close())
  return embedder
}

const models = async (url) =>
  (await execute(url, 'select model from forge_memory.spaces order by id')).map(({ model }) => model)
const tables = async (url) =>
  (
    await execute(
      url,
      "select count(*)::int as count from pg_tables where schemaname = 'forge_memory' and tablename like 'vectors%'",
    )
  )[0].count

test('a build of the index takes what its graph needs, up to 2 GB, or to what whoever runs the database gives', () => {
  assert.deepEqual([buildMemory(5000, 384, 64), buildMemory(100_000, 384, 64)], [64, 256])
  assert.deepEqual([buildMemory(5_000_000, 384, 64), buildMemory(5_000_000, 384, 8192)], [2048, 8192])
  // No more than it needs.
  assert.equal(buildMemory(5_000_000, 384, 65_536), 12_795)
})

test('a change of the model: the old one answers until the new one is complete, and is removed then', async (t) => {
  const url = await server.database()
  const served = await embedderFor(t)
  const named = (model) => ollamaEmbedder(served.url, model)
  const embedderOf = async (model) => named(model.replace('ollama:', ''))
  const first = opened(t, url, named('first'), { client: 'one', embedderOf })
  const wanted = thought('reset the password after three failures')
  const others = Array.from({ length: 29 }, (_, at) => thought(`an unrelated ${sentenceOf(at)}`))
  await first.put(storing(wanted, ...others))
  await embedRest(first, undefined, () => undefined)
  assert.deepEqual(await models(url), ['ollama:first'])
  const second = opened(t, url, named('second'), { client: 'one', embedderOf })
  const ask = async () => {
    const { semantic, thoughts } = await second.search(asking('login'))
    return [semantic, thoughts[0]?.id]
  }
  assert.deepEqual(await ask(), [true, wanted.id], 'before there is any vector of the new model')
  // The oldest thought is the last that gets its vector.
  const { done, total } = await second.embedMissing(10)
  assert.deepEqual([done, total], [10, 30])
  assert.deepEqual(await ask(), [true, wanted.id], 'while there are some')
  assert.deepEqual(await models(url), ['ollama:first', 'ollama:second'])
  await embedRest(second, undefined, () => undefined)
  assert.deepEqual([await models(url), await tables(url)], [['ollama:second'], 1])
  assert.deepEqual(await ask(), [true, wanted.id])
  // A process that was open meanwhile goes on with the model that it has, and by words until it has vectors again.
  assert.equal((await first.search(asking('password'))).thoughts[0].id, wanted.id)
})

test('the vectors of a model stay as long as another client uses it', async (t) => {
  const url = await server.database()
  const served = await embedderFor(t)
  const one = opened(t, url, ollamaEmbedder(served.url, 'first'), { client: 'one' })
  const two = opened(t, url, ollamaEmbedder(served.url, 'second'), { client: 'two' })
  await one.put(storing(thought('a note')))
  await embedRest(one, undefined, () => undefined)
  await embedRest(two, undefined, () => undefined)
  await embedRest(one, undefined, () => undefined)
  assert.deepEqual(await models(url), ['ollama:first', 'ollama:second'])
  await execute(
    url,
    "update forge_memory.embedders set seen_at = now() - interval '40 days' where client = 'openbrain one'",
  )
  await embedRest(two, undefined, () => undefined)
  assert.deepEqual(await models(url), ['ollama:second'])
})

test('a large batch is stored before its vectors, which are filled in and indexed once', {
  timeout: 300_000,
}, async (t) => {
  const url = await server.database()
  const served = await embedderFor(t, { dimensions: 16 })
  const store = opened(t, url, ollamaEmbedder(served.url, 'test'))
  const all = Array.from({ length: 5200 }, (_, at) => thought(`note ${at} about ${sentenceOf(at)}`))
  for (let at = 0; at < all.length; at += store.batchMax) {
    assert.deepEqual(
      new Set(kinds(await store.put(storing(...all.slice(at, at + store.batchMax))))),
      new Set(['delivered']),
    )
  }
  const before = await store.vectors()
  assert.deepEqual([before.done, before.total], [0, 5200])
  const seen = []
  await embedRest(store, undefined, ({ done }) => seen.push(done))
  assert.deepEqual([seen.at(-1), seen.toSorted((a, b) => a - b)], [5200, seen])
  const index = async () =>
    execute(url, "select indexdef from pg_indexes where schemaname = 'forge_memory' and indexdef like '%hnsw%'")
  assert.equal((await index()).length, 1)
  await embedRest(store, undefined, () => undefined)
  assert.equal((await index()).length, 1)
  assert.equal((await store.search(asking(all[77].content))).thoughts[0].id, all[77].id)
  // What comes after that is found at once, without an insertion into the index, and taken into it when there is enough.
  const beside = async () => {
    const [{ table }] = await execute(url, "select 'forge_memory.vectors_' || id as table from forge_memory.spaces")
    return (await execute(url, `select count(*)::int as count from ${table} where not is_indexed`))[0].count
  }
  const more = Array.from({ length: 2100 }, (_, at) => thought(`password rotation number ${at}`))
  assert.deepEqual(kinds(await store.put(storing(more[0]))), ['delivered'])
  assert.deepEqual([(await store.vectors()).done, await beside()], [5201, 1])
  assert.equal((await store.search(asking('login rotation'))).thoughts[0].id, more[0].id)
  for (let at = 1; at < more.length; at += 500) await store.put(storing(...more.slice(at, at + 500)))
  await embedRest(store, undefined, () => undefined)
  assert.deepEqual([(await store.vectors()).done, await beside()], [7300, 0])
  assert.equal((await store.search(asking('login rotation'))).thoughts.length, 10)
})

/** A vector with this cosine to the one of `login`, and otherwise of any direction. */
function vectorWith(cosine, login) {
  const other = login.map((value) => (value === 0 ? Math.random() - 0.5 : 0))
  const length = Math.hypot(...other) / Math.sqrt(1 - cosine ** 2)
  return Float32Array.from(login, (value, at) => value * cosine + other[at] / length)
}

test('as many candidates are examined as the setting says, and more while a filter leaves too few', {
  timeout: 300_000,
}, async (t) => {
  const url = await server.database()
  const served = await embedderFor(t, { dimensions: 16 })
  const embedder = () => ollamaEmbedder(served.url, 'test')
  const [login] = await embedder().embed(['login'])
  // Before the wanted ones come 200 of another type, and then thousands.
  const near = (type, count, cosine) =>
    Array.from({ length: count }, (_, at) => ({ one: thought(`${type} ${at}`, { type }), cosine: cosine - at / 1e6 }))
  const all = [...near('lesson', 200, 0.95), ...near('gotcha', 20, 0.8), ...near('note', 5000, 0.3)]
  const plain = opened(t, url, undefined)
  for (let at = 0; at < all.length; at += 500)
    await plain.put(storing(...all.slice(at, at + 500).map(({ one }) => one)))
  const filling = opened(t, url, embedder())
  await filling.handshake()
  const vectors = floatArray(all.map(({ cosine }) => vectorWith(cosine, login)))
  const space = { table: 'forge_memory.vectors_1', cast: 'vector', isIndexed: false }
  await execute(url, insertVectors(space), [all.map(({ one }) => one.id), vectors, 16])
  await embedRest(filling, undefined, () => undefined)
  // With so few rows, the planner would rather compare all of them.
  const database = new URL(url).pathname.slice(1)
  for (const way of ['seqscan', 'sort', 'bitmapscan'])
    await execute(url, `alter database ${database} set enable_${way} = off`)
  const found = async (efSearch) => {
    const store = opened(t, url, embedder(), { efSearch })
    const { thoughts, semantic } = await store.search(asking('login', { type: 'gotcha' }))
    return [semantic, thoughts.length]
  }
  const asBefore = (version) =>
    execute(url, `update pg_extension set extversion = '${version}' where extname = 'vector'`)
  assert.deepEqual(await found(40), [true, 10], 'the scan goes on until there are enough')
  await asBefore('0.7.4')
  assert.deepEqual(await found(40), [true, 0], 'the release before cannot')
  assert.deepEqual(await found(1000), [true, 10], 'the setting is the number of candidates')
})

/** Vectors of two kinds: of any direction, and in dense clusters far apart, of which an index finds fewer. */
const KINDS = {
  scattered: () => Float32Array.from({ length: 48 }, () => Math.random() - 0.5),
  clustered: (at) => {
    const centre = Array.from({ length: 48 }, (_, axis) => Math.sin((at % 300) * 7919 + axis * 104_729))
    return Float32Array.from(centre, (value) => value + (Math.random() - 0.5) * 0.2)
  },
}

for (const [kind, vectorAt] of Object.entries(KINDS)) {
  test(`the index of ${kind} vectors is measured when it is built, and searches find what an exact scan finds`, {
    timeout: 300_000,
  }, async (t) => {
    const url = await server.database()
    const embedder = {
      model: kind,
      dimensions: async () => 48,
      embed: async (texts) => texts.map((text) => vectorAt(Number(text.match(/\d+/)?.[0] ?? 0))),
      embedQuery: async (text) => {
        questions.push(text.split(' ').length)
        return (await embedder.embed([text]))[0]
      },
    }
    const questions = []
    const plain = opened(t, url, undefined)
    const all = Array.from({ length: 8000 }, (_, at) => thought(`zz ${at}`))
    for (let at = 0; at < all.length; at += 500) await plain.put(storing(...all.slice(at, at + 500)))
    const store = opened(t, url, embedder)
    await embedRest(store, undefined, () => undefined)
    const measured = async () => (await execute(url, 'select ef_search, tuned_rows from forge_memory.spaces'))[0]
    const { ef_search: efSearch, tuned_rows: rows } = await measured()
    assert.deepEqual([rows, questions.length, Math.max(...questions)], [all.length, 20, 2], 'by short questions')
    for (const [before, after] of [
      [all.length / 2 + 1, 100],
      [all.length / 2, efSearch],
    ]) {
      await execute(url, `update forge_memory.spaces set ef_search = 100, tuned_rows = ${before}`)
      await embedRest(opened(t, url, embedder), undefined, () => undefined)
      const { ef_search: now } = await measured()
      assert.equal(now > 100, after > 100, 'again when there are twice as many')
    }
    t.diagnostic(`${kind}: ${efSearch} candidates`)
    assert.ok(efSearch >= 200 && efSearch <= 1000, `${efSearch}`)
    const database = new URL(url).pathname.slice(1)
    // With so few rows, the planner would rather compare all of them.
    for (const way of ['seqscan', 'sort', 'bitmapscan'])
      await execute(url, `alter database ${database} set enable_${way} = off`)
    const asked = []
    const embed = async ([text]) => {
      asked.push(vectorAt(text.length * 17))
      return asked.slice(-1)
    }
    const searching = opened(t, url, { ...embedder, embed, embedQuery: undefined })
    let found = 0
    for (let round = 0; round < 20; round += 1) {
      const { thoughts } = await searching.search(asking('?'.repeat(round + 1)))
      const exact = await execute(
        url,
        // An index cannot order by a sum.
        `select id from forge_memory.vectors_1 order by (embedding <=> '[${asked.at(-1).join(',')}]') + 0 limit 10`,
      )
      const ids = new Set(thoughts.map(({ id }) => id))
      found += exact.filter(({ id }) => ids.has(id)).length
    }
    t.diagnostic(`${kind}: recall@10 ${(found / 200).toFixed(3)}`)
    assert.ok(found / 200 >= 0.95, `${found / 200}`)
  })
}

test('in one of many projects, the vectors of its thoughts are compared exactly, and the thoughts are not read for that', async (t) => {
  const url = await server.database()
  const at = (number) => Float32Array.from({ length: 16 }, (_, axis) => Math.sin(number * 7919 + axis * 104_729))
  const numberIn = (text) => Number(text.match(/\d+/)[0])
  const embed = async (texts) => texts.map((text) => at(numberIn(text)))
  const store = opened(t, url, { model: 'many', dimensions: async () => 16, embed })
  // Those of a project lie far apart.
  const all = Array.from({ length: 3000 }, (_, place) => thought(`zz ${place}`, { project: `project-${place % 50}` }))
  for (let from = 0; from < all.length; from += 500) await store.put(storing(...all.slice(from, from + 500)))
  await embedRest(store, undefined, () => undefined)
  await execute(url, 'vacuum analyze')
  const cosine = (a, b) =>
    a.reduce((sum, value, axis) => sum + value * b[axis], 0) / Math.hypot(...a) / Math.hypot(...b)
  const own = all.filter(({ project }) => project === 'project-7')
  const exact = own.toSorted((a, b) => {
    const [one, other] = [a, b].map(({ content }) => cosine(at(numberIn(content)), at(5000)))
    return other - one
  })
  const retired = exact.slice(0, 12)
  await store.rule(retired.map(({ id }) => ({ ...ruling('retire', id), projects: ['project-7'] })))
  const { thoughts } = await store.search(asking('qq 5000', { project: 'project-7' }))
  const ids = (list) => list.map(({ id }) => id)
  assert.deepEqual(ids(thoughts), ids(exact.slice(12, 22)))
  if (server.kind !== 'postgres') return t.diagnostic('PGlite has no statistics of its reads')
  const meaning = { space: spaceOf({ id: 1, dimensions: 16 }), vector: at(5000), efSearch: 100, scansIteratively: true }
  const wanted = { ...asking('qq 5000'), projects: ['project-7'], depth: 40, meaning }
  const { text, values } = searchStatement(wanted)
  const [row] = await execute(url, `explain (analyze, buffers, format json) ${text}`, values)
  const partOf = (plan, name) =>
    plan['Subplan Name'] === `CTE ${name}`
      ? plan
      : (plan.Plans ?? []).map((part) => partOf(part, name)).find((part) => part !== undefined)
  const read = partOf(row['QUERY PLAN'][0].Plan, 'few')
  assert.equal(read['Actual Rows'], own.length)
  const blocks = read['Shared Hit Blocks'] + read['Shared Read Blocks']
  assert.ok(blocks <= 12, `${blocks} blocks for ${own.length} thoughts`)
})

test('a run that ends in between goes on where it was, and computes nothing twice', async (t) => {
  const url = await server.database()
  const served = await embedderFor(t)
  const plain = opened(t, url, undefined)
  await plain.put(storing(...Array.from({ length: 200 }, (_, at) => thought(`note ${at}`))))
  const ending = new AbortController()
  const first = opened(t, url, ollamaEmbedder(served.url, 'test'))
  await embedRest(first, ending.signal, () => ending.abort())
  const { done } = await first.vectors()
  assert.ok(done > 0 && done < 200, `${done}`)
  const texts = served.state.texts
  const second = opened(t, url, ollamaEmbedder(served.url, 'test'))
  await embedRest(second, undefined, () => undefined)
  assert.equal((await second.vectors()).done, 200)
  // One more text asks for the dimension.
  assert.ok(served.state.texts - texts <= 200 - done + 1)
})

test('forge-memory embed fills the shared store, status and the command say how far it is', async (t) => {
  const url = await server.database()
  const served = await embedderFor(t)
  const command = freshCommand(t)
  const settings = (embedder) => ({ projectName: 'shop', openbrain: { url }, embedder })
  const configure = (embedder) =>
    writeFileSync(join(command.project, '.forge.json'), JSON.stringify(settings(embedder)))
  configure({ kind: 'none' })
  approveStores(command.project, command.home)
  // The embedder answers from this process, so that the command runs beside it.
  const run = async (...args) => runBeside(command, args)
  for (const at of [1, 2, 3]) await run('capture', '--type', 'lesson', `password ${sentenceOf(at)}`)
  await run('drain')
  configure({ kind: 'ollama', url: served.url, model: 'test' })
  approveStores(command.project, command.home)
  assert.match((await run('status')).stdout, /search +by words/)
  const { stdout, stderr } = await run('embed', '--json')
  const { shared } = JSON.parse(stdout)
  assert.deepEqual([shared.made, shared.vectors], [3, { model: 'ollama:test', done: 3, total: 3, refused: 0 }], stderr)
  assert.match((await run('status')).stdout, /by meaning +3 of 3 records have a vector of ollama:test/)
  const { semantic, thoughts } = JSON.parse((await run('search', '--json', 'login')).stdout)
  assert.deepEqual([semantic, thoughts.length], [true, 3])
})

test('forge-memory embed says why nothing was computed for a shared store that is away', async (t) => {
  const command = freshCommand(t)
  const settings = { openbrain: { url: 'postgres://nobody@127.0.0.1:1/none' }, embedder: { kind: 'ollama' } }
  writeFileSync(join(command.project, '.forge.json'), JSON.stringify(settings))
  approveStores(command.project, command.home)
  const { shared } = JSON.parse((await runBeside(command, ['embed', '--json'])).stdout)
  assert.match(shared.problem, /cannot be reached \(ECONNREFUSED\)/)
})
