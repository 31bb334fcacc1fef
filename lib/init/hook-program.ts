// The native program of hooks. Hosts start a copy in the user's own folder: its path survives another version of Node or of this package, and
// stays the one that a host was told to trust.
import { chmodSync, copyFileSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { hookProgram } from '../native.js'
import { variable } from '../shared/environment.js'
import { forgeHome, hookCopy } from '../shared/home.js'
import { makeFolder } from '../shared/make-folder.js'
import { OTHERS_WRITE, readPrivateFile, writePrivateFile } from '../shared/private-file.js'
import { refuseLinks } from '../shared/regular-file.js'
import { RUNNING } from './own-copy.js'

/** Returns the program of this installation; undefined where it has none, and where the user wants Node instead: `FORGE_MEMORY_HOOK=node`. */
export function ownHookProgram(): string | undefined {
  return variable('FORGE_MEMORY_HOOK') === 'node' ? undefined : (hookProgram() ?? undefined)
}

/** Makes the copy, unless it is there as it should be. It is written beside and renamed: a host may be running it. */
export function keepHookCopy(): void {
  const program = ownHookProgram()
  if (program === undefined) return
  keepLauncher()
  if (isSame(program, hookCopy())) return
  const path = hookCopy()
  refuseLinks(forgeHome(), path)
  makeFolder(dirname(path), 0o700)
  const made = `${path}.${process.pid}.tmp`
  try {
    copyFileSync(program, made)
    chmodSync(made, 0o755)
    place(made, path)
  } finally {
    rmSync(made, { force: true })
  }
}

/** Notes how the program starts this package, for the work that it cannot do alone: to learn from a session it needs a database. */
function keepLauncher(): void {
  const path = join(dirname(hookCopy()), 'launcher.json')
  const words = JSON.stringify([process.execPath, RUNNING, 'hook'])
  if (readPrivateFile(path, OTHERS_WRITE) !== words) writePrivateFile(path, words)
}

/** The same for a process with other work: a copy that cannot be made now is made by a later one. */
export function tryToKeepHookCopy(): void {
  try {
    keepHookCopy()
  } catch {
    // Hosts go on with the copy that is there; `doctor --agents` says what is wrong with it.
  }
}

/** Windows does not replace a program that runs, but renames it. */
function place(made: string, path: string): void {
  try {
    renameSync(made, path)
  } catch (error) {
    if (process.platform !== 'win32') throw error
    rmSync(`${path}.old`, { force: true })
    renameSync(path, `${path}.old`)
    renameSync(made, path)
  }
}

export function isSame(program: string, copy: string): boolean {
  const [own, other] = [program, copy].map((path) => statSync(path, { throwIfNoEntry: false }))
  return other?.isFile() === true && own?.size === other.size && readFileSync(program).equals(readFileSync(copy))
}
