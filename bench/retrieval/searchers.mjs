// The ways to search: each takes a set's documents and answers a query with ids, best first.
import { mkdirSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { positionOf, writeStore } from '../data/store.mjs'
import { DEPTH } from './quality.mjs'

const addon = createRequire(import.meta.url)('../../index.js')
const NEVER = '2099-01-01T00:00:00.000Z'
const NOW = '2026-01-01T00:00:00.000Z'
const MODEL = 'local:all-MiniLM-L6-v2'
const STORE_BATCH = 500

/** By words: `recall` over a project that holds the documents as captures. */
export function byWords(set, work) {
  const projectDir = join(work, `project-${set.name}`)
  rmSync(projectDir, { recursive: true, force: true })
  mkdirSync(projectDir, { recursive: true })
  writeStore(
    projectDir,
    set.documents.map(({ text }) => ({ type: 'pattern', content: text })),
  )
  addon.settleIndex({ projectDir })
  return ({ text }) => {
    const { hits } = addon.recall(text, { projectDir, scope: 'project', limit: DEPTH })
    return hits.map(({ id }) => set.documents[positionOf(id)].id)
  }
}

/** By meaning: the exact cosine with every document. */
export function byMeaning(set, vectors) {
  const dimensions = vectors.documents.length / set.documents.length
  return (_query, at) => {
    const query = vectors.queries.subarray(at * dimensions, (at + 1) * dimensions)
    const scores = set.documents.map((_, place) => dot(query, vectors.documents, place * dimensions))
    const order = [...scores.keys()].sort((a, b) => scores[b] - scores[a])
    return order.slice(0, DEPTH).map((place) => set.documents[place].id)
  }
}

function dot(query, all, from) {
  let sum = 0
  for (let at = 0; at < query.length; at++) sum += query[at] * all[from + at]
  return sum
}

/** The embedded store itself, where the addon has it: its own words, its own vectors, its own fusion. */
export async function byStore(set, vectors, work, { semantic }) {
  if (!addon.EmbeddedStore) return undefined
  const path = join(work, `store-${set.name}-${semantic ? 'fused' : 'words'}.db`)
  for (const tail of ['', '-wal', '-shm']) rmSync(path + tail, { force: true })
  const store = addon.EmbeddedStore.open(path)
  const meaning = (all, at) => {
    if (!semantic) return {}
    const dimensions = vectors.documents.length / set.documents.length
    return { vector: all.slice(at * dimensions, (at + 1) * dimensions), model: MODEL }
  }
  for (let from = 0; from < set.documents.length; from += STORE_BATCH) {
    const batch = set.documents.slice(from, from + STORE_BATCH)
    await store.put(
      batch.map((document, at) => ({ ...recordOf(document, from + at), ...meaning(vectors.documents, from + at) })),
    )
  }
  return async ({ text }, at) => {
    const answer = await store.search({ text, limit: DEPTH, now: NOW, ...meaning(vectors.queries, at) })
    if (answer.semantic !== semantic) throw new Error(`the store says semantic: ${answer.semantic}`)
    return answer.hits.map(({ id }) => id.slice('doc-'.length))
  }
}

function recordOf({ id, text }, at) {
  return {
    id: `doc-${id}`,
    content: text,
    project: 'bench',
    type: 'pattern',
    source: 'forge_bench/store',
    createdBy: 'forge-memory',
    capturedAt: new Date(Date.UTC(2025, 0, 1) + at * 1000).toISOString(),
    expiresAt: NEVER,
    tags: [],
    confidence: 0.7,
    metadata: '{}',
  }
}
