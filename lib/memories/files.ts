// Reads the memory files of agents: only regular files below their folder, of bounded size and number.
import { lstatSync, readdirSync } from 'node:fs'
import { basename, dirname, extname, isAbsolute, join } from 'node:path'
import { expand } from '../init/places.js'
import { readConfined, resolveConfined } from '../shared/confined.js'
import { hasCode, messageOf } from '../shared/problem.js'

/** The maximum size of a file; instructions written by hand are far smaller. */
const BYTES_MAX = 512 * 1024
const FILES_MAX = 200
const DEPTH_MAX = 4
const TEXTS = ['.md', '.mdc', '.txt', '']

export interface MemoryFile {
  path: string
  text: string
}

/** A file that was skipped. */
export interface Skipped {
  path: string
  reason: string
}

/** Returns the texts of the files that a path of a source matches; skipped files are listed in `skipped`. */
export function readFiles(project: string, source: string, skipped: Skipped[]): MemoryFile[] {
  const slug = project.replace(/[^A-Za-z0-9]/g, '-')
  const full = expand(source).replace('{slug}', slug)
  const isFolder = basename(full) === '**'
  const isOfProject = !isAbsolute(full)
  const path = isFolder ? dirname(full) : full
  // Links must not lead out of the project, or out of the folder of the agent.
  const root = isOfProject ? project : isFolder ? path : dirname(path)
  const paths = isFolder ? textsBelow(root, isOfProject ? path : '.', skipped) : [isOfProject ? path : basename(path)]
  return paths.flatMap((each) => {
    const shown = isOfProject ? each : join(root, each)
    try {
      const isThere = lstatSync(join(root, each), { throwIfNoEntry: false })
      if (isThere === undefined || isThere.isDirectory()) return []
      const bytes = readConfined(root, each, BYTES_MAX)
      if (bytes === undefined) return []
      return [{ path: shown, text: new TextDecoder('utf-8', { fatal: true }).decode(bytes) }]
    } catch (error) {
      skipped.push({ path: shown, reason: messageOf(error) })
      return []
    }
  })
}

function textsBelow(root: string, folder: string, skipped: Skipped[], depth = 0): string[] {
  try {
    const entries = readdirSync(resolveConfined(root, folder), { withFileTypes: true })
    const sorted = entries.sort((a, b) => (a.name < b.name ? -1 : 1))
    const paths = sorted.flatMap((entry) => {
      const path = folder === '.' ? entry.name : `${folder}/${entry.name}`
      if (entry.isDirectory()) return depth < DEPTH_MAX ? textsBelow(root, path, skipped, depth + 1) : []
      return TEXTS.includes(extname(entry.name)) && !entry.name.startsWith('.') ? [path] : []
    })
    if (paths.length > FILES_MAX) skipped.push({ path: folder, reason: `has more than ${FILES_MAX} files` })
    return paths.slice(0, FILES_MAX)
  } catch (error) {
    if (!hasCode(error, 'ENOENT', 'ENOTDIR')) skipped.push({ path: folder, reason: messageOf(error) })
    return []
  }
}
