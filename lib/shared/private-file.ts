import { closeSync, fstatSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { forgeHome } from './home.js'
import { makeFolder } from './make-folder.js'
import { isOurs } from './ours.js'
import { openRegular, refuseLinks } from './regular-file.js'

export { OTHERS_READ, OTHERS_WRITE } from './ours.js'

export interface WriteSettings {
  /** True if the text is on the disk when this returns. */
  flush?: boolean
}

/** Atomically writes a file that only its owner can read, below the user's own folder. Creates missing folders. */
export function writePrivateFile(path: string, text: string, { flush = false }: WriteSettings = {}): void {
  refuseLinks(forgeHome(), path)
  makeFolder(dirname(path), 0o700)
  const { randomBytes } = process.getBuiltinModule('node:crypto')
  const temporary = `${path}.${randomBytes(6).toString('hex')}.tmp`
  try {
    writeFileSync(temporary, text, { mode: 0o600, flag: 'wx', flush })
    renameSync(temporary, path)
  } catch (error) {
    rmSync(temporary, { force: true })
    throw error
  }
}

/**
 * Reads a file below the user's own folder. Returns undefined when there is none, or when it belongs to somebody else or gives others one
 * of these rights. Throws `UnsafePath` for anything but a regular file.
 */
export function readPrivateFile(path: string, others: number): string | undefined {
  refuseLinks(forgeHome(), path)
  const file = openRegular(path)
  if (file === undefined) return undefined
  try {
    return isOurs(fstatSync(file), others) ? readFileSync(file, 'utf8') : undefined
  } finally {
    closeSync(file)
  }
}

/** Reads a map from a JSON object that `writePrivateMap` wrote; empty when there is none, or when it cannot be read. */
export function readPrivateMap<Value>(path: string): Map<string, Value> {
  try {
    const file = openRegular(path)
    if (file === undefined) return new Map()
    try {
      return new Map(Object.entries(JSON.parse(readFileSync(file, 'utf8')) as Record<string, Value>))
    } finally {
      closeSync(file)
    }
  } catch {
    return new Map()
  }
}

export function writePrivateMap(path: string, map: ReadonlyMap<string, unknown>, settings?: WriteSettings): void {
  writePrivateFile(path, `${JSON.stringify(Object.fromEntries(map))}\n`, settings)
}

/** The same for a note that may be missing; returns false when it cannot be written. */
export function tryToWriteMap(...args: Parameters<typeof writePrivateMap>): boolean {
  try {
    writePrivateMap(...args)
    return true
  } catch {
    return false
  }
}
