import { approve, isApproved } from './approvals.js'
import { realPathOf } from './real-path.js'

/** The engine reads the same files: `journal/trusted.rs`. */
const FOLDERS = { folder: 'trusted-folders', field: 'target' }

/** Tells whether the user approved, on this machine, that the project's `.forge` is a link to its current target. */
export function isFolderTrusted(projectDir: string, link: string): boolean {
  const target = realPathOf(link)
  return target !== undefined && isApproved(FOLDERS, projectDir, target)
}

/** Approves the current target of the link and returns it; undefined when the target does not exist. */
export function trustFolder(projectDir: string, link: string): string | undefined {
  const target = realPathOf(link)
  if (target !== undefined) approve(FOLDERS, projectDir, target)
  return target
}
