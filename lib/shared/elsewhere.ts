import { statSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { EmbeddedStore, memoryDir, memoryStatus, type ProjectOptions } from '../native.js'
import { readConfinedText } from './confined.js'
import { forgeHome } from './home.js'
import { attempt } from './problem.js'

const LOG = join('.forge', 'memory-captures.jsonl')
/** A log that is shorter has at most a few records. */
const NEW_BYTES = 4096
/** The index of git of a large repository. */
const INDEX_BYTES_MAX = 256 << 20

/** The message about records that only the shared store has, and the command that brings them back. */
export const ELSEWHERE = {
  message: (count: number, place = '~/.forge/openbrain.db') =>
    `${count} ${count === 1 ? 'record' : 'records'} of this project are in ${place} and not here, as after git clean -fdx`,
  hint: 'forge-memory import --shared brings them back',
}

/** True if the memory of a project is new, or was made anew: `git clean -fdx` takes the queue and its archive as well. */
export function isNewMemory(project: ProjectOptions): boolean {
  const folder = memoryDir(project)
  return sizeOf(join(folder, LOG)) <= NEW_BYTES && ownCount(project) <= 1 && !isCommitted(folder)
}

/** True if git has the log of a folder: a record that this branch has not is on another one, and `clean` removes no committed file. */
function isCommitted(folder: string): boolean {
  const entry = join(folder, '.git')
  // A work tree has a file that names its folder of git.
  const named = statSync(entry, { throwIfNoEntry: false })?.isFile()
    ? textOf(entry)
        .replace(/^gitdir:/, '')
        .trim()
    : ''
  // The path of a file may be shortened by what it shares with the one before it.
  return textOf(join(named === '' ? entry : resolve(folder, named), 'index')).includes(basename(LOG))
}

const textOf = (path: string) => attempt(() => readConfinedText(dirname(path), basename(path), INDEX_BYTES_MAX)) ?? ''

/** Counts the records of this project that were delivered to the user's own store, where the memory itself is new. */
export async function countElsewhere(project: ProjectOptions): Promise<number> {
  if (sizeOf(join(forgeHome(), 'openbrain.db')) === 0 || !isNewMemory(project)) return 0
  const { projectName, formerNames } = memoryStatus(project)
  const store = EmbeddedStore.open()
  try {
    const found = await Promise.all([projectName, ...formerNames].map((name) => store.count(name)))
    return Math.max(0, found.reduce((sum, each) => sum + each, 0) - ownCount(project))
  } finally {
    store.close()
  }
}

function ownCount(project: ProjectOptions): number {
  const { memories, global, retired, expired, waiting, rejected } = memoryStatus(project).counts
  return memories - global + retired + expired + waiting + rejected
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0
}
