import { homedir } from 'node:os'
import { join, resolve } from 'node:path'

/** The user's own folder, absolute: `FORGE_HOME`, else `.forge` in the home folder. The engine goes by the same rule. */
export function forgeHome(): string {
  const given = process.env.FORGE_HOME
  return given === undefined || given === '' ? join(homedir(), '.forge') : resolve(given)
}
