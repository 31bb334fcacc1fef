import { type ProjectOptions, showMemory } from '../../native.js'
import { given } from '../options.js'
import type { Before } from './log.js'

/** Returns what a memory is before a command changes it. */
export function stateBefore(id: string, project: ProjectOptions): { before: Before; retiredBy?: string } {
  const { entry, retired } = showMemory(id, { ...project, includeProposed: true })
  const { type, tags, confidence, expiresAt } = entry
  return {
    before: { id: entry.id, type, tags, confidence, ...given({ expiresAt }) },
    ...given({ retiredBy: retired?.id }),
  }
}
