// Plan Forge's API of the code graph. It reads an index that Plan Forge wrote too. A query that cannot be answered
// returns an empty result with the reason in its message.
import { existsSync } from 'node:fs'
import { isAbsolute, join, relative, resolve } from 'node:path'
import {
  latticeBlast as blast,
  latticeCallees as callees,
  latticeCallers as callers,
  latticeIndex as index,
  type LatticeAnswer,
  type LatticeBlast,
  type LatticeIndexOutcome,
  type LatticeStat,
  latticeQuery as query,
  scoreChunk as score,
  latticeStat as stat,
} from '../native.js'
import { given } from '../shared/given.js'
import { parsedJson } from '../shared/json.js'
import { readJson } from './folder.js'
import { type Injected, indexBy, listedBy } from './lattice-injected.js'
import { atMost, countIn, fieldsIn, optionsIn, softly, textIn } from './soft.js'

export { tokenizeForSearch } from '../api/words.js'

/** Which project is indexed, and by which chunker and which git; the engine's own when neither is given. */
export interface LatticeDeps extends Partial<Injected> {
  cwd?: string
}

interface Asked {
  deps?: LatticeDeps
}

export interface IndexOptions extends Asked {
  paths?: string[]
  since?: string
}

export type IndexAnswer = LatticeIndexOutcome & { anvilHits: number; anvilMisses: number }

/**
 * Cache statistics of this process, by project: how many files were unchanged (hits), and how many were read (misses).
 */
const lookups = new Map<string, { hits: number; misses: number }>()

const folderOf = (deps: LatticeDeps | undefined) => textIn(deps?.cwd) ?? process.cwd()

/** Of a folder that is not there. */
const NOTHING_INDEXED: IndexAnswer = {
  filesIndexed: 0,
  filesChanged: 0,
  filesRemoved: 0,
  filesSkipped: 0,
  skipped: {},
  chunks: 0,
  edges: 0,
  anvilHits: 0,
  anvilMisses: 0,
}

/** Leaves out paths of the project that are not there, which have no files. */
function pathsIn(projectDir: string, paths: string[] | undefined): string[] | undefined {
  const isGone = (path: unknown) => {
    const inner = typeof path === 'string' ? relative(projectDir, resolve(projectDir, path)) : '..'
    return !inner.startsWith('..') && !isAbsolute(inner) && !existsSync(join(projectDir, inner))
  }
  return Array.isArray(paths) ? paths.filter((path) => !isGone(path)) : paths
}

/** Updates the index. Rejects with Plan Forge's error codes, such as `ERR_LATTICE_PATH_OUTSIDE_REPO`. */
export async function latticeIndex(options: IndexOptions = {}): Promise<IndexAnswer> {
  const { paths, since, deps } = optionsIn(options)
  const projectDir = folderOf(deps)
  if (!existsSync(projectDir)) return NOTHING_INDEXED
  const within = pathsIn(projectDir, paths)
  const asked = given({ paths: within, since })
  const files = await listedBy(projectDir, asked, deps ?? {})
  const { chunker } = deps ?? {}
  const outcome =
    files !== undefined && typeof chunker === 'function'
      ? await indexBy({ ...deps, cwd: projectDir, chunker }, files, paths === undefined && since === undefined)
      : await index({ ...(files === undefined ? asked : { paths: files }), projectDir })
  const anvilMisses = outcome.filesChanged
  const anvilHits = Math.max(0, outcome.filesIndexed - anvilMisses)
  const { hits, misses } = lookups.get(projectDir) ?? { hits: 0, misses: 0 }
  lookups.set(projectDir, { hits: hits + anvilHits, misses: misses + anvilMisses })
  return { ...outcome, anvilHits, anvilMisses }
}

type Counted = 'chunks' | 'edges' | 'languages' | 'lastIndexedAt' | 'chunkerImpl' | 'chunkerVersion' | 'indexBytes'
export type StatAnswer = Pick<LatticeStat, Counted> & { anvilHitRate: number }

/** Plan Forge's codes of languages; an index of ours has their names, and statistics have both. */
const CODES = { js: 'javascript', ts: 'typescript', py: 'python', md: 'markdown' }

/** Describes the index; zeros and nulls when there is none. */
export function latticeStat(options: Asked = {}): StatAnswer {
  const projectDir = folderOf(optionsIn(options).deps)
  const empty = { chunks: 0, edges: 0, languages: {}, lastIndexedAt: null, chunkerImpl: null, chunkerVersion: null }
  const found = softly<Pick<LatticeStat, Counted>>(() => stat({ projectDir, foreign: true }), {
    ...empty,
    indexBytes: 0,
  })
  const { chunks, edges, lastIndexedAt, chunkerImpl, chunkerVersion, indexBytes } = found
  const anvilHitRate = hitRateOf(projectDir)
  const codes = Object.entries(CODES).map(([code, name]) => [code, found.languages[name]] as const)
  const languages = { ...found.languages, ...given(Object.fromEntries(codes)) } as Record<string, number>
  return { chunks, edges, languages, lastIndexedAt, chunkerImpl, chunkerVersion, anvilHitRate, indexBytes }
}

/** The hit rate over the lookups of this process and those that Plan Forge has counted; 0 without any. */
function hitRateOf(projectDir: string): number {
  const { perTool } = fieldsIn(readJson(projectDir, '.forge', 'anvil', 'stats.json'))
  const counted = fieldsIn(fieldsIn(perTool).lattice_file_chunk)
  const { hits, misses } = lookups.get(projectDir) ?? { hits: 0, misses: 0 }
  const [found, missed] = [hits + countIn(counted.hits), misses + countIn(counted.misses)]
  return found + missed === 0 ? 0 : found / (found + missed)
}

export interface QueryOptions extends Asked {
  query?: string
  language?: string
  kind?: string
  filePath?: string
  limit?: number
}

/**
 * Returns how many of the query's terms occur in a chunk's name and path, from 0 to 1. The name has twice the weight.
 */
export function scoreChunk(query: string, chunk: { name?: string; filePath?: string }): number {
  return softly(() => score(query, chunk), 0)
}

const LIMIT = 25
const LIMIT_MAX = 1000
const DEPTH_MAX = 50

/**
 * Plan Forge has no limits, so a larger value is reduced to the engine's maximum, and the answer says that it was
 * truncated.
 */
function within<T extends { limit?: number | undefined; depth?: number | undefined }>(asked: T) {
  return given({ ...asked, limit: atMost(asked.limit, LIMIT_MAX), depth: atMost(asked.depth, DEPTH_MAX) })
}

/** A chunk as Plan Forge's index has it: with the fields of its line, whatever they are. */
function chunkOf({ line, ...chunk }: Chunk): Chunk & { declares: string[] } {
  const declares = chunk.name === '' ? [] : [chunk.name]
  const { score, resolved, candidates, callLine, distance, path, stale } = chunk
  const found = given({ score, resolved, candidates, callLine, distance, path, stale })
  return { ...chunk, declares, ...fieldsIn(parsedJson(line ?? '')), ...found }
}

/** An answer with the chunks of Plan Forge's index, if it wrote it. */
function fromIndex<T extends LatticeAnswer>(answer: T): T {
  return { ...answer, chunks: answer.chunks.map(chunkOf) }
}

const nothing = (message: string): LatticeAnswer => ({ chunks: [], total: 0, truncated: false, message })

const NO_INDEX = /^there is no index yet\b.*/
const UNKNOWN = /^(?:there is no index yet|no definition named|chunkId: expected)\b/

/**
 * Finds the definitions whose name or path contains the whole query, as Plan Forge does, best first by `scoreChunk`; without a query, all
 * of them in the order of files.
 */
export function latticeQuery(options: QueryOptions = {}): LatticeAnswer {
  const { deps, ...asked } = optionsIn(options)
  const isWhole = textIn(asked.query) !== undefined
  // All that match are ranked, not only the engine's best. An invalid limit is refused by the engine.
  const limit = isWhole && Number.isInteger(asked.limit ?? 1) && (asked.limit ?? 1) > 0 ? LIMIT_MAX : asked.limit
  return softly(
    () => {
      const found = query({ ...within({ ...asked, limit }), whole: isWhole, projectDir: folderOf(deps), foreign: true })
      const answer = fromIndex(found)
      const said = answer.message.replace(NO_INDEX, 'there is no index yet: call latticeIndex first')
      if (!isWhole) return { ...answer, message: said }
      const message = said.replace(/^nothing found/, `no results for "${asked.query}"`)
      const scoreOf = (chunk: Chunk) => Math.round(scoreChunk(asked.query as string, chunk) * 1000) / 1000
      const ranked = answer.chunks
        .map((chunk) => ({ ...chunk, score: scoreOf(chunk) }))
        .sort((a, b) => b.score - a.score)
      const chunks = ranked.slice(0, asked.limit ?? LIMIT)
      return { ...answer, message, chunks, truncated: chunks.length < answer.total }
    },
    ({ message }) => nothing(message),
  )
}

type Chunk = LatticeAnswer['chunks'][number]

export interface SeedOptions extends Asked {
  name?: string
  chunkId?: string
  limit?: number
}

const SEEDLESS = 'give the "name" of a definition, or its "chunkId" from another answer'

const isSeed = ({ name, chunkId }: SeedOptions) => textIn(name) !== undefined || textIn(chunkId) !== undefined

/** Adds to a message that no chunk is meant by a name or an id. */
function ofSeed(message: string, { name, chunkId }: SeedOptions): string {
  return UNKNOWN.test(message) ? `no chunk found for "${textIn(chunkId) ?? name}": ${message}` : message
}

/** Lists the callers of a definition. */
export function latticeCallers(options: SeedOptions = {}): LatticeAnswer {
  const { deps, ...seed } = optionsIn(options)
  if (!isSeed(seed)) return nothing(SEEDLESS)
  return softly(
    () => fromIndex(callers({ ...within(seed), projectDir: folderOf(deps), foreign: true })),
    ({ message }) => nothing(message),
  )
}

/** Lists the callees of a definition, including names that could not be resolved. */
export function latticeCallees(options: SeedOptions = {}): LatticeAnswer {
  const { deps, ...seed } = optionsIn(options)
  if (!isSeed(seed)) return { ...nothing(SEEDLESS), unresolvedNames: [] }
  return softly(
    () => {
      const answer = fromIndex(callees({ ...within(seed), projectDir: folderOf(deps), foreign: true }))
      const unresolved = answer.unresolvedNames?.length ?? 0
      const counts = answer.total === 0 ? '' : ` (${answer.total - unresolved} resolved, ${unresolved} unresolved)`
      return { ...answer, message: ofSeed(answer.message, seed) + counts }
    },
    ({ message }) => ({ ...nothing(ofSeed(message, seed)), unresolvedNames: [] }),
  )
}

export interface BlastOptions extends SeedOptions {
  direction?: 'callers' | 'callees' | 'both'
  depth?: number
}

/** Lists everything within reach of a definition in the call graph. */
export function latticeBlast(options: BlastOptions = {}): LatticeBlast {
  const { deps, ...asked } = optionsIn(options)
  const empty = { nodes: [], edges: [], unresolvedNames: [], total: 0, truncated: false }
  if (!isSeed(asked)) return { ...empty, message: SEEDLESS }
  return softly(
    () => {
      const answer = blast({ ...within(asked), projectDir: folderOf(deps), foreign: true })
      const nodes = answer.nodes.map(chunkOf)
      // The engine's ids of another index are keys of its own.
      const ids = new Map(answer.nodes.map(({ id }, at) => [id, nodes[at]?.id ?? id]))
      const edges = answer.edges.map((edge) => ({
        ...edge,
        from: ids.get(edge.from) ?? edge.from,
        to: ids.get(edge.to) ?? edge.to,
      }))
      const byDistance = (a: Chunk, b: Chunk) => (a.distance ?? 0) - (b.distance ?? 0) || (a.id < b.id ? -1 : 1)
      const isAlone = answer.total === 1 ? '; it has no call neighbor' : ''
      return { ...answer, edges, nodes: nodes.sort(byDistance), message: ofSeed(answer.message, asked) + isAlone }
    },
    ({ message }) => ({ ...empty, message: ofSeed(message, asked) }),
  )
}

/** Does nothing, because there is only one chunker. Exported for tests that call it. */
export function _resetChunkerForTesting(): void {
  lookups.clear()
}
