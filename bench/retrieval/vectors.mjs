// The vectors of a set, made once and kept in the work folder: making them takes minutes.
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'

const { LocalEmbedder } = createRequire(import.meta.url)('../../index.js')
const BATCH = 64

/** Returns `{ documents, queries }`, each all vectors one behind the other. */
export async function vectorsOf(set, work, folder) {
  const embedder = LocalEmbedder.open(folder === undefined ? {} : { folder })
  const documents = await kept(embedder, set.documents, work, `${set.name} documents`)
  const queries = await kept(embedder, set.queries, work, `${set.name} queries`)
  embedder.close()
  return { documents, queries }
}

async function kept(embedder, items, work, what) {
  const hash = createHash('sha256').update(embedder.name)
  for (const { text } of items) hash.update(text).update('\0')
  const path = join(work, 'vectors', `${hash.digest('hex').slice(0, 24)}.f32`)
  if (existsSync(path)) {
    const bytes = readFileSync(path)
    return new Float32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 4)
  }
  mkdirSync(join(work, 'vectors'), { recursive: true })
  const all = new Float32Array(items.length * embedder.dimensions)
  const started = Date.now()
  for (let from = 0; from < items.length; from += BATCH) {
    const vectors = await embedder.embed(items.slice(from, from + BATCH).map(({ text }) => text))
    for (const [at, vector] of vectors.entries()) all.set(vector, (from + at) * embedder.dimensions)
    if (from % (BATCH * 20) === 0) {
      const seconds = Math.round((Date.now() - started) / 1000)
      process.stderr.write(`  ${what}: ${from} of ${items.length} vectors, ${seconds} s\n`)
    }
  }
  writeFileSync(path, Buffer.from(all.buffer))
  return all
}
