import { statSync } from 'node:fs'
import { join } from 'node:path'
import { EmbeddedStore, memoryDir, memoryStatus, type ProjectOptions } from '../native.js'
import { forgeHome } from './home.js'

const LOG = join('.forge', 'memory-captures.jsonl')
/** A log that is shorter has at most a few records. */
const NEW_BYTES = 4096

/** What is said about records that only the user's own store has, and what brings them back. */
export const ELSEWHERE = {
  message: (count: number) =>
    `${count} ${count === 1 ? 'record' : 'records'} of this project are in ~/.forge/openbrain.db and not here, as after git clean -fdx`,
  hint: 'forge-memory import ~/.forge/openbrain.db brings them back',
}

/**
 * Counts the records of this project that were delivered to the user's own store, where the memory itself is new: `git clean -fdx` takes the
 * queue and its archive as well.
 */
export async function countElsewhere(project: ProjectOptions): Promise<number> {
  if (sizeOf(join(memoryDir(project), LOG)) > NEW_BYTES || sizeOf(join(forgeHome(), 'openbrain.db')) === 0) return 0
  const { projectName, formerNames, counts } = memoryStatus(project)
  const own = counts.memories + counts.retired + counts.expired + counts.waiting + counts.rejected
  if (own > 1) return 0
  const store = EmbeddedStore.open()
  try {
    const found = await Promise.all([projectName, ...formerNames].map((name) => store.count(name)))
    return Math.max(0, found.reduce((sum, each) => sum + each, 0) - own)
  } finally {
    store.close()
  }
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0
}
