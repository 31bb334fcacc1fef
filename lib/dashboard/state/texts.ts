import { signal } from '@preact/signals'
import { ask } from '../connection/http.js'
import type { Entry } from '../connection/shapes.js'

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
  const kept = [...texts.peek()].slice(-KEPT)
  texts.value = new Map([...kept, [id, text]])
}

async function fetchText(id: string): Promise<void> {
  if (texts.peek().has(id)) return
  keep(id, '')
  try {
    const path = `/api/memory/entry/${encodeURIComponent(id)}`
    const { entry } = await ask<Entry>(path, { query: { includeProposed: true } })
    keep(id, entry.text)
  } catch {
    // It was compacted away, or the server is gone: the id has to do.
    return
  }
}
