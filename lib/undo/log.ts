// The newest commands of the user that changed the memory of a project, for `undo`: one small file per command below the user's own
// folder, so that two commands that end at the same time do not overwrite each other. The files hold ids and no texts, because a
// forgotten text must not live on in another place; and the places, as paths, of feedback about them. Commands that were taken back lie
// beside them, for `redo`, until another command changes the memory.

import { existsSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { memoryDir, type ProjectOptions, showMemory } from '../native.js'
import { sha256 } from '../shared/digest.js'
import { given } from '../shared/given.js'
import { forgeHome } from '../shared/home.js'
import { parsedJson } from '../shared/json.js'
import { OTHERS_WRITE, readPrivateFile, writePrivateFile } from '../shared/private-file.js'
import { attempt } from '../shared/problem.js'
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

/** The commands that were done, and those that were taken back. */
export type Stack = 'done' | 'undone'

export interface KeptCommand {
  command: PastCommand
  file: string
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
  const command = { name, by, at: new Date().toISOString(), changes }
  keepIn('done', command, project)
  for (const { file } of commandsIn('undone', project)) rmSync(file, { force: true })
  return command.at
}

/** Adds what a command of a moment has changed since: a terminal that is closed at its question has kept the rest. */
export function noteMore(project: ProjectOptions, at: string | undefined, changes: Change[]): void {
  const noted = commandsIn('done', project).find(({ command }) => command.at === at)
  if (noted === undefined || changes.length === 0) return
  writeTo(noted.file, { ...noted.command, changes: [...noted.command.changes, ...changes] }, project)
}

/** Keeps a command among those that were done, or taken back. */
export function keepIn(stack: Stack, command: PastCommand, project: ProjectOptions): void {
  const { folder } = placeOf(project, stack)
  // A command that was taken back keeps the time at which it was done; the order is that of the keeping.
  const { randomBytes } = process.getBuiltinModule('node:crypto')
  const time = String(Math.max(Date.now(), newestIn(folder) + 1)).padStart(15, '0')
  writeTo(join(folder, `${time}-${randomBytes(4).toString('hex')}.json`), command, project)
  for (const old of filesIn(folder).slice(KEPT_MAX)) rmSync(join(folder, old), { force: true })
}

function writeTo(file: string, command: PastCommand, project: ProjectOptions): void {
  const record = { _v: 2, project: placeOf(project).root, ...command }
  writePrivateFile(file, `${JSON.stringify(record)}\n`)
}

const newestIn = (folder: string): number => Number(filesIn(folder)[0]?.slice(0, 15) ?? 0)

/** Returns the commands of a stack, the newest first, each with the file that keeps it. */
export function commandsIn(stack: Stack, project: ProjectOptions): KeptCommand[] {
  const { folder, root } = placeOf(project, stack)
  return filesIn(folder).flatMap((name) => {
    const file = join(folder, name)
    const command = parsed(readPrivateFile(file, OTHERS_WRITE), root)
    return command === undefined ? [] : [{ command, file }]
  })
}

/** Returns the newest command that was not taken back, or of those that were. */
export function lastCommand(project: ProjectOptions, stack: Stack = 'done'): KeptCommand | undefined {
  return commandsIn(stack, project)[0]
}

/** Removes a command that was taken back. The others name the memories by the ids under which these are stored now. */
export function dropCommand(file: string, renamed: Map<string, string>, project: ProjectOptions): void {
  rmSync(file, { force: true })
  if (renamed.size === 0) return
  for (const stack of ['done', 'undone'] as const) {
    const { folder } = placeOf(project, stack)
    for (const name of filesIn(folder)) {
      const text = readPrivateFile(join(folder, name), OTHERS_WRITE) ?? ''
      const named = text.replace(/"(?:[^"\\]|\\.)*"/g, (word) => renamed.get(word) ?? word)
      if (named !== text) writePrivateFile(join(folder, name), named)
    }
  }
}

function placeOf(project: ProjectOptions, stack: Stack = 'done'): { folder: string; root: string } {
  const root = projectRoot(memoryDir(project))
  const all = join(forgeHome(), 'commands')
  const folder = join(all, sha256(root).slice(0, 32))
  if (!existsSync(folder)) attempt(() => followMoved(all, { folder, root }, project))
  return { folder: stack === 'done' ? folder : join(folder, stack), root }
}

/** Takes over the commands of a project whose folder was moved here: nothing is where it was, and what it changed is in the memory of this one. */
function followMoved(all: string, to: { folder: string; root: string }, project: ProjectOptions): void {
  for (const name of readdirSync(all)) {
    const before = join(all, name)
    const [newest = ''] = filesIn(before)
    const record = parsedJson(attempt(() => readPrivateFile(join(before, newest), OTHERS_WRITE)) ?? '') ?? {}
    const { project: root, changes } = record as { project?: unknown; changes?: Change[] }
    if (typeof root !== 'string' || existsSync(root) || !changes?.some((change) => isHere(change, project))) continue
    for (const stack of ['', 'undone']) {
      for (const file of filesIn(join(before, stack))) {
        const text = readPrivateFile(join(before, stack, file), OTHERS_WRITE) ?? ''
        const moved = text.replace(`"project":${JSON.stringify(root)}`, `"project":${JSON.stringify(to.root)}`)
        writePrivateFile(join(to.folder, stack, file), moved)
      }
    }
    rmSync(before, { recursive: true, force: true })
    return
  }
}

function isHere(change: Change, { projectDir }: ProjectOptions): boolean {
  const id = change.kind === 'memory' ? change.after.id : change.id
  return attempt(() => showMemory(id, { ...given({ projectDir }), includeProposed: true })) !== undefined
}

function filesIn(folder: string): string[] {
  // No command has been kept yet.
  return (
    attempt(() =>
      readdirSync(folder)
        .filter((name) => FILE.test(name))
        .sort()
        .reverse(),
    ) ?? []
  )
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
