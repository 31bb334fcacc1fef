import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Returns the text of a skill of this package. */
export function skillText(name: string): string {
  return readFileSync(join(__dirname, '..', '..', 'skills', name, 'SKILL.md'), 'utf8')
}
