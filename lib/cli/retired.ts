import { listRetired, type ProjectOptions, type RetiredMemory } from '../native.js'

/** Who may have retired a record. Lines of older versions do not always say it. */
export const AUTHORS = ['person', 'agent', 'import', 'watcher', 'tool', 'script', 'unknown'] as const

/** How far back "lately" reaches. */
export const LATELY = '7d'

/** Returns who retired it. */
export function authorOf({ author }: RetiredMemory): (typeof AUTHORS)[number] {
  return author ?? 'unknown'
}

/** Counts the memories that others than people retired lately: somebody should look at them. */
export function countRetiredLately(project: ProjectOptions): number {
  return listRetired({ ...project, since: LATELY }).filter((one) => authorOf(one) !== 'person').length
}
