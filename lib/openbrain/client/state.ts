import { createHash } from 'node:crypto'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { memoryStatus } from '../../native.js'
import type { StoreSettings } from '../settings.js'

/** The state that an OpenBrain server reports does not cover texts that were changed in place. */
const SERVER_TTL_MS = 60_000

/** What an open store says of itself. */
export interface StateSaid {
  state: string
  /** What makes the vectors, where something does: a model may have been installed since. */
  model?: string | undefined
}

/** Which store is asked and in what state it is; and how long an answer may be given again while that stays so. */
export function placeAndAge(settings: StoreSettings, { state, model }: StateSaid): { place: string; ttlMs?: number } {
  const { projectDir, target } = settings
  const said = createHash('sha256')
    .update(JSON.stringify([state, model]))
    .digest('hex')
    .slice(0, 32)
  if (target.backend === 'embedded') {
    const path = target.path ?? join(memoryStatus({ projectDir }).home, 'openbrain.db')
    // The rows do not tell of a life that was lengthened, the files not of two writes within one tick of their clock.
    return { place: [identityOf(settings, path), said, stateOf(path), stateOf(`${path}-wal`)].join(' ') }
  }
  const place = [identityOf(settings, addressOf(target.url)), said].join(' ')
  return target.backend === 'postgres' ? { place } : { place, ttlMs: SERVER_TTL_MS }
}

/** The cache key: the store, its user, the query options, and the embedding model. */
function identityOf({ target, embedder, textOnly }: StoreSettings, address: string): string {
  const user = target.backend === 'remote' ? [markOf(target.key), target.isMcp, textOnly] : [process.env.PGUSER ?? '']
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
