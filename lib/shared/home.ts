import { join, resolve } from 'node:path'
import { variable } from './environment.js'

/** The home folder of the user, in which other programs keep their settings as well. */
export function userFolder(): string {
  // Loaded when it is needed: a start that asks for no folder does without.
  return process.getBuiltinModule('node:os').homedir()
}

/**
 * The user's folder, as an absolute path: `FORGE_HOME`, else `.forge` in the home folder. The engine has the same rule.
 */
export function forgeHome(): string {
  const given = variable('FORGE_HOME')
  return given === undefined || given === '' ? join(userFolder(), '.forge') : resolve(given)
}

/** The copy of the native program of hooks that hosts start. */
export function hookCopy(): string {
  return join(forgeHome(), 'bin', process.platform === 'win32' ? 'forge-memory-hook.exe' : 'forge-memory-hook')
}
