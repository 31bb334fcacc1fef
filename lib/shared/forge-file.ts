import { memoryDir } from '../native.js'
import { readConfinedText } from './confined.js'
import { problem } from './problem.js'

const FILE = '.forge.json'

/**
 * Parses a project's `.forge.json`; where the memory is that of the main checkout, its settings are those that a work tree lacks. Throws `ENOENT` when there is none, a `SyntaxError` when it is not JSON, and
 * `UNSAFE_PATH` when it is not a regular file of the project.
 */
export function parseForgeFile(projectDir: string): unknown {
  const text = readConfinedText(projectDir, FILE) ?? readConfinedText(memoryDir({ projectDir }), FILE)
  if (text === undefined) throw problem('ENOENT', 'there is no .forge.json')
  return JSON.parse(text)
}
