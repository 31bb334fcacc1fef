import { hasLost, type ProjectOptions } from '../native.js'

/** Says that records are gone that were stored here; an empty list when none are. What cannot be read is reported by the command itself. */
export function lostWarnings(project: ProjectOptions): string[] {
  try {
    if (!hasLost(project)) return []
  } catch {
    return []
  }
  return [
    'records that were stored here are not in .forge any more, as after git stash, checkout or clean: forge-memory doctor says how many, and doctor --fix brings them back',
  ]
}
