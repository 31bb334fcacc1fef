import { listRetired, type ProjectOptions, type RetiredMemory } from '../native.js'

/** Whose records may have retired another one. */
export const AUTHORS = ['person', 'agent', 'import', 'watcher', 'tool', 'script'] as const

/** How far back "lately" reaches. */
export const LATELY = '7d'

/** Returns whose record retired it; an agent's, when that is not known. */
export function authorOf({ author }: RetiredMemory): (typeof AUTHORS)[number] {
  return author ?? 'agent'
}

/** Counts the memories that others than people retired lately: somebody should look at them. */
export function countRetiredLately(project: ProjectOptions): number {
  return listRetired({ ...project, since: LATELY }).filter((one) => authorOf(one) !== 'person').length
}
