// A read-through cache of search answers. An entry is valid while its key (store, options, model) and the state of the store, as far as
// it is visible from here, are the same, and for its time to live at most.
import { findCachedSearch, keepCachedSearch, searchStamp } from '../../native.js'
import { sha256 } from '../../shared/digest.js'
import { attempt } from '../../shared/problem.js'

/** The parts of a search that its answer depends on: the cache key. */
export interface CacheableSearch {
  projectDir: string
  query: string
  limit: number
  project?: string
  /** All names of the project under which its records are searched, when it has several. */
  names?: string[]
  type?: string
  since?: string
  /** Which store is searched, and its state as far as it is known here. */
  place: string
  /** The time to live of an entry; an hour when absent. */
  ttlMs?: number
}

/** The cached part of an answer. */
export interface CacheableAnswer {
  thoughts: object[]
  /** The state of the store that it is from, where that is not part of the place. */
  state?: string
}

/**
 * Returns a cached answer if no capture since could change it, else the answer of `ask`, which is then cached. A cache that
 * cannot be read or written costs only time.
 */
export async function throughCache<Answer extends CacheableAnswer>(
  search: CacheableSearch,
  ask: () => Promise<Answer>,
  isKept: (answer: Answer) => boolean = () => true,
): Promise<Answer & { cached?: true }> {
  const found = findAnswer<Answer>(search)
  if (found) return found
  // Taken before the search, whose answer may lack captures made meanwhile.
  const stamp = stampOf(search.projectDir)
  const answer = await ask()
  if (isKept(answer)) keepAnswer(search, stamp, answer)
  return answer
}

/** Returns the cached answer of a search, if there is a valid one. */
export function findAnswer<Answer extends CacheableAnswer>(
  search: CacheableSearch,
): (Answer & { cached: true }) | undefined {
  const { place, project, type, projectDir } = search
  // A capture under any of the names changes the answer, so every capture invalidates it.
  const isOne = project !== undefined && search.names === undefined
  const restriction = { ...(isOne ? { project } : {}), ...(type === undefined ? {} : { type }) }
  const found = attempt(() => findCachedSearch({ key: keyOf(search), place, ...restriction }, { projectDir }))
  return found
    ? { ...(found.answer as Answer), thoughts: found.results as Answer['thoughts'], cached: true }
    : undefined
}

/** Returns a stamp of a project: captures from now on invalidate answers that are kept with it. */
export function stampOf(projectDir: string): ReturnType<typeof searchStamp> | undefined {
  return attempt(() => searchStamp({ projectDir }))
}

export function keepAnswer(search: CacheableSearch, stamp: ReturnType<typeof stampOf>, answer: CacheableAnswer): void {
  if (stamp === undefined) return
  const { thoughts, ...rest } = answer
  const { query, limit, ttlMs, project, place, projectDir } = search
  const entry = { key: keyOf(search), query, project: project ?? '', limit, results: thoughts, answer: rest }
  attempt(() => keepCachedSearch(ttlMs === undefined ? entry : { ...entry, ttlMs }, place, stamp, { projectDir }))
}

function keyOf({ query, limit, project, names, type, since }: CacheableSearch): string {
  const words = query.normalize().trim().replace(/\s+/g, ' ')
  const parts = [words, limit, names ?? project ?? null, type ?? null, since ?? null]
  return sha256(JSON.stringify(parts))
}
