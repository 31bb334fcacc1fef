import { join } from 'node:path'
import { sha256 } from './digest.js'
import { forgeHome } from './home.js'

/** The file that says up to when the records of a project were sent to servers. */
export function sentFile(projectDir: string): string {
  return join(forgeHome(), 'sent-until', `${sha256(projectDir)}.json`)
}

/** Makes all records that a project has now count as sent: they are to be delivered again, or were written by another machine. */
export function forgetSent(projectDir: string): void {
  process.getBuiltinModule('node:fs').rmSync(sentFile(projectDir), { force: true })
}
