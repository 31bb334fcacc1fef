import { chmodSync, lstatSync, readdirSync, rmdirSync, rmSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { readConfined, removeConfined, resolveConfined, writeConfined } from '../shared/confined.js'
import { forgeHome, userFolder } from '../shared/home.js'
import { makeFolder } from '../shared/make-folder.js'
import { attempt } from '../shared/problem.js'
import { refusal } from './format/refusal.js'

export interface Change {
  /** The path relative to the project, with forward slashes; absolute for a file of the user. */
  path: string
  before: string | undefined
  after: string | undefined
  /** The purpose of the change, in words for people. */
  why: string
  isExecutable?: boolean
}

/** Configuration files are small; a larger file is not one. */
const BYTES_MAX = 4 * 1024 * 1024
/** Matches every entry that any version of this package has written. */
const TRACE = /forge-memory|dist[\\/]+cli[\\/]+main\.js/

/**
 * Reads a file of the project as text, with its byte order mark; undefined when it does not exist. Throws when it is not
 * UTF-8.
 */
export function readText(project: string, path: string): string | undefined {
  const bytes = readConfined(project, path, BYTES_MAX)
  return bytes === undefined ? undefined : decode(path, bytes)
}

/** Reads a file that may contain an entry of ours; undefined for all other files, which are not decoded. */
export function readOurs(project: string, path: string): string | undefined {
  const bytes = readConfined(project, path, BYTES_MAX)
  // Without its zero bytes, UTF-16 text in ASCII letters reads as ASCII.
  if (bytes === undefined || !TRACE.test(bytes.toString('latin1').replaceAll('\0', ''))) return undefined
  return decode(path, bytes)
}

/** Decodes strictly: invalid UTF-8 would be lost in a string. */
function decode(path: string, bytes: Buffer): string {
  const hint = 'save the file as UTF-8, then run the command again; nothing was written'
  // UTF-16 without a byte order mark is valid UTF-8 with a zero byte beside each ASCII letter.
  if (bytes.includes(0)) throw refusal(path, 'contains zero bytes (is it UTF-16?), so it cannot be edited', hint)
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    throw refusal(path, 'is not UTF-8 text, so it cannot be edited without loss', hint)
  }
}

/** Returns the real path of a file: two paths of a project may be the same file. Throws `UnsafePath`. */
export function placeOf(project: string, path: string): string {
  return resolveConfined(project, path)
}

/** Throws unless every file is unchanged since the plan was made, and writable. */
export function checkUnchanged(project: string, changes: Change[]): void {
  for (const { path, before } of changes) {
    if (readText(project, path) !== before)
      throw refusal(path, 'was changed in the meantime; nothing was written', 'run the command again', 'LOCKED')
    if (before === undefined || isWritable(resolveConfined(project, path))) continue
    throw refusal(path, 'is read-only; nothing was written', 'make it writable, then run the command again', 'IO')
  }
}

/** Returns true if a file is writable. A writable folder would allow replacing a read-only file, but that is not wanted. */
function isWritable(path: string): boolean {
  return ((statSync(path, { throwIfNoEntry: false })?.mode ?? 0o200) & 0o222) !== 0
}

/**
 * Writes all changes, each file atomically. Folders that become empty are removed with the last file in them, except those
 * in `keep`.
 */
export function writeChanges(project: string, changes: Change[], keep: string[] = []): void {
  const staging = openStaging()
  for (const { path, after, isExecutable } of changes) {
    const mode = isExecutable ? 0o777 : 0o666
    if (after !== undefined) writeConfined(project, path, after, { mode, staging })
    // A link was made by the user, so its target is emptied and the link stays.
    else if (isLink(project, path)) writeConfined(project, path, '', { staging })
    else removeFile(project, path, keep)
    if (after !== undefined && isExecutable) chmodSync(resolveConfined(project, path), 0o755)
  }
  closeStaging(staging)
}

/** Longer than any `init` takes. */
const STALE_MS = 10 * 60_000

/** Opens the folder of temporary files, below the user's own folder: whenever this process is killed, none is left in a project. */
function openStaging(): string {
  const folder = join(forgeHome(), 'init', 'staged')
  try {
    makeFolder(folder, 0o700)
    for (const name of readdirSync(folder)) {
      const path = join(folder, name)
      if (Date.now() - lstatSync(path).mtimeMs > STALE_MS) rmSync(path, { force: true })
    }
  } catch {
    // It cannot be made, or another `init` removes the same files: they are then made beside their targets.
  }
  return folder
}

function closeStaging(folder: string): void {
  for (const each of [folder, dirname(folder)]) {
    try {
      rmdirSync(each)
    } catch {
      // It is used, or was not made.
    }
  }
}

function isLink(project: string, path: string): boolean {
  return lstatSync(resolve(project, path), { throwIfNoEntry: false })?.isSymbolicLink() === true
}

function removeFile(project: string, path: string, keep: string[]): void {
  removeConfined(project, path)
  for (const folder of foldersAbove(path)) {
    if (keep.includes(folder)) return
    try {
      rmdirSync(resolve(project, folder))
    } catch {
      return
    }
  }
}

/** Returns the existing empty folders above a file. */
export function emptyFoldersAbove(project: string, path: string): string[] {
  return foldersAbove(path).filter((folder) => {
    return attempt(() => readdirSync(resolveConfined(project, folder)).length === 0) ?? false
  })
}

function foldersAbove(path: string): string[] {
  const folders: string[] = []
  const isEnd = (folder: string) => folder === '.' || folder === userFolder() || folder === dirname(folder)
  for (let folder = dirname(path); !isEnd(folder); folder = dirname(folder)) folders.push(folder)
  return folders
}
