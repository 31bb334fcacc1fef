// The compiler takes half the time of a short command. Node keeps what it has compiled, where it can: in releases since 22.1.
import { lstatSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { forgeHome } from '../../shared/home.js'
import { isOurs, OTHERS_READ, OTHERS_WRITE } from '../../shared/ours.js'

interface Keeper {
  enableCompileCache?: (folder: string) => unknown
}

/**
 * Has Node keep the compiled code of this program in the user's own folder, if there is one. Node looks itself whether it is that of the text of
 * a file, of its own release and its flags, and of this user, and does without it otherwise; that nobody else has written it is looked at here.
 */
export function keepCompiledCode(): void {
  const { enableCompileCache } = process.getBuiltinModule('node:module') as Keeper
  const home = forgeHome()
  if (enableCompileCache === undefined || !isOwn(home, OTHERS_WRITE)) return
  const folder = join(home, 'code-cache')
  if (lstatSync(folder, { throwIfNoEntry: false }) === undefined && !isMade(folder)) return
  if (isOwn(folder, OTHERS_READ)) enableCompileCache(folder)
}

/** True for a folder of this user that gives others none of these rights. */
function isOwn(folder: string, others: number): boolean {
  const found = lstatSync(folder, { throwIfNoEntry: false })
  return found?.isDirectory() === true && isOurs(found, others)
}

function isMade(folder: string): boolean {
  try {
    mkdirSync(folder, { mode: 0o700 })
    return true
  } catch {
    // It cannot be written, or another process was faster: the next command finds it.
    return false
  }
}
