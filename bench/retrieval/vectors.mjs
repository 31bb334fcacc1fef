// The vectors of a set, made once and kept in the work folder in parts: making them takes minutes, and may be broken off.
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'

const { LocalEmbedder } = createRequire(import.meta.url)('../../index.js')
const PART = 512
const TOGETHER = 64

/** Returns `{ documents, queries }`, each all vectors one behind the other. */
export async function vectorsOf(set, work, folder) {
  const embedder = LocalEmbedder.open(folder === undefined ? {} : { folder })
  const documents = await vectorsOfAll(embedder, set.documents, work)
  const queries = await vectorsOfAll(embedder, set.queries, work)
  embedder.close()
  return { documents, queries }
}

async function vectorsOfAll(embedder, items, work) {
  const all = new Float32Array(items.length * embedder.dimensions)
  for (let from = 0; from < items.length; from += PART) {
    const texts = items.slice(from, from + PART).map(({ text }) => text)
    all.set(await part(embedder, texts, work), from * embedder.dimensions)
    process.stderr.write(`  ${Math.min(from + PART, items.length)} of ${items.length} vectors\r`)
  }
  process.stderr.write('\n')
  return all
}

/** The vectors of so many texts, from the work folder if they are there. */
export async function part(embedder, texts, work) {
  const hash = createHash('sha256').update(JSON.stringify([embedder.name, texts]))
  const path = join(work, 'vectors', `${hash.digest('hex').slice(0, 24)}.f32`)
  if (existsSync(path)) {
    const bytes = readFileSync(path)
    return new Float32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 4)
  }
  const vectors = []
  for (let from = 0; from < texts.length; from += TOGETHER) {
    vectors.push(...(await embedder.embed(texts.slice(from, from + TOGETHER))))
  }
  const joined = new Float32Array(texts.length * embedder.dimensions)
  for (const [at, vector] of vectors.entries()) joined.set(vector, at * embedder.dimensions)
  mkdirSync(join(work, 'vectors'), { recursive: true })
  writeFileSync(`${path}.tmp`, Buffer.from(joined.buffer))
  renameSync(`${path}.tmp`, path)
  return joined
}
