import { listMemories, type RecallHit, showMemory } from '../native.js'
import { expiringSoon } from '../shared/expiring.js'
import { get, type Route } from './router.js'
import type { HomeLists } from './shapes.js'

/** As many as the page shows; of the others it has the number. */
const SHOWN = 20
/** Of so many it is looked up whether they are edits. */
const LOOKED_AT = 200

/** Returns the route of what a person looks at first: what expires soon, and what was learned since yesterday. */
export function homeRoutes(projectDir: string): Route[] {
  return [
    get('/api/memory/home', (query): HomeLists => {
      query.only()
      const expiring = expiringSoon({ projectDir }).sort((a, b) => (expiryOf(a) < expiryOf(b) ? -1 : 1))
      const since = new Date(new Date().setHours(-24, 0, 0, 0)).toISOString()
      const { entries, total } = listMemories({ projectDir, since, limit: LOOKED_AT })
      const learned = entries.filter(({ id }) => isNew(id, since, projectDir))
      return {
        expiring: { total: expiring.length, entries: expiring.slice(0, SHOWN) },
        learned: { total: total - entries.length + learned.length, entries: learned.slice(0, SHOWN) },
      }
    }),
  ]
}

const expiryOf = ({ expiresAt = '' }: RecallHit): string => expiresAt

/** True if a memory was not known before: an edit is no lesson. */
function isNew(id: string, since: string, projectDir: string): boolean {
  const [first] = showMemory(id, { projectDir }).revisions
  return first === undefined || Date.parse(first.createdAt) >= Date.parse(since)
}
