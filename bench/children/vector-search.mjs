// A store of clustered vectors, and searches by meaning alone.
import { Random } from '../data/random.mjs'
import { summarize } from '../harness/statistics.mjs'
import { input, loadAddon, report } from './process.mjs'

const DIMENSIONS = 384
const CLUSTERS = 200
const BATCH = 1000
const SEARCHES = 200
const MODEL = 'bench'

const { EmbeddedStore } = loadAddon()
const random = new Random(20_261_120)
const normal = () => random.next() + random.next() + random.next() - 1.5
const direction = () => Float32Array.from({ length: DIMENSIONS }, normal)
const centres = Array.from({ length: CLUSTERS }, direction)

function vectorNear(centre) {
  return centre.map((value) => value + 0.5 * normal())
}

function cosine(left, right) {
  let [dot, leftSquare, rightSquare] = [0, 0, 0]
  for (let at = 0; at < DIMENSIONS; at++) {
    dot += left[at] * right[at]
    leftSquare += left[at] ** 2
    rightSquare += right[at] ** 2
  }
  return dot / Math.sqrt(leftSquare * rightSquare)
}

async function clock(work) {
  const [start, before] = [process.hrtime.bigint(), process.cpuUsage()]
  await work()
  const { user, system } = process.cpuUsage(before)
  return { wallUs: Number(process.hrtime.bigint() - start) / 1e3, cpuUs: user + system }
}

const store = EmbeddedStore.open(input.path)
const vectors = []
const putting = await clock(async () => {
  for (let from = 0; from < input.count; from += BATCH) {
    const batch = Array.from({ length: Math.min(BATCH, input.count - from) }, (_, at) => {
      const vector = vectorNear(random.pick(centres))
      vectors.push(vector)
      const id = `mem_${String(from + at).padStart(32, '0')}`
      const capturedAt = '2026-01-01T00:00:00.000Z'
      return { id, content: `text ${from + at}`, project: 'bench', type: 'lesson', capturedAt, vector, model: MODEL }
    })
    await store.put(batch)
  }
})
const search = (vector) => store.search({ text: '', vector, model: MODEL, limit: 10 })
const first = await clock(() => search(vectorNear(centres[0])))

let [found, wanted] = [0, 0]
for (let round = 0; round < 5; round++) {
  const query = vectorNear(random.pick(centres))
  const best = vectors.map((vector, at) => [cosine(vector, query), at]).sort(([left], [right]) => right - left)
  const ids = new Set((await search(query)).hits.map(({ id }) => Number(id.slice(4))))
  for (const [, at] of best.slice(0, 10)) found += ids.has(at) ? 1 : 0
  wanted += 10
}
const samples = []
for (let round = 0; round < SEARCHES; round++) {
  const query = vectorNear(random.pick(centres))
  samples.push(await clock(() => search(query)))
}
store.close()
report({ ...summarize(samples), firstMs: first.wallUs / 1e3, putMs: putting.wallUs / 1e3, recall: found / wanted })
