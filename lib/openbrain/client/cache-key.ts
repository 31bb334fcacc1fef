import { statSync } from 'node:fs'
import { join } from 'node:path'
import { memoryStatus } from '../../native.js'
import { sha256 } from '../../shared/digest.js'
import { variable } from '../../shared/environment.js'
import type { StoreSettings } from '../settings.js'

/** The time to live for OpenBrain servers: the state that they report does not change when a text is edited in place. */
const SERVER_TTL_MS = 60_000

/** The facts that an open store reports about itself. */
export interface StoreState {
  state: string | undefined
  /** The embedding model, if any. It may have been installed since. */
  model?: string | undefined
}

/**
 * Returns the cache key of a store (its identity and its state), and the time to live of an answer while the key stays the
 * same.
 */
export function cacheKeyOf(settings: StoreSettings, { state, model }: StoreState): { place: string; ttlMs?: number } {
  const { projectDir, target } = settings
  const stateHash = sha256(JSON.stringify([state, model])).slice(0, 32)
  if (target.backend === 'embedded') {
    const path = target.path ?? join(memoryStatus({ projectDir }).home, 'openbrain.db')
    // The row version misses an extended expiry; the file times miss two writes within one tick of the file system's
    // clock. Together they suffice.
    return { place: [identityOf(settings, path), stateHash, stateOf(path), stateOf(`${path}-wal`)].join(' ') }
  }
  const place = [identityOf(settings, addressOf(target.url)), stateHash].join(' ')
  return target.backend === 'postgres' ? { place } : { place, ttlMs: SERVER_TTL_MS }
}

/** The identity of a store: its address, its user, the query options, and the embedding model. */
function identityOf({ target, embedder, textOnly }: StoreSettings, address: string): string {
  const user = target.backend === 'remote' ? [markOf(target.key), target.isMcp, textOnly] : [variable('PGUSER') ?? '']
  const vectors = [embedder.kind, embedder.model ?? '', embedder.url ?? '', markOf(embedder.key)]
  const parts = [target.backend, address, ...user, ...vectors]
  return `${target.backend} ${sha256(JSON.stringify(parts)).slice(0, 32)}`
}

/** Returns the address without its password, which does not make it another store. */
function addressOf(url: URL): string {
  const address = new URL(url)
  address.password = ''
  address.searchParams.sort()
  return address.href
}

/** A short hash that distinguishes keys but does not allow a weak one to be guessed: the cache is a file of the project. */
function markOf(key: string | undefined): string {
  return key === undefined ? '' : sha256(key).slice(0, 4)
}

/** The size and modification time of a file, one of which every write changes. An empty write-ahead log counts as absent. */
function stateOf(path: string): string {
  try {
    const { size, mtimeMs } = statSync(path)
    return size === 0 ? '-' : `${size}@${mtimeMs}`
  } catch {
    return '-'
  }
}
