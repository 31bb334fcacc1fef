import { signal } from '@preact/signals'
import { useEffect, useState } from 'preact/hooks'
import { ask } from '../connection/http.js'
import type { Entry } from '../connection/shapes.js'
import { type Answer, useAnswer } from './resource.js'
import { useChange } from './search.js'

/** The records that were opened since the page was loaded, the newest first. */
export const recent = signal<{ id: string; text: string }[]>([])
const RECENT_MAX = 20

export function noteOpened({ id, text }: Entry['entry']): void {
  const others = recent.peek().filter((one) => one.id !== id)
  recent.value = [{ id, text: text.slice(0, 300) }, ...others].slice(0, RECENT_MAX)
}

/** Debounce: while a key is held down in a list, records that are passed are not requested. */
const REST_MS = 60

/** Fetches a record, whether it was accepted or not. */
export function fetchEntry(id: string, signal?: AbortSignal): Promise<Entry> {
  const request = { query: { includeProposed: true }, ...(signal && { signal }) }
  return ask<Entry>(`/api/memory/entry/${encodeURIComponent(id)}`, request)
}

/** Fetches the record shown beside a list, and again when the memory changes. */
export function useEntry(id: string | undefined): Answer<Entry> {
  const change = useChange()
  return useAnswer(id && `${id} ${change}`, (signal) => fetchEntry(id ?? '', signal), REST_MS)
}

/** Fetches records by id; missing ones are omitted. */
export function useEntries(ids: string[]): Entry['entry'][] {
  const [found, setFound] = useState<Entry['entry'][]>([])
  const change = useChange()
  useEffect(() => {
    let isCurrent = true
    const load = async (id: string): Promise<Entry['entry'][]> => {
      const { state, entry } = await fetchEntry(id)
      return state === 'current' || state === 'expired' ? [entry] : []
    }
    const all = ids.map((id) => load(id).catch(() => []))
    void Promise.all(all).then((entries) => isCurrent && setFound(entries.flat()))
    return () => {
      isCurrent = false
    }
  }, [ids.join(' '), change])
  return found
}

/** The texts of memories that events only name, by id; empty while they are fetched, and when there is none. */
const texts = signal<ReadonlyMap<string, string>>(new Map())
const KEPT = 500

/** Returns the text of a memory, and fetches it when it is not known yet. */
export function textOfMemory(id: string): string {
  const known = texts.value.get(id)
  if (known === undefined) queueMicrotask(() => void fetchText(id))
  return known ?? ''
}

function keep(id: string, text: string): void {
  texts.value = new Map([...[...texts.peek()].slice(-KEPT), [id, text]])
}

async function fetchText(id: string): Promise<void> {
  if (texts.peek().has(id)) return
  keep(id, '')
  // Where it was compacted away, or the server is gone, the id has to do.
  await fetchEntry(id).then(
    ({ entry }) => keep(id, entry.text),
    () => undefined,
  )
}
