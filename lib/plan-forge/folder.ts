// Reads files that Plan Forge stores in a project. A clone may contain such files, so a link that leads out of the
// project is not followed, and only regular files are opened.
import { type Dirent, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { readConfinedText, resolveConfined } from '../shared/confined.js'
import { isObject, parsedJson } from '../shared/json.js'
import { attempt } from '../shared/problem.js'

/** Larger files are not read. */
const BYTES_MAX = 64 * 1024 * 1024

/** Returns the text of a file below the project; undefined when it does not exist or may not be opened. */
export function readText(cwd: string, ...path: string[]): string | undefined {
  return attempt(() => readConfinedText(cwd, join(...path), BYTES_MAX))
}

/** Returns the parsed JSON of a file; undefined when it does not exist or is not valid JSON. */
export function readJson(cwd: string, ...path: string[]): unknown {
  return parsedJson(readText(cwd, ...path) ?? '')
}

/** Returns the JSON objects of a JSON Lines file, skipping all other lines. */
export function readRecords(cwd: string, ...path: string[]): Record<string, unknown>[] {
  const lines = (readText(cwd, ...path) ?? '').split('\n')
  return lines.map(parsedJson).filter(isObject)
}

/** Returns the records of a queue file that Plan Forge wrote. Records of this machine carry a mark. */
export function planForgeRecords(cwd: string, file: string): Record<string, unknown>[] {
  return readRecords(cwd, '.forge', file).filter(({ _mark }) => _mark === undefined)
}

/** Returns the entries of a folder below the project, sorted by name; empty when the folder does not exist. */
export function entriesOf(cwd: string, ...path: string[]): Dirent[] {
  try {
    const found = readdirSync(resolveConfined(cwd, join(...path)), { withFileTypes: true })
    return found.sort((a, b) => (a.name < b.name ? -1 : 1))
  } catch {
    return []
  }
}

/** Returns the modification time of a file below the project, in milliseconds; 0 when it does not exist. */
export function changedAt(cwd: string, ...path: string[]): number {
  return attempt(() => statSync(resolveConfined(cwd, join(...path))).mtimeMs) ?? 0
}
