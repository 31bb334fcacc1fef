// The newest commands of the user that changed the memory of a project, for `undo`: one small file per command below the user's own
// folder, so that two commands that end at the same time do not overwrite each other. The files hold ids and no texts, because a
// forgotten text must not live on in another place.

import { createHash, randomBytes } from 'node:crypto'
import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { memoryDir, type ProjectOptions } from '../../native.js'
import { forgeHome } from '../../shared/home.js'
import { OTHERS_WRITE, readPrivateFile, writePrivateFile } from '../../shared/private-file.js'
import { projectRoot } from '../../shared/real-path.js'
import { isStartedByAgent } from '../../shared/speaker.js'

/** A change that a command made. */
export type Change =
  | { kind: 'stored'; id: string; retired: string[] }
  | { kind: 'edited'; before: Before; after: string }
  | { kind: 'forgotten'; id: string }
  | { kind: 'kept'; id: string; by: string }
  | { kind: 'retired'; id: string }
  | { kind: 'final'; hint: string }

/** What a revision was before an edit; its text is in the journal. */
export interface Before {
  id: string
  type: string
  tags: string[]
  confidence: number
  expiresAt?: string
}

export interface PastCommand {
  name: string
  /** When it ended, ISO 8601. */
  at: string
  changes: Change[]
}

const KEPT_MAX = 20
const FILE = /^\d{15}-[0-9a-f]{8}\.json$/
const KINDS = new Set(['stored', 'edited', 'forgotten', 'kept', 'retired', 'final'])

/** Keeps what a command of the user changed. Commands of agents are not kept: `undo` takes back what the user did. */
export function noteCommand(project: ProjectOptions, name: string, changes: Change[]): void {
  if (changes.length === 0 || isStartedByAgent()) return
  const { folder, root } = placeOf(project)
  const now = new Date()
  const record = { _v: 1, project: root, name, at: now.toISOString(), changes }
  const file = `${String(now.getTime()).padStart(15, '0')}-${randomBytes(4).toString('hex')}.json`
  writePrivateFile(join(folder, file), `${JSON.stringify(record)}\n`)
  for (const old of filesIn(folder).slice(KEPT_MAX)) rmSync(join(folder, old), { force: true })
}

/** Returns the newest command that was not taken back, and the file that keeps it. */
export function lastCommand(project: ProjectOptions): { command: PastCommand; file: string } | undefined {
  const { folder, root } = placeOf(project)
  for (const name of filesIn(folder)) {
    const file = join(folder, name)
    const command = parsed(readPrivateFile(file, OTHERS_WRITE), root)
    if (command !== undefined) return { command, file }
  }
  return undefined
}

/** Removes a command that was taken back. */
export function dropCommand(file: string): void {
  rmSync(file, { force: true })
}

function placeOf(project: ProjectOptions): { folder: string; root: string } {
  const root = projectRoot(memoryDir(project))
  const name = createHash('sha256').update(root).digest('hex').slice(0, 32)
  return { folder: join(forgeHome(), 'commands', name), root }
}

/** The files of commands, the newest first. */
function filesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
      .filter((name) => FILE.test(name))
      .sort()
      .reverse()
  } catch {
    // No command has been kept yet.
    return []
  }
}

function parsed(text: string | undefined, root: string): PastCommand | undefined {
  try {
    const record = JSON.parse(text ?? 'null')
    const isOurs = record?._v === 1 && record.project === root && Array.isArray(record.changes)
    return isOurs && record.changes.every((change: Change) => KINDS.has(change?.kind)) ? record : undefined
  } catch {
    // It was damaged, or written by something else.
    return undefined
  }
}
