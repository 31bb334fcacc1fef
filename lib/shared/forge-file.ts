import { readConfinedText } from './confined.js'

/**
 * Returns what a project's `.forge.json` says, whatever that is. Throws when there is none, when it is not JSON, and `UNSAFE_PATH` when
 * it is not a regular file of the project.
 */
export function parseForgeFile(projectDir: string): unknown {
  return JSON.parse(readConfinedText(projectDir, '.forge.json') ?? '')
}
