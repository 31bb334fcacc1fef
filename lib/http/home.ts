import { listMemories, type MemoryList, type RecallHit, showMemory } from '../native.js'
import { isExpiringSoon } from '../shared/expiring.js'
import { get, type Route } from './router.js'
import type { Scan } from './scan.js'

/** As many as the page shows; of the others it has the number. */
const SHOWN = 20
/** Of so many it is looked up whether they are edits. */
const LOOKED_AT = 200

/** Returns the routes of what a person looks at first: what expires soon, and what was learned since yesterday. */
export function homeRoutes(projectDir: string, scan: () => Promise<Scan>): Route[] {
  return [
    get('/api/memory/expiring', async (query): Promise<MemoryList> => {
      query.only()
      const expiring = [...(await scan()).expiring].sort((a, b) => (expiryOf(a) < expiryOf(b) ? -1 : 1))
      const first = expiring.slice(0, LOOKED_AT)
      const entries = first.filter(({ id }) => isStillExpiring(id, projectDir))
      return { total: expiring.length - first.length + entries.length, entries: entries.slice(0, SHOWN) }
    }),
    get('/api/memory/learned', (query): MemoryList => {
      query.only()
      const since = new Date(new Date().setHours(-24, 0, 0, 0)).toISOString()
      const { entries: all, total } = listMemories({ projectDir, since, limit: LOOKED_AT })
      const entries = all.filter(({ id }) => isNew(id, since, projectDir))
      return { total: total - all.length + entries.length, entries: entries.slice(0, SHOWN) }
    }),
  ]
}

const expiryOf = ({ expiresAt = '' }: RecallHit): string => expiresAt

/** It may have been renewed or forgotten since the look at every memory. */
function isStillExpiring(id: string, projectDir: string): boolean {
  try {
    const { entry, state } = showMemory(id, { projectDir })
    return state === 'current' && isExpiringSoon(entry)
  } catch {
    return false
  }
}

/** True if a memory was not known before: an edit is no lesson. */
function isNew(id: string, since: string, projectDir: string): boolean {
  const [first] = showMemory(id, { projectDir }).revisions
  return first === undefined || Date.parse(first.createdAt) >= Date.parse(since)
}
