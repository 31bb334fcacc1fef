import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Returns what a project's `.forge.json` says, whatever that is. Throws when there is none, or it is no JSON. */
export function parseForgeFile(projectDir: string): unknown {
  return JSON.parse(readFileSync(join(projectDir, '.forge.json'), 'utf8').replace(/^\ufeff/, ''))
}
