// The code graph by the older tool's names. An index that it wrote answers as well; what cannot be answered is an empty answer with
// the reason in its message.
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
  latticeStat as stat,
} from '../native.js'
import { given } from '../shared/given.js'
import { readJson } from './folder.js'
import { fieldsIn, softly } from './soft.js'

export { tokenizeForSearch } from '../api/words.js'
export { scoreChunk } from '../native.js'

/** Where and by what the graph is made; there is one chunker, so that only the folder counts. */
export interface LatticeDeps {
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

/** How many files of a project were unchanged, and how many were read, in this process. */
const lookups = new Map<string, { hits: number; misses: number }>()

const folderOf = (deps: LatticeDeps | undefined) => deps?.cwd ?? process.cwd()

/** Brings the index up to date. Rejects as the older tool does, with `ERR_LATTICE_PATH_OUTSIDE_REPO` for one. */
export async function latticeIndex({ paths, since, deps }: IndexOptions = {}): Promise<IndexAnswer> {
  const projectDir = folderOf(deps)
  const outcome = await index({ ...given({ paths, since }), projectDir })
  const anvilMisses = outcome.filesChanged
  const anvilHits = Math.max(0, outcome.filesIndexed - anvilMisses)
  const { hits, misses } = lookups.get(projectDir) ?? { hits: 0, misses: 0 }
  lookups.set(projectDir, { hits: hits + anvilHits, misses: misses + anvilMisses })
  return { ...outcome, anvilHits, anvilMisses }
}

export type StatAnswer = LatticeStat & { anvilHitRate: number | null }

/** Describes the index; zeros and nulls where there is none. */
export function latticeStat({ deps }: Asked = {}): StatAnswer {
  const projectDir = folderOf(deps)
  return { ...stat({ projectDir, foreign: true }), anvilHitRate: hitRateOf(projectDir) }
}

/** Of all lookups that are known of: those of this process, and those that the older tool has counted. */
function hitRateOf(projectDir: string): number | null {
  const { perTool } = fieldsIn(readJson(projectDir, '.forge', 'anvil', 'stats.json'))
  const counted = fieldsIn(fieldsIn(perTool).lattice_file_chunk)
  const { hits, misses } = lookups.get(projectDir) ?? { hits: 0, misses: 0 }
  const [found, missed] = [hits + (Number(counted.hits) || 0), misses + (Number(counted.misses) || 0)]
  return found + missed === 0 ? null : found / (found + missed)
}

export interface QueryOptions extends Asked {
  query?: string
  language?: string
  kind?: string
  filePath?: string
  limit?: number
}

const nothing = (message: string): LatticeAnswer => ({ chunks: [], total: 0, truncated: false, message })

/** Finds definitions by words, best first. */
export function latticeQuery({ deps, ...asked }: QueryOptions = {}): LatticeAnswer {
  return softly(
    () => query({ ...given(asked), projectDir: folderOf(deps), foreign: true }),
    ({ message }) => nothing(message),
  )
}

export interface SeedOptions extends Asked {
  name?: string
  chunkId?: string
  limit?: number
}

/** Lists what calls a definition. */
export function latticeCallers({ deps, ...seed }: SeedOptions = {}): LatticeAnswer {
  return softly(
    () => callers({ ...given(seed), projectDir: folderOf(deps), foreign: true }),
    ({ message }) => nothing(message),
  )
}

/** Lists what a definition calls, and the names that lead nowhere. */
export function latticeCallees({ deps, ...seed }: SeedOptions = {}): LatticeAnswer {
  return softly(
    () => callees({ ...given(seed), projectDir: folderOf(deps), foreign: true }),
    ({ message }) => ({ ...nothing(message), unresolvedNames: [] }),
  )
}

export interface BlastOptions extends SeedOptions {
  direction?: 'callers' | 'callees' | 'both'
  depth?: number
}

/** Walks from a definition to everything within reach. */
export function latticeBlast({ deps, ...asked }: BlastOptions = {}): LatticeBlast {
  return softly(
    () => blast({ ...given(asked), projectDir: folderOf(deps), foreign: true }),
    ({ message }) => ({ nodes: [], edges: [], unresolvedNames: [], total: 0, truncated: false, message }),
  )
}

/** There is one chunker, and nothing of it to reset: here for tests that call it. */
export function _resetChunkerForTesting(): void {
  lookups.clear()
}
