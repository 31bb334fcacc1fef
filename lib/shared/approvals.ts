// The approvals of the user on this machine: one small file per approval and project below the user's own folder, so
// that two processes that approve at the same time do not overwrite each other (no lost update).

import { join } from 'node:path'
import { memoryDir } from '../native.js'
import { sha256 } from './digest.js'
import { forgeHome } from './home.js'
import { OTHERS_WRITE, readPrivateFile, writePrivateFile } from './private-file.js'
import { attempt } from './problem.js'
import { projectRoot } from './real-path.js'

/** A kind of approval: its folder below `~/.forge`, and the field of the file that contains the approved value. */
export interface ApprovalKind {
  folder: string
  field: string
}

/** Approves one thing for one project. */
export function approve({ folder, field }: ApprovalKind, projectDir: string, thing: string): void {
  const project = memoryRoot(projectDir)
  const record = { _v: 1, project, [field]: thing, approvedAt: new Date().toISOString() }
  writePrivateFile(fileOf(folder, project, thing), `${JSON.stringify(record)}\n`)
}

/** True if the user approved one thing for one project on this machine. */
export function isApproved({ folder, field }: ApprovalKind, projectDir: string, thing: string): boolean {
  const project = memoryRoot(projectDir)
  try {
    const text = readPrivateFile(fileOf(folder, project, thing), OTHERS_WRITE)
    const record = JSON.parse(text ?? 'null') as Record<string, unknown> | null
    return record?.project === project && record[field] === thing
  } catch {
    // The file is missing, or was not written by `approve`.
    return false
  }
}

/** An approval holds for all work trees that share a memory. */
function memoryRoot(projectDir: string): string {
  // It is the memory of another user, whose folder is approved itself.
  return attempt(() => projectRoot(memoryDir({ projectDir }))) ?? projectRoot(projectDir)
}

function fileOf(folder: string, project: string, thing: string): string {
  const name = sha256(JSON.stringify([project, thing]))
  return join(forgeHome(), folder, `${name}.json`)
}
