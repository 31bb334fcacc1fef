// Stores that stay open between the searches of a process, so that a search finds a connection, or the vectors of the embedded file in
// memory. A server of thoughts has neither.
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { forgeHome } from '../../shared/home.js'
import type { Embedder } from '../embedder/embedder.js'
import type { StoreSettings } from '../settings.js'
import type { ThoughtStore } from '../store.js'
import { embedderOf, openStore } from './open.js'

/** How long a store stays open after its last search. */
const IDLE_MS = 5 * 60_000
/** How many are open at a time; the longest unused one is closed. */
const KEPT_MAX = 8

interface Kept {
  store: Promise<ThoughtStore>
  /** The model with which it was opened. It may have been installed or changed since. */
  model: string | undefined
  timer: NodeJS.Timeout
}

const kept = new Map<string, Kept>()

/** A store for one search. */
export interface Borrowed {
  store: ThoughtStore
  /** True when it has answered a search before. */
  isWarm: boolean
  /** Gives it back; after a failure it is closed. */
  release(hasFailed: boolean): void
}

/** Opens a store, or takes the one that an earlier search left open. */
export async function borrowStore(settings: StoreSettings): Promise<Borrowed> {
  if (settings.target.backend === 'remote') {
    const store = await openStore(settings)
    // The answer does not wait for the connection to close.
    return { store, isWarm: false, release: () => void store.close().catch(() => undefined) }
  }
  const name = nameOf(settings)
  const embedder = await embedderOf(settings)
  const found = kept.get(name)
  const isWarm = found !== undefined && found.model === embedder?.model
  if (isWarm) embedder?.close?.()
  else drop(name)
  const entry = isWarm ? found : open(name, settings, embedder)
  kept.delete(name)
  kept.set(name, entry)
  try {
    return { store: await entry.store, isWarm, release: (hasFailed) => giveBack(name, entry, hasFailed) }
  } catch (error) {
    if (kept.get(name) === entry) drop(name)
    throw error
  }
}

/** Another file under the same path, as after a restoration, is another store. */
function nameOf({ target, ...settings }: StoreSettings): string {
  if (target.backend !== 'embedded') return JSON.stringify({ target, ...settings })
  const path = target.path ?? join(forgeHome(), 'openbrain.db')
  const file = statSync(path, { throwIfNoEntry: false })
  return JSON.stringify({ target: { ...target, path, file: [file?.dev, file?.ino, file?.birthtimeMs] }, ...settings })
}

function open(name: string, settings: StoreSettings, embedder: Embedder | undefined): Kept {
  const [oldest] = kept.keys()
  if (kept.size >= KEPT_MAX && oldest !== undefined) drop(oldest)
  return { store: openStore(settings, embedder), model: embedder?.model, timer: idle(name) }
}

function idle(name: string): NodeJS.Timeout {
  const timer = setTimeout(() => drop(name), IDLE_MS)
  timer.unref()
  return timer
}

function giveBack(name: string, entry: Kept, hasFailed: boolean): void {
  if (kept.get(name) !== entry) return
  if (hasFailed) {
    drop(name)
    return
  }
  clearTimeout(entry.timer)
  entry.timer = idle(name)
}

function drop(name: string): void {
  const entry = kept.get(name)
  if (entry === undefined) return
  kept.delete(name)
  clearTimeout(entry.timer)
  entry.store.then((store) => store.close()).catch(() => undefined)
}
