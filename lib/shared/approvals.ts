// What the user approved on this machine, for one project folder each: one small file an approval under the user's own folder,
// so that two processes that approve at once cannot lose one.

import { createHash } from 'node:crypto'
import { closeSync, fstatSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { forgeHome } from './home.js'
import { writePrivateFile } from './private-file.js'
import { realPathOf } from './real-path.js'
import { openRegular, refuseLinks } from './regular-file.js'

/** A file that others can write proves no approval. */
const OTHERS_WRITE = 0o022

/** A kind of approval: the folder of its files below `~/.forge`, and the field of the record that names the approved thing. */
export interface ApprovalKind {
  folder: string
  field: string
}

/** Approves one thing for one project. */
export function approve({ folder, field }: ApprovalKind, projectDir: string, thing: string): void {
  const project = projectRoot(projectDir)
  const record = { _v: 1, project, [field]: thing, approvedAt: new Date().toISOString() }
  writePrivateFile(fileOf(folder, project, thing), `${JSON.stringify(record)}\n`)
}

/** Tells whether the user approved one thing for one project on this machine. */
export function isApproved({ folder, field }: ApprovalKind, projectDir: string, thing: string): boolean {
  const project = projectRoot(projectDir)
  try {
    const path = fileOf(folder, project, thing)
    refuseLinks(forgeHome(), path)
    const record = readOwn(path)
    return record?.project === project && record[field] === thing
  } catch {
    // Not there, or not what we wrote: no approval.
    return false
  }
}

function readOwn(path: string): Record<string, unknown> | undefined {
  const file = openRegular(path)
  if (file === undefined) return undefined
  try {
    const { mode, uid } = fstatSync(file)
    const isOurs = process.platform === 'win32' || ((mode & OTHERS_WRITE) === 0 && uid === process.geteuid?.())
    return isOurs ? (JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>) : undefined
  } finally {
    closeSync(file)
  }
}

function fileOf(folder: string, project: string, thing: string): string {
  const name = createHash('sha256')
    .update(JSON.stringify([project, thing]))
    .digest('hex')
  return join(forgeHome(), folder, `${name}.json`)
}

/** A project is identified by its real path: a copy of it is another project. */
function projectRoot(projectDir: string): string {
  return realPathOf(projectDir) ?? projectDir
}
