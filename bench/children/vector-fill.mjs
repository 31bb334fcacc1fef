// Fills an embedded store with lessons and clustered vectors, as deliveries do, and prints nothing but the time.
import { lessons } from '../data/lessons.mjs'
import { clusteredVectors, MODEL } from '../data/vectors.mjs'
import { input, loadAddon, report } from './process.mjs'

const BATCH = 1000
const PROJECTS = 50

const { EmbeddedStore } = loadAddon()
const store = EmbeddedStore.open(input.path)
const vectors = clusteredVectors(input.seed)
const start = performance.now()
let batch = []
let count = 0
for (const { content, type } of lessons(input.count, 1)) {
  const id = `mem_${String(count).padStart(32, '0')}`
  const capturedAt = '2026-01-01T00:00:00.000Z'
  const project = `project-${count % PROJECTS}`
  batch.push({ id, content, project, type, capturedAt, vector: vectors.next().value, model: MODEL })
  count += 1
  if (batch.length < BATCH && count < input.count) continue
  await store.put(batch)
  batch = []
}
store.close()
report({ putMs: performance.now() - start })
