import { closeSync, fstatSync, readSync } from 'node:fs'
import { join } from 'node:path'
import { hasLost, memoryDir, type ProjectOptions } from '../native.js'
import { countElsewhere, ELSEWHERE } from '../shared/elsewhere.js'
import { openRegular } from '../shared/regular-file.js'

/**
 * Says that git could not merge the memory, or that records are gone that were stored here; an empty list when neither is so. The command itself
 * reports unreadable files.
 */
export async function lostWarnings(project: ProjectOptions): Promise<string[]> {
  try {
    const conflicts = conflictWarnings(project)
    if (conflicts.length > 0) return conflicts
    if (hasLost(project)) {
      return [
        'records that were stored here are not in .forge any more, as after git stash, checkout or clean: forge-memory doctor says how many, and doctor --fix brings them back',
      ]
    }
    const count = await countElsewhere(project)
    return count === 0 ? [] : [`${ELSEWHERE.message(count)}: ${ELSEWHERE.hint}`]
  } catch {
    return []
  }
}

/** The files with records of their own. */
const FILES = ['memory-captures.jsonl', 'memory/project.jsonl']
/** Both sides append to a file, so that a conflict is at its end. */
const TAIL_BYTES = 64 * 1024
const END = /^>>>>>>> /m

/** Says that git could not merge a file of the memory, and the command that does; an empty list when no file has conflict markers. */
function conflictWarnings(project: ProjectOptions): string[] {
  const forge = join(memoryDir(project), '.forge')
  const found = FILES.filter((file) => END.test(tailOf(join(forge, file))))
  return found.map(
    (file) =>
      `git left conflict markers in .forge/${file}: forge-memory doctor --fix keeps the records of both sides, then git add .forge`,
  )
}

function tailOf(path: string): string {
  const file = openRegular(path)
  if (file === undefined) return ''
  try {
    const { size } = fstatSync(file)
    const bytes = Buffer.alloc(Math.min(size, TAIL_BYTES))
    return bytes.toString('latin1', 0, readSync(file, bytes, 0, bytes.length, size - bytes.length))
  } finally {
    closeSync(file)
  }
}
