import { randomBytes } from 'node:crypto'
import {
  lstatSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'

/** What becomes of one file. */
export interface Change {
  /** Within the project, with forward slashes. */
  path: string
  before: string | undefined
  /** Absent when the file goes. */
  after: string | undefined
}

/** Reads a file of the project; a missing one is absent. */
export function readText(project: string, path: string): string | undefined {
  try {
    return readFileSync(join(project, path), 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw Object.assign(new Error(`${path} cannot be read: ${(error as Error).message}`), { code: 'IO' })
  }
}

/** Writes every change, each whole or not at all. A file that was changed since it was read is not overwritten. */
export function writeChanges(project: string, changes: Change[]): void {
  for (const { path, before } of changes) {
    if (readText(project, path) !== before) {
      throw Object.assign(new Error(`${path} was changed meanwhile; nothing was written`), { code: 'LOCKED' })
    }
    refuseOutside(project, path)
  }
  for (const { path, after } of changes) {
    if (after === undefined) removeFile(project, path)
    else replaceFile(join(project, path), after)
  }
}

/** A link that leads out of the project is somebody's own arrangement: it is not written through. */
function refuseOutside(project: string, path: string): void {
  let folder = dirname(join(project, path))
  while (lstatSync(folder, { throwIfNoEntry: false }) === undefined) folder = dirname(folder)
  const inside = relative(realpathSync(project), realpathSync(folder))
  if (inside === '..' || inside.startsWith(`..${sep}`)) {
    throw Object.assign(new Error(`${path} lies outside of the project`), { code: 'INVALID_INPUT' })
  }
}

function replaceFile(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true })
  const known = statSync(path, { throwIfNoEntry: false })
  // A link to a file stays a link: its target is replaced.
  const target = known === undefined ? path : realpathSync(path)
  const temporary = `${target}.${randomBytes(6).toString('hex')}.tmp`
  try {
    writeFileSync(temporary, text, { flush: true, ...(known === undefined ? {} : { mode: known.mode & 0o777 }) })
    renameSync(temporary, target)
  } catch (error) {
    rmSync(temporary, { force: true })
    throw Object.assign(new Error(`${path} cannot be written: ${(error as Error).message}`), { code: 'IO' })
  }
}

/** Removes a file, and the folders above it that are empty then. */
function removeFile(project: string, path: string): void {
  rmSync(join(project, path), { force: true })
  for (let folder = dirname(path); folder !== '.'; folder = dirname(folder)) {
    try {
      rmdirSync(join(project, folder))
    } catch {
      return
    }
  }
}
