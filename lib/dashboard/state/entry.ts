import { useEffect, useState } from 'preact/hooks'
import { ask } from '../connection/http.js'
import { asProblem, type Problem } from '../connection/problem.js'
import type { Entry } from '../connection/shapes.js'
import { useChange } from './search.js'

/** Debounce: while a key is held down in a list, records that are passed are not requested. */
const REST_MS = 60

export interface ShownEntry {
  /** The record; the previous one until it has arrived. */
  found: Entry | undefined
  problem: Problem | undefined
}

/** Fetches the record shown beside a list, and again when the memory changes. */
export function useEntry(id: string | undefined): ShownEntry {
  const [shown, setShown] = useState<ShownEntry>({ found: undefined, problem: undefined })
  const change = useChange()
  useEffect(() => {
    if (id === undefined) return setShown({ found: undefined, problem: undefined })
    const abort = new AbortController()
    const load = async (): Promise<void> => {
      const path = `/api/memory/entry/${encodeURIComponent(id)}`
      try {
        const found = await ask<Entry>(path, { query: { includeProposed: true }, signal: abort.signal })
        setShown({ found, problem: undefined })
      } catch (cause) {
        if (!abort.signal.aborted) setShown({ found: undefined, problem: asProblem(cause) })
      }
    }
    const timer = setTimeout(load, REST_MS)
    return () => {
      clearTimeout(timer)
      abort.abort()
    }
  }, [id, change])
  return shown
}

/** Fetches records by id; missing ones are omitted. */
export function useEntries(ids: string[]): Entry['entry'][] {
  const [found, setFound] = useState<Entry['entry'][]>([])
  const change = useChange()
  const asked = ids.join(' ')
  useEffect(() => {
    let isCurrent = true
    const load = (id: string): Promise<Entry[]> =>
      ask<Entry>(`/api/memory/entry/${encodeURIComponent(id)}`).then(
        (entry) => (entry.state === 'current' || entry.state === 'expired' ? [entry] : []),
        () => [],
      )
    void Promise.all(ids.map(load)).then((all) => isCurrent && setFound(all.flat().map(({ entry }) => entry)))
    return () => {
      isCurrent = false
    }
  }, [asked, change])
  return found
}
