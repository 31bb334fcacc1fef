import { useEffect, useRef, useState } from 'preact/hooks'
import { ask, type Query } from '../connection/http.js'
import { asProblem, type Problem } from '../connection/problem.js'
import type { Hit, MemoryList, RecallOutcome } from '../connection/shapes.js'
import { type Answer, createResource } from './resource.js'

const PAGE = 100

/** A version that changes with the memory while a search is shown, so that the search is repeated. */
const changes = createResource(async () => performance.now())
export const touchSearches = (): void => changes.touch()

export interface Found {
  query: string
  /** In the order of the scores that are shown. */
  hits: Hit[]
  /** Those of the hits about which it is doubtful whether they answer. */
  weak: Hit[]
  searched: number
  mode: RecallOutcome['mode']
  tookMs: number
  message?: string
}

async function find(query: string, filters: Query, limit: number, signal: AbortSignal): Promise<Found> {
  const began = performance.now()
  const outcome = await ask<RecallOutcome>('/api/memory/recall', {
    query: { ...filters, query, limit, highlights: true },
    signal,
  })
  const hits = [...outcome.hits].sort((a, b) => b.score - a.score)
  const isWeak = (hit: Hit): boolean => hit.weak === true || hit.weaker === true
  // When nothing is certain, the doubtful ones are all that there is.
  const strong = hits.filter((hit) => !isWeak(hit))
  const parts = strong.length === 0 ? { hits, weak: [] } : { hits: strong, weak: hits.filter(isWeak) }
  const { searched, mode } = outcome
  const found = { query, ...parts, searched, mode, tookMs: performance.now() - began }
  return outcome.message === undefined ? found : { ...found, message: outcome.message }
}

/** Returns the version of the memory that the component shows. */
export function useChange(): number | undefined {
  useEffect(() => changes.watch(), [])
  return changes.value.value
}

/** Recalls while the user types, and again when the memory changes. An empty query finds nothing. */
export function useSearch(query: string, filters: Query, limit: number): Answer<Found> {
  const [search, setSearch] = useState<Answer<Found>>({ found: undefined, problem: undefined })
  const requestKey = JSON.stringify([query, filters, limit])
  const change = useChange()
  // A key starts a search at once, unless one is under way: then the last of the keys typed meanwhile starts the next one.
  const next = useRef<(() => Promise<void>) | undefined>(undefined)
  const isRunning = useRef(false)
  const drain = async (): Promise<void> => {
    if (isRunning.current) return
    isRunning.current = true
    for (let run = next.current; run; run = next.current) {
      next.current = undefined
      await run()
    }
    isRunning.current = false
  }
  useEffect(() => {
    if (query.trim() === '') {
      next.current = undefined
      setSearch({ found: undefined, problem: undefined })
      return
    }
    const abort = new AbortController()
    next.current = async () => {
      try {
        const found = await find(query, filters, limit, abort.signal)
        if (!abort.signal.aborted) setSearch({ found, problem: undefined })
      } catch (cause) {
        if (!abort.signal.aborted) setSearch(({ found }) => ({ found, problem: asProblem(cause) }))
      }
    }
    void drain()
    return () => abort.abort()
  }, [requestKey, change])
  return search
}

export interface Listing {
  /** The number of records; undefined until the first page has arrived. */
  total: number | undefined
  /** The groups in their order; absent when the list has none. */
  groups?: Group[] | undefined
  problem: Problem | undefined
  hitAt: (index: number) => Hit | undefined
  /** Fetches the pages of these records unless they are loaded. */
  want: (first: number, last: number) => void
}

export interface Group {
  key: string
  count: number
}

interface Pages {
  requestKey: string
  total: number | undefined
  groups: Group[] | undefined
  pages: ReadonlyMap<number, Hit[]>
}

/**
 * All records, newest first or in groups, fetched page by page as they become visible. When the memory changes, the visible pages are
 * fetched again and the others dropped, because a new record shifts all rows after it.
 */
export function useListing(filters: Query, by = ''): Listing {
  const requestKey = JSON.stringify([filters, by])
  const change = useChange()
  const [loaded, setLoaded] = useState<Pages>({ requestKey, total: undefined, groups: undefined, pages: new Map() })
  const [problem, setProblem] = useState<Problem>()
  const range = useRef({ first: 0, last: 0 })
  const current = useRef({ requestKey, fetching: new Set<number>(), generation: 0 })
  // A step back is shown before its effect begins: an answer that arrives in between is that of the address before.
  const shown = useRef(requestKey)
  shown.current = requestKey

  const fetchPage = async (page: number, isFirstOfMany: boolean): Promise<void> => {
    const { fetching, generation } = current.current
    if (fetching.has(page)) return
    fetching.add(page)
    try {
      const query = { ...filters, by, limit: PAGE, offset: page * PAGE }
      const path = by === '' ? '/api/memory/list' : '/api/memory/groups'
      const { entries, total, groups } = await ask<MemoryList & { groups?: Group[] }>(path, { query })
      if (generation !== current.current.generation || requestKey !== shown.current) return
      setLoaded((last) => {
        const isNew = last.requestKey !== requestKey || isFirstOfMany
        return { requestKey, total, groups, pages: new Map(isNew ? [] : last.pages).set(page, entries) }
      })
      setProblem(undefined)
    } catch (cause) {
      if (generation === current.current.generation) setProblem(asProblem(cause))
    }
    fetching.delete(page)
  }
  const want = (first: number, last: number): void => {
    range.current = { first, last }
    for (let page = Math.floor(first / PAGE); page <= Math.floor(last / PAGE); page += 1) {
      if (!loaded.pages.has(page)) void fetchPage(page, false)
    }
  }
  useEffect(() => {
    const isSame = current.current.requestKey === requestKey
    current.current = { requestKey, fetching: new Set(), generation: current.current.generation + 1 }
    if (!isSame) range.current = { first: 0, last: 0 }
    const { first, last } = range.current
    const from = Math.floor(first / PAGE)
    void fetchPage(from, true).then(() => {
      if (Math.floor(last / PAGE) > from) void fetchPage(from + 1, false)
    })
  }, [requestKey, change])
  const isCurrent = loaded.requestKey === requestKey
  return {
    total: isCurrent ? loaded.total : undefined,
    groups: isCurrent ? loaded.groups : undefined,
    problem,
    hitAt: (index) => loaded.pages.get(Math.floor(index / PAGE))?.[index % PAGE],
    want,
  }
}
