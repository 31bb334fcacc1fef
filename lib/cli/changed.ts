import { type ProjectOptions, settleIndex } from '../native.js'
import type { Change } from '../undo/changes.js'
import { noteCommand } from '../undo/log.js'

/** Ends a command that changed memories: `undo` can take it back, and the next search finds its index ready. */
export function changed(project: ProjectOptions, name: string, changes: Change[]): void {
  noteCommand(project, name, changes)
  settleIndex(project)
}
