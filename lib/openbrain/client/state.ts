import { createHash } from 'node:crypto'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { memoryStatus } from '../../native.js'
import type { StoreSettings } from '../settings.js'

/** Other machines write to a server without notice. */
const SERVER_TTL_MS = 60_000

/** Which store is asked and in what state it is, as far as that can be seen from here; and how long that may be trusted. */
export function placeAndAge(settings: StoreSettings): { place: string; ttlMs?: number } {
  const { projectDir, target } = settings
  if (target.backend === 'embedded') {
    const path = target.path ?? join(memoryStatus({ projectDir }).home, 'openbrain.db')
    return { place: [identityOf(settings, path), stateOf(path), stateOf(`${path}-wal`)].join(' ') }
  }
  const drained = stateOf(join(projectDir, '.forge', 'openbrain-stats.jsonl'))
  return { place: [identityOf(settings, addressOf(target.url)), drained].join(' '), ttlMs: SERVER_TTL_MS }
}

/** The cache key: the store, its user, the query options, and the embedding model. */
function identityOf({ target, embedder, textOnly }: StoreSettings, address: string): string {
  const user = target.backend === 'remote' ? [markOf(target.key), target.isMcp, textOnly] : []
  const vectors = [embedder.kind, embedder.model ?? '', embedder.url ?? '', markOf(embedder.key)]
  const parts = [target.backend, address, ...user, ...vectors]
  return `${target.backend} ${createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 32)}`
}

/** Host, port, database, role, schema and all other parts of the address; a password does not make another store. */
function addressOf(url: URL): string {
  const address = new URL(url)
  address.password = ''
  address.searchParams.sort()
  return address.href
}

/** Tells one key from the next, and too little to find a weak one out: the cache is a file of the project. */
function markOf(key: string | undefined): string {
  return key === undefined ? '' : createHash('sha256').update(key).digest('hex').slice(0, 4)
}

/** Every write changes one of the two; an empty log counts as absent. */
function stateOf(path: string): string {
  try {
    const { size, mtimeMs } = statSync(path)
    return size === 0 ? '-' : `${size}@${mtimeMs}`
  } catch {
    return '-'
  }
}
