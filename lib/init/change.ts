import { lstatSync, readdirSync, rmdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { readConfined, removeConfined, resolveConfined, writeConfined } from '../shared/confined.js'
import { refusal } from './refusal.js'

/** What becomes of one file. */
export interface Change {
  /** Within the project, with forward slashes. */
  path: string
  before: string | undefined
  /** Absent when the file goes. */
  after: string | undefined
}

/** Settings are small; what is larger is not a file that an agent reads its settings from. */
const BYTES_MAX = 4 * 1024 * 1024
/** A text that every entry ever written by this package contains. */
const TRACE = /forge-memory|dist[\\/]+cli[\\/]+main\.js/

/** Reads a file of the project as text, with its byte order mark; a missing one is absent. Throws for what is no UTF-8. */
export function readText(project: string, path: string): string | undefined {
  const bytes = readConfined(project, path, BYTES_MAX)
  return bytes === undefined ? undefined : decode(path, bytes)
}

/** Reads a file that may contain a part of ours; other files are not opened. */
export function readOurs(project: string, path: string): string | undefined {
  const bytes = readConfined(project, path, BYTES_MAX)
  // Without the zero bytes of UTF-16 its letters are those of ASCII.
  if (bytes === undefined || !TRACE.test(bytes.toString('latin1').replaceAll('\0', ''))) return undefined
  return decode(path, bytes)
}

/** Bytes that are no UTF-8 would be lost on the way through a string. */
function decode(path: string, bytes: Buffer): string {
  const hint = 'save the file as UTF-8, then run the command again; nothing was written'
  // Text in UTF-16 without a byte order mark is valid UTF-8 with a zero byte beside each letter.
  if (bytes.includes(0)) throw refusal(path, 'contains zero bytes (is it UTF-16?), so it cannot be edited', hint)
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    throw refusal(path, 'is not UTF-8 text, so it cannot be edited without loss', hint)
  }
}

/** Returns where a file really is: two paths of a project may be one file. Throws `UnsafePath`. */
export function placeOf(project: string, path: string): string {
  return resolveConfined(project, path)
}

/** Throws unless every file is still as it was when the plan was made, and may be written. */
export function checkUnchanged(project: string, changes: Change[]): void {
  for (const { path, before } of changes) {
    if (readText(project, path) === before) continue
    throw refusal(path, 'was changed in the meantime; nothing was written', 'run the command again', 'LOCKED')
  }
}

/** Writes every change, each whole or not at all. Empty folders go with the last file in them, but for those in `keep`. */
export function writeChanges(project: string, changes: Change[], keep: string[] = []): void {
  for (const { path, after } of changes) {
    if (after !== undefined) writeConfined(project, path, after)
    // Who made the link wants the file.
    else if (isLink(project, path)) writeConfined(project, path, '')
    else removeFile(project, path, keep)
  }
}

function isLink(project: string, path: string): boolean {
  return lstatSync(join(project, path), { throwIfNoEntry: false })?.isSymbolicLink() === true
}

function removeFile(project: string, path: string, keep: string[]): void {
  removeConfined(project, path)
  for (const folder of foldersAbove(path)) {
    if (keep.includes(folder)) return
    try {
      rmdirSync(join(project, folder))
    } catch {
      return
    }
  }
}

/** Returns which folders above a file are there and have nothing in them. */
export function emptyFoldersAbove(project: string, path: string): string[] {
  return foldersAbove(path).filter((folder) => {
    try {
      return readdirSync(resolveConfined(project, folder)).length === 0
    } catch {
      return false
    }
  })
}

function foldersAbove(path: string): string[] {
  const folders: string[] = []
  for (let folder = dirname(path); folder !== '.'; folder = dirname(folder)) folders.push(folder)
  return folders
}
