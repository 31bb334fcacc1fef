import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { useHome } from './home.mjs'

const segments = readFileSync(new URL('../../crates/core/src/index/segment.rs', import.meta.url), 'utf8')
/** The folder with the index of the raw log, below `.forge`. */
export const CAPTURE_INDEX = `index/memory-captures.${/const FORMAT: u32 = (\d+);/.exec(segments)[1]}`

export const isWindows = process.platform === 'win32'

const folders = new Set()

/**
 * Removes a folder when this process ends. Not with the test: its other clean-up runs later, and what a server that still runs
 * writes there would keep the folder from going.
 */
function removeAtEnd(folder) {
  if (folders.size === 0) process.once('exit', removeAll)
  folders.add(folder)
}

function removeAll() {
  for (const folder of folders) remove(folder)
}

function remove(folder) {
  try {
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
  } catch {
    // Windows keeps the files that the addon in this process has open; it is a temporary folder.
    return
  }
}

/** Makes an empty folder that goes away with the process of the test. */
function temporaryFolder() {
  const folder = realpathSync.native(mkdtempSync(join(tmpdir(), 'forge-memory-test-')))
  removeAtEnd(folder)
  return folder
}

/** The paths of a project's memory. */
function memoryIn(folder, project) {
  const home = join(folder, 'home')
  const forge = (...path) => join(project, '.forge', ...path)
  return {
    folder,
    project,
    home,
    options: { projectDir: project },
    forge,
    raw: forge('memory-captures.jsonl'),
    patterns: forge('memory', 'project.jsonl'),
    globalPatterns: join(home, 'memory', 'global.jsonl'),
  }
}

/** Makes an empty project, and a home of its own that the addon uses until the test ends. */
export function freshMemory(t) {
  const folder = temporaryFolder()
  const memory = memoryIn(folder, join(folder, 'project'))
  mkdirSync(memory.project)
  useHome(t, memory.home)
  return memory
}

let copies = 0

/** Copies a project; this process knows nothing of the copy. */
export function copied(memory) {
  const copy = memoryIn(memory.folder, join(memory.folder, `copy-${copies++}`))
  copyProject(memory.project, copy.project)
  return copy
}

/** Copies a folder in which a thread may still be writing an index: what is about to be renamed is left out. */
export function copyProject(from, to) {
  cpSync(from, to, { recursive: true, filter: (source) => !source.endsWith('.tmp') })
}

let opened = 0

/** Opens a project once more, under a name for which this process remembers nothing. */
export function reopened(memory) {
  const projectDir = join(memory.folder, `again-${opened++}`)
  symlinkSync(memory.project, projectDir, 'junction')
  return { projectDir }
}

/**
 * A word for a number: no two share a stem, a part or a piece, and none is a mistyped other one (two differ in three letters at least),
 * so that recall of one finds one.
 */
export function wordOf(number) {
  return `x${[...String(number)].map((digit) => 'bcdfghjklm'[digit].repeat(3)).join('')}q`
}

/** A sentence that has no word in common with the one of any other number. */
export function sentenceOf(number) {
  return ['a', 'b', 'c', 'd', 'f', 'g'].map((letter) => `${wordOf(number)}${letter}w`).join(' ')
}

/** Splits a file into its lines, as bytes would be split: no line is left out, and the end of the last one must be there. */
export function physicalLines(path) {
  const text = readFileSync(path, 'utf8')
  if (text === '') return []
  if (!text.endsWith('\n')) throw new Error(`${path} ends with a torn line`)
  return text.slice(0, -1).split('\n')
}

/** Lists everything in or under a folder with its kind, bytes and time of change; two equal ones are the same tree. */
export function treeOf(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .map((entry) => {
      const path = join(entry.parentPath ?? entry.path, entry.name)
      const { mtimeMs, size } = statSync(path)
      const bytes = entry.isFile() ? readFileSync(path, 'base64') : ''
      return [path.slice(folder.length + 1), entry.isFile() ? 'file' : 'folder', mtimeMs, size, bytes].join(' ')
    })
    .sort()
}

/** The error that some work throws or rejects with; nothing when it succeeds. */
export async function rejection(work) {
  try {
    await work()
  } catch (error) {
    return error
  }
  return undefined
}
