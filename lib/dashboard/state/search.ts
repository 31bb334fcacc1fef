import { useEffect, useRef, useState } from 'preact/hooks'
import { ask, type Query } from '../connection/http.js'
import { asProblem, type Problem } from '../connection/problem.js'
import type { Hit, MemoryList, RecallOutcome } from '../connection/shapes.js'
import { createResource } from './resource.js'

/** Typing sets off one search per pause, not one per key. */
const PAUSE_MS = 90
const PAGE = 100

/** Changes whenever the memory did while a search is on the screen, so that its answer is asked for again. */
const changes = createResource(async () => performance.now())
export const touchSearches = (): void => changes.touch()

export interface Found {
  query: string
  hits: Hit[]
  searched: number
  tookMs: number
  message?: string
}

export interface Search {
  found: Found | undefined
  problem: Problem | undefined
}

async function find(query: string, filters: Query, limit: number, signal: AbortSignal): Promise<Found> {
  const began = performance.now()
  const outcome = await ask<RecallOutcome>('/api/memory/recall', { query: { ...filters, query, limit }, signal })
  const found = { query, hits: outcome.hits, searched: outcome.searched, tookMs: performance.now() - began }
  return outcome.message === undefined ? found : { ...found, message: outcome.message }
}

/** Says which moment of the memory the component shows. */
function useChange(): number | undefined {
  useEffect(() => changes.watch(), [])
  return changes.value.value
}

/** Recalls while the user types, and again when the memory changes; without words there is nothing to look for. */
export function useSearch(query: string, filters: Query, limit: number): Search {
  const [search, setSearch] = useState<Search>({ found: undefined, problem: undefined })
  const asked = JSON.stringify([query, filters, limit])
  const change = useChange()
  useEffect(() => {
    if (query.trim() === '') {
      setSearch({ found: undefined, problem: undefined })
      return
    }
    const abort = new AbortController()
    const run = async (): Promise<void> => {
      try {
        const found = await find(query, filters, limit, abort.signal)
        if (!abort.signal.aborted) setSearch({ found, problem: undefined })
      } catch (cause) {
        if (!abort.signal.aborted) setSearch(({ found }) => ({ found, problem: asProblem(cause) }))
      }
    }
    const timer = setTimeout(run, PAUSE_MS)
    return () => {
      clearTimeout(timer)
      abort.abort()
    }
  }, [asked, change])
  return search
}

export interface Listing {
  /** Undefined until the first page is there. */
  total: number | undefined
  problem: Problem | undefined
  hitAt: (index: number) => Hit | undefined
  /** Fetches the pages of these rows unless they are there. */
  want: (first: number, last: number) => void
}

interface Pages {
  asked: string
  total: number | undefined
  pages: ReadonlyMap<number, Hit[]>
}

/**
 * Everything there is, newest first, of which only the pages on the screen are fetched. When the memory changes, those
 * are fetched again and the others dropped: all after a new record have moved.
 */
export function useListing(filters: Query): Listing {
  const asked = JSON.stringify(filters)
  const change = useChange()
  const [held, setHeld] = useState<Pages>({ asked, total: undefined, pages: new Map() })
  const [problem, setProblem] = useState<Problem>()
  const range = useRef({ first: 0, last: 0 })
  const current = useRef({ asked, fetching: new Set<number>(), generation: 0 })

  const fetchPage = async (page: number, isFirstOfMany: boolean): Promise<void> => {
    const { fetching, generation } = current.current
    if (fetching.has(page)) return
    fetching.add(page)
    try {
      const query = { ...filters, limit: PAGE, offset: page * PAGE }
      const { entries, total } = await ask<MemoryList>('/api/memory/list', { query })
      if (generation !== current.current.generation) return
      setHeld((last) => {
        const isNew = last.asked !== asked || isFirstOfMany
        return { asked, total, pages: new Map(isNew ? [] : last.pages).set(page, entries) }
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
      if (!held.pages.has(page)) void fetchPage(page, false)
    }
  }
  useEffect(() => {
    const isSame = current.current.asked === asked
    current.current = { asked, fetching: new Set(), generation: current.current.generation + 1 }
    if (!isSame) range.current = { first: 0, last: 0 }
    const { first, last } = range.current
    const from = Math.floor(first / PAGE)
    const timer = setTimeout(
      async () => {
        await fetchPage(from, true)
        if (Math.floor(last / PAGE) > from) await fetchPage(from + 1, false)
      },
      isSame ? 0 : PAUSE_MS,
    )
    return () => clearTimeout(timer)
  }, [asked, change])
  return {
    total: held.asked === asked ? held.total : undefined,
    problem,
    hitAt: (index) => held.pages.get(Math.floor(index / PAGE))?.[index % PAGE],
    want,
  }
}
