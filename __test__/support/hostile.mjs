// A hostile clone: in place of files that forge-memory reads or writes, there are links that lead out, FIFOs, devices, sockets, folders,
// and files of unexpected size or owner.
import { spawnSync } from 'node:child_process'
import {
  chownSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { dirname, join } from 'node:path'
import { CAPTURE_INDEX, isWindows } from './memory.mjs'

/** The content of files outside, which must never be shown. */
export const OUTSIDE_TEXT = 'outside-text-that-is-nobodys-business'
/** More than a line, or a document that is read whole, may have. */
const HUGE_BYTES = 20 * 1024 * 1024
const STRANGER = 65_534
const isRoot = process.getuid?.() === 0

/** Files below a project that are read or written by some command. */
export const FILES = [
  '.forge.json',
  '.forge/memory-captures.jsonl',
  '.forge/gotchas.jsonl',
  '.forge/lessons.jsonl',
  '.forge/decisions.jsonl',
  '.forge/patterns.jsonl',
  '.forge/conventions.jsonl',
  '.forge/liveguard-memories.jsonl',
  '.forge/memory/project.jsonl',
  '.forge/memory/global.jsonl',
  '.forge/openbrain-queue.jsonl',
  '.forge/openbrain-queue.archive.jsonl',
  '.forge/openbrain-dlq.jsonl',
  '.forge/openbrain-stats.jsonl',
  '.forge/openbrain-settled.jsonl',
  '.forge/hub-events.jsonl',
  '.forge/hub-events.1.jsonl',
  '.forge/telemetry/memory-captures.jsonl',
  '.forge/memory-search-cache.jsonl',
  '.forge/server-ports.json',
  '.forge/secrets.json',
  '.forge/.gitignore',
  `.forge/${CAPTURE_INDEX}/manifest.json`,
  '.forge/index/tallies.2.json',
  '.forge/locks/memory-captures.lock',
  '.forge/locks/memory-project.lock',
  '.forge/lattice/meta.json',
  '.forge/lattice/graph.bin',
  '.aiwg/ralph/memory.json',
  '.aiwg/ralph-external/memory.json',
  '.aiwg/ralph-external/loops/one.json',
  '.mcp.json',
  '.vscode/mcp.json',
  '.claude/settings.json',
  '.claude/mcp.json',
  '.cursor/mcp.json',
  '.cursor/hooks.json',
  '.github/hooks/forge-memory.json',
  '.github/copilot-instructions.md',
  '.github/copilot-memory-hints.md',
  '.gitattributes',
  '.gitignore',
  'CLAUDE.md',
  'src/shop.ts',
]

/** Folders that could be links as a whole. */
export const FOLDERS = [
  '.forge',
  '.forge/memory',
  '.forge/locks',
  '.forge/index',
  '.forge/telemetry',
  '.aiwg',
  '.claude',
  '.github',
  '.vscode',
]

/** One place after the other. */
const each = (put) => (places, clone) => {
  for (const { path, name } of places) put(path, clone, name)
}

/** Ways to put something hostile at some paths. `name` tells the outside files of several paths apart. */
const KINDS = {
  link: each((path, { outside }, name) => {
    writeFileSync(join(outside, name), `${OUTSIDE_TEXT}\n`)
    symlinkSync(join(outside, name), path)
  }),
  dangling: each((path, { outside }, name) => symlinkSync(join(outside, `${name}.new`), path)),
  device: each((path, { outside }) => symlinkSync(deviceIn(outside), path)),
  fifo: (places) =>
    spawnSync(
      'mkfifo',
      places.map(({ path }) => path),
    ),
  folder: each((path) => mkdirSync(path)),
  huge: each((path) => {
    writeFileSync(path, '')
    truncateSync(path, HUGE_BYTES)
  }),
  ...(isRoot && {
    foreign: each((path) => {
      writeFileSync(path, '{}\n')
      chownSync(path, STRANGER, STRANGER)
    }),
  }),
}
export const KIND_NAMES = isWindows ? ['folder', 'huge'] : Object.keys(KINDS)

/** A device of our own, because root could replace the real one. */
function deviceIn(folder) {
  if (!isRoot) return '/dev/null'
  const path = join(folder, 'null')
  spawnSync('mknod', [path, 'c', '1', '3'])
  return path
}

/** Puts one kind of hostile thing at some paths of a project, in the place of whatever is there. */
export function plant(clone, paths, kind) {
  const places = paths.map((path) => ({ path: join(clone.project, path), name: path.replaceAll('/', '_') }))
  for (const { path } of places) {
    mkdirSync(dirname(path), { recursive: true })
    rmSync(path, { recursive: true, force: true })
  }
  KINDS[kind](places, clone)
}

/** Puts a listening socket at a path, until the test ends. */
export async function plantSocket(t, clone, path) {
  const full = join(clone.project, path)
  mkdirSync(dirname(full), { recursive: true })
  rmSync(full, { recursive: true, force: true })
  const server = createServer()
  await new Promise((resolve) => server.listen(full, resolve))
  t.after(() => server.close())
}

/** Everything that is outside of the project, to be compared. */
export function outsideState({ outside }) {
  return readdirSync(outside, { recursive: true, withFileTypes: true })
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
    .sort()
    .map((path) => {
      const found = lstatSync(path)
      return [path, found.mode, found.isFile() ? readFileSync(path, 'latin1') : '']
    })
}
