// The newest commands of the user that changed the memory of a project, for `undo`: one small file per command below the user's own
// folder, so that two commands that end at the same time do not overwrite each other. The files hold ids and no texts, because a
// forgotten text must not live on in another place; and the places, as paths, of feedback about them.

import { createHash, randomBytes } from 'node:crypto'
import { readdirSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { memoryDir, type ProjectOptions } from '../native.js'
import { forgeHome } from '../shared/home.js'
import { OTHERS_WRITE, readPrivateFile, writePrivateFile } from '../shared/private-file.js'
import { projectRoot } from '../shared/real-path.js'
import { commandKind, type Kind } from '../shared/speaker.js'
import type { Change } from './changes.js'

export interface PastCommand {
  name: string
  /** Who gave it; a person where nothing is noted. */
  by?: Kind
  /** When it ended, ISO 8601. */
  at: string
  changes: Change[]
}

const KEPT_MAX = 100
const FILE = /^\d{15}-[0-9a-f]{8}\.json$/
const KINDS = new Set(['memory', 'request', 'place'])

/**
 * Keeps the changes of a command of the user, and returns their time. Commands of agents are not kept: `undo` takes back those of the user. The
 * page is the user's, whoever started its server.
 */
export function noteCommand(
  project: ProjectOptions,
  name: string,
  changes: Change[],
  by = commandKind(),
): string | undefined {
  if (changes.length === 0 || by === 'agent') return undefined
  const { folder, root } = placeOf(project)
  const now = new Date()
  const record = { _v: 2, project: root, name, by, at: now.toISOString(), changes }
  const file = `${String(now.getTime()).padStart(15, '0')}-${randomBytes(4).toString('hex')}.json`
  writePrivateFile(join(folder, file), `${JSON.stringify(record)}\n`)
  for (const old of filesIn(folder).slice(KEPT_MAX)) rmSync(join(folder, old), { force: true })
  return record.at
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

/** Removes a command that was taken back. Those before it name the memories by the ids under which these are stored now. */
export function dropCommand(file: string, renamed: Map<string, string>): void {
  rmSync(file, { force: true })
  const folder = dirname(file)
  for (const name of renamed.size === 0 ? [] : filesIn(folder)) {
    const text = readPrivateFile(join(folder, name), OTHERS_WRITE) ?? ''
    const named = text.replace(/"(?:[^"\\]|\\.)*"/g, (word) => renamed.get(word) ?? word)
    if (named !== text) writePrivateFile(join(folder, name), named)
  }
}

function placeOf(project: ProjectOptions): { folder: string; root: string } {
  const root = projectRoot(memoryDir(project))
  const name = createHash('sha256').update(root).digest('hex').slice(0, 32)
  return { folder: join(forgeHome(), 'commands', name), root }
}

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
    const isOurs = record?._v === 2 && record.project === root && Array.isArray(record.changes)
    return isOurs && record.changes.every((change: Change) => KINDS.has(change?.kind)) ? record : undefined
  } catch {
    // It was damaged, or written by something else.
    return undefined
  }
}
