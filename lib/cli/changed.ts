import { type ProjectOptions, settleIndex } from '../native.js'
import { given } from '../shared/given.js'
import { messageOf } from '../shared/problem.js'
import type { Change } from '../undo/changes.js'
import { noteCommand } from '../undo/log.js'

/** Notes the changes of a command whose answer is still to come: what is stored is stored, also where `undo` cannot be told of it. */
export function noted(project: ProjectOptions, name: string, changes: Change[]): { at?: string; unnoted: string[] } {
  try {
    return { ...given({ at: noteCommand(project, name, changes) }), unnoted: [] }
  } catch (error) {
    return { unnoted: [`it is stored, but undo will not take it back: ${messageOf(error)}`] }
  }
}

/** Ends a command that changed memories: `undo` can take it back, and the next search finds its index ready. */
export function changed(project: ProjectOptions, name: string, changes: Change[]): void {
  noteCommand(project, name, changes)
  settleIndex(project)
}
