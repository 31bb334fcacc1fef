// The vectors of texts, made once and kept in the work folder in parts: making them takes minutes, and may be broken off.
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'

const { LocalEmbedder } = createRequire(import.meta.url)('../index.js')
const PART = 256
const TOGETHER = 32

export function openEmbedder(folder) {
  return LocalEmbedder.open(folder === undefined ? {} : { folder })
}

/** Returns the vectors of the texts, in order. */
export async function vectorsOf(embedder, texts, work, progress, kind = 'passage') {
  const all = new Float32Array(texts.length * embedder.dimensions)
  for (let from = 0; from < texts.length; from += PART) {
    all.set(await part(embedder, texts.slice(from, from + PART), work, kind), from * embedder.dimensions)
    progress(Math.min(from + PART, texts.length), texts.length)
  }
  return {
    count: texts.length,
    dimensions: embedder.dimensions,
    at: (place) => all.subarray(place * embedder.dimensions, (place + 1) * embedder.dimensions),
  }
}

/** The vectors of a batch of texts, from the work folder if they are cached. */
async function part(embedder, texts, work, kind) {
  const of = kind === 'query' ? [embedder.key, kind, texts] : [embedder.key, texts]
  const hash = createHash('sha256').update(JSON.stringify(of))
  const path = join(work, 'vectors', `${hash.digest('hex').slice(0, 24)}.f32`)
  if (existsSync(path)) {
    const bytes = readFileSync(path)
    return new Float32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 4)
  }
  const vectors = []
  for (let from = 0; from < texts.length; from += TOGETHER) {
    vectors.push(...(await embedder.embed(texts.slice(from, from + TOGETHER), kind)))
  }
  const joined = new Float32Array(texts.length * embedder.dimensions)
  for (const [at, vector] of vectors.entries()) joined.set(vector, at * embedder.dimensions)
  mkdirSync(join(work, 'vectors'), { recursive: true })
  writeFileSync(`${path}.tmp`, Buffer.from(joined.buffer))
  renameSync(`${path}.tmp`, path)
  return joined
}

/** Answers by the exact cosine of whole texts: the model alone, no part of the package's ranking. */
export function byCosine(set, vectors, questions, depth) {
  return (_text, at) => {
    const question = questions.at(at)
    const scores = set.documents.map((_, place) => dot(question, vectors.at(place)))
    const order = [...scores.keys()].sort((a, b) => scores[b] - scores[a] || a - b)
    return order.slice(0, depth).map((place) => set.documents[place].id)
  }
}

function dot(a, b) {
  let sum = 0
  for (let at = 0; at < a.length; at += 1) sum += a[at] * b[at]
  return sum
}
