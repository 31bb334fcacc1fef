// A process that opens a store and searches it by meaning, by words, and by both.
import { lessons } from '../data/lessons.mjs'
import { makeQueries } from '../data/queries.mjs'
import { clusteredVectors, cosine, MODEL } from '../data/vectors.mjs'
import { summarize } from '../harness/statistics.mjs'
import { input, loadAddon, report } from './process.mjs'

const SEARCHES = 200
const COMPARED = 5
const LIMIT = 10

const { EmbeddedStore } = loadAddon()
const { path, seed, count } = input
const queryVectors = clusteredVectors(seed + 1)
const nextVector = () => queryVectors.next().value

async function clock(work) {
  const [start, before] = [process.hrtime.bigint(), process.cpuUsage()]
  const answer = await work()
  const { user, system } = process.cpuUsage(before)
  return { wallUs: Number(process.hrtime.bigint() - start) / 1e3, cpuUs: user + system, answer }
}

async function timeAll(queries) {
  const samples = []
  for (const query of queries) samples.push(await clock(() => store.search({ ...query, limit: LIMIT })))
  return summarize(samples)
}

const byMeaning = () => ({ text: '', vector: nextVector(), model: MODEL })
const store = EmbeddedStore.open(path)
const first = await clock(() => store.search({ ...byMeaning(), limit: LIMIT }))

const contents = [...lessons(count, 1)].map(({ content }) => content)
const queries = makeQueries(contents, SEARCHES / 2, 11)
const texts = {
  rare: queries.filter(({ kind }) => kind === 'rare').map(({ text }) => text),
  mixed: queries.filter(({ kind }) => kind === 'mixed').map(({ text }) => text),
  'one frequent word': queries.slice(0, SEARCHES / 2).map(({ text }) => text.split(' ').at(-1)),
  sentence: queries.slice(0, SEARCHES / 2).map(({ target }) => contents[target]),
}
const words = {}
const both = {}
for (const [kind, list] of Object.entries(texts)) {
  words[kind] = await timeAll(list.map((text) => ({ text })))
  both[kind] = await timeAll(list.map((text) => ({ ...byMeaning(), text })))
}
const meaning = await timeAll(Array.from({ length: SEARCHES }, byMeaning))

// Compared with a sum in doubles over all vectors.
const stored = clusteredVectors(seed)
const vectors = Array.from({ length: count }, () => stored.next().value)
let found = 0
for (let round = 0; round < COMPARED; round++) {
  const query = byMeaning()
  const best = vectors.map((vector, at) => [cosine(vector, query.vector), at]).sort(([left], [right]) => right - left)
  const { hits } = await store.search({ ...query, limit: LIMIT })
  const ids = new Set(hits.map(({ id }) => Number(id.slice(4))))
  found += best.slice(0, LIMIT).filter(([, at]) => ids.has(at)).length
}
store.close()
const { rss } = process.memoryUsage()
report({
  meaning,
  words,
  both,
  firstMs: first.wallUs / 1e3,
  firstCpuMs: first.cpuUs / 1e3,
  recall: found / (COMPARED * LIMIT),
  rss,
})
