import { join } from 'node:path'
import { approve, isApproved } from './approvals.js'
import { projectRoot, realPathOf } from './real-path.js'

/** The engine reads the same files: `project/place.rs`, `journal/confined.rs`. */
const FOLDERS = { folder: 'trusted-folders', field: 'target' }

/** Where the memory of a folder is: the target of its `.forge`, which may be missing. */
const targetOf = (memoryDir: string) => realPathOf(join(memoryDir, '.forge')) ?? join(projectRoot(memoryDir), '.forge')

/** True if the user approved, on this machine, where the `.forge` of a folder is, although it is a link or others may write there. */
export function isFolderTrusted(memoryDir: string): boolean {
  return isApproved(FOLDERS, memoryDir, targetOf(memoryDir))
}

/** Approves where the `.forge` of a folder is now. */
export function trustFolder(memoryDir: string): void {
  approve(FOLDERS, memoryDir, targetOf(memoryDir))
}
