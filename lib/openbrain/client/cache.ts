// A read-through cache of search answers. An entry is valid while its key (store, options, model) and the state of the store, as far as
// it is visible from here, are the same, and for its time to live at most.
import { createHash } from 'node:crypto'
import { findCachedSearch, keepCachedSearch, searchStamp } from '../../native.js'

/** A search, as far as its answer depends on it. */
export interface CacheableSearch {
  projectDir: string
  query: string
  limit: number
  project?: string
  /** All names under which records of that project are looked for, where there are several. */
  names?: string[]
  type?: string
  since?: string
  /** Which store is asked, and in what state it is, as far as that is known. */
  place: string
  /** How long an answer may be given again; an hour when absent. */
  ttlMs?: number
}

/** What is kept of an answer. */
export interface CacheableAnswer {
  thoughts: object[]
}

/**
 * Answers out of the cache while nothing was captured that could change the answer, otherwise by `ask`. A cache that cannot
 * be read or written only costs time.
 */
export async function throughCache<Answer extends CacheableAnswer>(
  search: CacheableSearch,
  ask: () => Promise<Answer>,
  isKept: (answer: Answer) => boolean = () => true,
): Promise<Answer & { cached?: true }> {
  const options = { projectDir: search.projectDir }
  const key = keyOf(search)
  const { place, project, type } = search
  // A capture under any of several names changes the answer: then every capture counts.
  const isOne = project !== undefined && search.names === undefined
  const restriction = { ...(isOne ? { project } : {}), ...(type === undefined ? {} : { type }) }
  const found = attempt(() => findCachedSearch({ key, place, ...restriction }, options))
  if (found) return { ...(found.answer as Answer), thoughts: found.results, cached: true }
  // Before the question: what is captured while it is asked may be missing in the answer.
  const stamp = attempt(() => searchStamp(options))
  const answer = await ask()
  if (stamp !== undefined && isKept(answer)) {
    const { thoughts, ...rest } = answer
    const { query, limit, ttlMs } = search
    const entry = { key, query, project: project ?? '', limit, results: thoughts, answer: rest }
    attempt(() => keepCachedSearch(ttlMs === undefined ? entry : { ...entry, ttlMs }, place, stamp, options))
  }
  return answer
}

function keyOf({ query, limit, project, names, type, since }: CacheableSearch): string {
  const words = query.normalize().trim().replace(/\s+/g, ' ')
  const parts = [words, limit, names ?? project ?? null, type ?? null, since ?? null]
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex')
}

function attempt<T>(work: () => T): T | undefined {
  try {
    return work()
  } catch {
    return undefined
  }
}
