import { randomBytes } from 'node:crypto'
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { forgeHome } from './home.js'
import { refuseLinks } from './regular-file.js'

/** Writes a file below the user's own folder that only its owner reads, in one step; its folder is made where it is missing. */
export function writePrivateFile(path: string, text: string): void {
  refuseLinks(forgeHome(), path)
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  const temporary = `${path}.${randomBytes(6).toString('hex')}.tmp`
  try {
    writeFileSync(temporary, text, { mode: 0o600, flag: 'wx' })
    renameSync(temporary, path)
  } catch (error) {
    rmSync(temporary, { force: true })
    throw error
  }
}
