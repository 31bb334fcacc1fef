import { useEffect, useState } from 'preact/hooks'
import { ask, type Query } from '../connection/http.js'
import { asProblem, type Problem } from '../connection/problem.js'
import type { Hit, MemoryList, RecallOutcome } from '../connection/shapes.js'
import { createResource } from './resource.js'

/** Typing sets off one search per pause, not one per key. */
const PAUSE_MS = 90

/** Counts the changes of the memory while a search is on the screen, so that its answer is asked for again. */
const changes = createResource(async () => performance.now())
export const touchSearches = (): void => changes.touch()

export interface Found {
  query: string
  hits: Hit[]
  /** How many there are in all; of a search, how many records were looked at. */
  total: number
  tookMs: number
  message?: string
}

export interface Search {
  found: Found | undefined
  problem: Problem | undefined
  isBusy: boolean
}

async function find(query: string, filters: Query, limit: number, signal: AbortSignal): Promise<Found> {
  const began = performance.now()
  if (query.trim() === '') {
    const list = await ask<MemoryList>('/api/memory/list', { query: { ...filters, limit }, signal })
    return { query, hits: list.entries, total: list.total, tookMs: performance.now() - began }
  }
  const outcome = await ask<RecallOutcome>('/api/memory/recall', { query: { ...filters, query, limit }, signal })
  const found = { query, hits: outcome.hits, total: outcome.searched, tookMs: performance.now() - began }
  return outcome.message === undefined ? found : { ...found, message: outcome.message }
}

/** Recalls while somebody types, and again when the memory changes; without words it lists the newest. */
export function useSearch(query: string, filters: Query, limit: number): Search {
  const [search, setSearch] = useState<Search>({ found: undefined, problem: undefined, isBusy: true })
  const asked = JSON.stringify([query, filters, limit])
  const change = changes.value.value
  useEffect(() => changes.watch(), [])
  useEffect(() => {
    const abort = new AbortController()
    const run = async (): Promise<void> => {
      try {
        const found = await find(query, filters, limit, abort.signal)
        if (!abort.signal.aborted) setSearch({ found, problem: undefined, isBusy: false })
      } catch (cause) {
        if (!abort.signal.aborted) setSearch(({ found }) => ({ found, problem: asProblem(cause), isBusy: false }))
      }
    }
    setSearch((last) => ({ ...last, isBusy: true }))
    const timer = setTimeout(run, PAUSE_MS)
    return () => {
      clearTimeout(timer)
      abort.abort()
    }
  }, [asked, change])
  return search
}
