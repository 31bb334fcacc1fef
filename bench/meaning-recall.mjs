// How many of the ten nearest texts a search by meaning finds in a shared store with an index: texts and questions of data sets, the vectors of the
// installed model, compared with all vectors one by one.
//   FORGE_HOME=HOME node bench/meaning-recall.mjs --data FOLDER [--texts 28880] [--part VECTORS] [--ef 100,200,400] [--kept FILE]
// FOLDER has `commits`, `cosqa` and `world`. `--part` builds the index in parts of so many vectors. `--kept` is where vectors are kept for the next run.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { execute, startPostgres } from '../__test__/support/postgres.mjs'
import { asking, storing, thought } from '../__test__/support/thoughts.mjs'
import { localEmbedder } from '../dist/openbrain/embedder/local.js'
import { PostgresStore } from '../dist/openbrain/postgres/store.js'
import { embedRest } from '../dist/outbox/embedding.js'
import { option } from './harness/option.mjs'
import { percentile } from './harness/statistics.mjs'

/** No text has a second piece. */
const CHARS = 240
const TOP = 10
const QUESTIONS = 200
const text = (name) => process.argv[process.argv.indexOf(name) + 1]
const has = (name) => process.argv.includes(name)
const data = text('--data')
const count = option('--texts', 28_880)

const lines = (...path) =>
  readFileSync(join(data, ...path), 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line))
const json = (...path) => JSON.parse(readFileSync(join(data, ...path), 'utf8'))
const commits = lines('commits', 'commits.jsonl')
const some = (list) => list.filter((_, at) => at % Math.ceil(list.length / QUESTIONS) === 0)
const sets = {
  commits: some(commits).map(({ query }) => query),
  cosqa: some(json('cosqa', 'cosqa-retrieval-dev-500.json')).map(({ doc }) => doc),
  world: lines('world', 'lessons-questions.jsonl').map(({ query }) => query),
}
const asked = new Set(Object.values(sets).flat())
// Where the bodies are not enough, the subjects of commits that no question asks for.
const all = [
  ...commits.map(({ doc }) => doc),
  ...Object.keys(json('cosqa', 'code_idx_map.txt')),
  ...lines('world', 'lessons.jsonl').map(({ content }) => content),
  ...commits.map(({ query }) => query).filter((query) => !asked.has(query)),
]
const contents = [...new Set(all.map((content) => content.slice(0, CHARS).trim()))].filter(Boolean).slice(0, count)

const local = await localEmbedder()
if (local === undefined) throw new Error('no model is installed in this FORGE_HOME')
const kept = has('--kept') ? text('--kept') : undefined
const vectors = new Map()
if (kept !== undefined && existsSync(kept)) {
  const size = await local.dimensions()
  const all = new Float32Array(new Uint8Array(readFileSync(kept)).buffer)
  for (const [at, content] of contents.entries()) vectors.set(content, all.slice(at * size, (at + 1) * size))
}
/** A question is asked by a word that no text has, so that words find nothing. */
const questions = new Map(
  Object.values(sets).flatMap((list, set) => list.map((question, at) => [`qq${set}zz${at}`, question])),
)
const embedder = {
  model: local.model,
  dimensions: () => local.dimensions(),
  embed: async (texts) => {
    const missing = texts.filter((one) => !vectors.has(one))
    const made = await local.embed(missing)
    for (const [at, one] of missing.entries()) vectors.set(one, made[at])
    return texts.map((one) => vectors.get(one))
  },
  embedQuery: (question) => local.embedQuery(questions.get(question) ?? question),
}

const server = await startPostgres()
const url = await server.database()
const target = { backend: 'postgres', url: new URL(url), password: undefined }
const open = (more) => new PostgresStore(target, embedder, 3_600_000, more)
const log = (line) => process.stdout.write(`${line}\n`)
const seconds = (since) => `${((performance.now() - since) / 1000).toFixed(0)} s`

const plain = new PostgresStore(target, undefined)
for (let at = 0; at < contents.length; at += plain.batchMax)
  await plain.put(storing(...contents.slice(at, at + plain.batchMax).map((content) => thought(content))))
await plain.close()
const filling = open({ partMax: option('--part', undefined) })
let started = performance.now()
await filling.handshake()
for (;;) {
  const { done, total } = await filling.embedMissing(1024)
  if (done === total) break
}
log(`${contents.length} texts embedded in ${seconds(started)}`)
if (kept !== undefined && !existsSync(kept))
  writeFileSync(kept, Buffer.concat(contents.map((content) => Buffer.from(vectors.get(content).buffer))))
started = performance.now()
await embedRest(filling, undefined, () => undefined)
const [{ ef_search: measured, id, parts }] = await execute(
  url,
  'select to_jsonb(s) as row from forge_memory.spaces s',
).then(([{ row }]) => [row])
log(
  `index of ${(parts.vectors ?? []).length + 1} parts built and measured in ${seconds(started)}: ${measured} candidates`,
)
await filling.close()

const exact = new Map()
for (const key of questions.keys()) {
  const vector = await embedder.embedQuery(key)
  // An index cannot order by a sum.
  const nearest = `select id, (embedding <=> '[${vector.join(',')}]') + 0 as distance from forge_memory.vectors_${id} order by 2 limit ${TOP}`
  exact.set(key, await execute(url, nearest))
}
for (const ef of [undefined, ...(has('--ef') ? text('--ef').split(',').map(Number) : [])]) {
  const store = open({ efSearch: ef })
  await store.search(asking('warm up'))
  const [times, found] = [[], {}]
  for (const [key, list] of exact) {
    const before = performance.now()
    const { thoughts } = await store.search(asking(key))
    times.push(performance.now() - before)
    const ids = new Set(thoughts.map((one) => one.id))
    const set = Object.keys(sets)[Number(key[2])]
    found[set] = (found[set] ?? 0) + list.filter((one) => ids.has(one.id)).length
  }
  const sum = Object.values(found).reduce((a, b) => a + b, 0)
  const each = Object.entries(sets).map(([set, list]) => `${set} ${(found[set] / list.length / TOP).toFixed(3)}`)
  const sorted = times.toSorted((a, b) => a - b)
  log(
    `efSearch ${ef ?? `${measured} (measured)`}: recall@10 ${(sum / exact.size / TOP).toFixed(3)} of ${exact.size} questions (${each.join(', ')}); p50 ${percentile(sorted, 0.5).toFixed(1)} ms, p95 ${percentile(sorted, 0.95).toFixed(1)} ms`,
  )
  await store.close()
}
local.close()
await server.close()
