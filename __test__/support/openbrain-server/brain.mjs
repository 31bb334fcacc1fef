// What an OpenBrain server keeps and how it finds it: without idempotency, without hiding what was superseded.
import { randomUUID } from 'node:crypto'

const LIST_MAX = 50

function words(text) {
  const counts = new Map()
  for (const word of text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []) counts.set(word, (counts.get(word) ?? 0) + 1)
  return counts
}

/** A similarity of words, as a substitute for semantic similarity. */
function likeness(a, b) {
  const norm = (counts) => Math.sqrt([...counts.values()].reduce((sum, count) => sum + count * count, 0))
  let dot = 0
  for (const [word, count] of a) dot += count * (b.get(word) ?? 0)
  return dot === 0 ? 0 : dot / (norm(a) * norm(b))
}

/** The rows of a server. Not even the same id twice is noticed. */
export class Brain {
  rows = []
  /** Rows by what their source is, as an index has them: how many of the rows are in it, and which. */
  #indexed = 0
  #sources = new Map()
  /** The texts on which its embedder fails, when they are stored or searched. */
  refuses = undefined

  #embed(text) {
    if (this.refuses !== undefined && String(text).includes(this.refuses)) throw new Broken('Ollama embed failed: 500')
  }

  /** Known fields only; what the caller's metadata says goes before what was extracted, and the source before both. */
  capture({ content, project, source = 'api', created_by = null, supersedes, metadata = {} }) {
    if (typeof content !== 'string' || content.trim() === '') throw new BadRecord('content is required')
    if (supersedes !== undefined && !this.rows.some(({ id }) => id === supersedes)) {
      throw new Broken('insert or update violates foreign key constraint "thoughts_supersedes_fkey"')
    }
    this.#embed(content)
    const extracted = { type: 'observation', topics: [], people: [] }
    const row = {
      id: randomUUID(),
      content,
      metadata: { ...extracted, ...metadata, source },
      project: project ?? null,
      created_by,
      created_at: new Date().toISOString(),
      supersedes: supersedes ?? null,
    }
    this.rows.push(row)
    return row
  }

  /** All or nothing; `supersedes` is ignored. */
  captureMany(thoughts, { project, source, created_by, metadata } = {}) {
    for (const { content } of thoughts) {
      if (typeof content !== 'string' || content.trim() === '') throw new BadRecord('content is required')
      this.#embed(content)
    }
    return thoughts.map(({ supersedes, ...thought }) => {
      return this.capture({ project, source, created_by, ...thought, metadata: { ...metadata, ...thought.metadata } })
    })
  }

  /** Search results contain no ids. */
  search({ query, limit = 10, threshold = 0.5, project, type, created_by }) {
    this.#embed(query)
    const asked = words(String(query ?? ''))
    return this.rows
      .filter((row) => (project ?? row.project) === row.project && (created_by ?? row.created_by) === row.created_by)
      .filter((row) => type === undefined || row.metadata.type === type)
      .map((row) => ({ row, similarity: likeness(asked, words(row.content)) }))
      .filter(({ similarity }) => similarity >= threshold)
      .sort((a, b) => b.similarity - a.similarity)
      .slice(0, limit)
      .map(({ row: { content, metadata, created_at }, similarity }) => ({ content, metadata, similarity, created_at }))
  }

  list({ type, topic, project }) {
    return this.rows
      .filter((row) => project === undefined || row.project === project)
      .filter((row) => type === undefined || row.metadata.type === type)
      .filter((row) => topic === undefined || row.metadata.topics.includes(topic))
      .slice(-LIST_MAX)
      .reverse()
      .map(({ id, content, metadata, created_by, created_at }) => ({ id, content, metadata, created_by, created_at }))
  }

  bySource(source) {
    for (; this.#indexed < this.rows.length; this.#indexed += 1) {
      const row = this.rows[this.#indexed]
      for (const name of new Set([row.metadata.source, row.metadata.provenance?.origin])) {
        this.#sources.set(name, [...(this.#sources.get(name)?.slice(-LIST_MAX) ?? []), row])
      }
    }
    return (this.#sources.get(source) ?? []).map(({ supersedes: _, ...row }) => row)
  }

  remove(id) {
    const at = this.rows.findIndex((row) => row.id === id)
    if (at < 0) return false
    this.rows.splice(at, 1)
    this.#sources.clear()
    this.#indexed = 0
    return true
  }

  stats(project) {
    const rows = this.rows.filter((row) => project === undefined || row.project === project)
    const times = rows.map(({ created_at }) => created_at).sort()
    const types = {}
    for (const { metadata } of rows) types[metadata.type] = (types[metadata.type] ?? 0) + 1
    const range = { earliest: times[0] ?? null, latest: times.at(-1) ?? null }
    return { total_thoughts: rows.length, types, top_topics: [], top_people: [], date_range: range }
  }

  count(project) {
    return this.rows.filter((row) => project === undefined || row.project === project).length
  }
}

export class BadRecord extends Error {}
export class Broken extends Error {}
