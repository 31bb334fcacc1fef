import { statSync } from 'node:fs'
import { join } from 'node:path'
import { memoryStatus } from '../../index.js'
import { placeOf, type StoreSettings } from './settings.js'

/** Other machines write to a server, and nobody tells us. */
const SERVER_TTL_MS = 60_000

/** Which store is asked and in what state it is, as far as that can be seen from here; and how long that may be trusted. */
export function placeAndAge({ projectDir, target, embedder }: StoreSettings): { place: string; ttlMs?: number } {
  const meaning = `${embedder.kind} ${embedder.model ?? ''}`
  if (target.backend === 'embedded') {
    const path = target.path ?? join(memoryStatus({ projectDir }).home, 'openbrain.db')
    return { place: ['embedded', path, meaning, stateOf(path), stateOf(`${path}-wal`)].join(' ') }
  }
  const drained = stateOf(join(projectDir, '.forge', 'openbrain-stats.jsonl'))
  return { place: [target.backend, placeOf(target.url), meaning, drained].join(' '), ttlMs: SERVER_TTL_MS }
}

/** Every write changes one of the two; a log that is empty is as good as none. */
function stateOf(path: string): string {
  try {
    const { size, mtimeMs } = statSync(path)
    return size === 0 ? '-' : `${size}@${mtimeMs}`
  } catch {
    return '-'
  }
}
