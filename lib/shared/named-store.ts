// Whether anything may name a store: most projects have none, and what reads the settings of one takes as long to load as a search.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { findProject, type ProjectOptions, projectSettings } from '../native.js'
import { readConfinedText } from './confined.js'
import { OWN_STORE_FILE } from './declared-settings.js'
import { variable } from './environment.js'
import { forgeHome } from './home.js'
import { attempt } from './problem.js'

/** Configuration files of agents, which may name a server that is a store. */
export const SERVER_FILES = ['.mcp.json', '.vscode/mcp.json', '.claude/mcp.json']
/** The maximum size of one; a larger one is ignored. */
export const SERVER_FILE_BYTES_MAX = 1024 * 1024
/** The name of such a server, also as JSON may spell it. */
const SERVER = /open-?brain|\\u/i

/** False only if neither the user, nor the environment, nor a file of the project names a store. */
export function mayNameStore(options: ProjectOptions): boolean {
  if (variable('FORGE_OPENBRAIN_URL') || existsSync(join(forgeHome(), OWN_STORE_FILE))) return true
  const projectDir = findProject(options)
  return (
    projectSettings({ projectDir }).given.openbrain !== undefined ||
    SERVER_FILES.some((file) => mayHaveServer(projectDir, file))
  )
}

function mayHaveServer(projectDir: string, file: string): boolean {
  // What reads it for its server ignores it as well.
  return attempt(() => SERVER.test(readConfinedText(projectDir, file, SERVER_FILE_BYTES_MAX) ?? '')) ?? false
}
