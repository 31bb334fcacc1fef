import { hasLost, type ProjectOptions } from '../native.js'
import { countElsewhere, ELSEWHERE } from '../shared/elsewhere.js'
import { conflictWarnings } from './conflict.js'

/**
 * Says that git could not merge the memory, or that records are gone that were stored here; an empty list when neither is so. The command itself
 * reports unreadable files.
 */
export async function lostWarnings(project: ProjectOptions): Promise<string[]> {
  try {
    const conflicts = conflictWarnings(project)
    if (conflicts.length > 0) return conflicts
    if (hasLost(project)) {
      return [
        'records that were stored here are not in .forge any more, as after git stash, checkout or clean: forge-memory doctor says how many, and doctor --fix brings them back',
      ]
    }
    const count = await countElsewhere(project)
    return count === 0 ? [] : [`${ELSEWHERE.message(count)}: ${ELSEWHERE.hint}`]
  } catch {
    return []
  }
}
