// Files of the older tool below a project. They may come with a clone: no link is followed out of it, and nothing but regular
// files is opened.
import { type Dirent, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { readConfinedText, resolveConfined } from '../shared/confined.js'

/** What is larger is not read whole. */
const BYTES_MAX = 64 * 1024 * 1024

/** Returns the text of a file below the project; nothing when there is none or it may not be opened. */
export function readText(cwd: string, ...path: string[]): string | undefined {
  try {
    return readConfinedText(cwd, join(...path), BYTES_MAX)
  } catch {
    return undefined
  }
}

/** Returns the JSON document of a file; nothing when there is none. */
export function readJson(cwd: string, ...path: string[]): unknown {
  return parseJson(readText(cwd, ...path) ?? '')
}

/** Returns the objects among the lines of a JSON Lines file; every other line is passed over. */
export function readRecords(cwd: string, ...path: string[]): Record<string, unknown>[] {
  const lines = (readText(cwd, ...path) ?? '').split('\n')
  return lines.map(parseJson).filter(isRecord)
}

/** Returns what is in a folder below the project, by name; nothing when it is none. */
export function entriesOf(cwd: string, ...path: string[]): Dirent[] {
  try {
    const found = readdirSync(resolveConfined(cwd, join(...path)), { withFileTypes: true })
    return found.sort((a, b) => (a.name < b.name ? -1 : 1))
  } catch {
    return []
  }
}

/** Returns when a file below the project was changed, in milliseconds; 0 when there is none. */
export function changedAt(cwd: string, ...path: string[]): number {
  try {
    return statSync(resolveConfined(cwd, join(...path))).mtimeMs
  } catch {
    return 0
  }
}

export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
