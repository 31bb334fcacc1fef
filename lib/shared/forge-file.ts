import { readConfinedText } from './confined.js'
import { problem } from './problem.js'

/**
 * Parses a project's `.forge.json`. Throws `ENOENT` when there is none, a `SyntaxError` when it is not JSON, and
 * `UNSAFE_PATH` when it is not a regular file of the project.
 */
export function parseForgeFile(projectDir: string): unknown {
  const text = readConfinedText(projectDir, '.forge.json')
  if (text === undefined) throw problem('ENOENT', 'there is no .forge.json')
  return JSON.parse(text)
}
