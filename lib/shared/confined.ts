// Path confinement: files below a folder that came from outside (a clone, an archive) are opened without ever leaving it.
// The engine's `journal/confined.rs` applies the same rules to the files that it opens.

import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readFileSync,
  readSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path'
import { makeFolder } from './make-folder.js'
import { hasCode } from './problem.js'
import { realPathOf } from './real-path.js'
import { kindOf, openRegular, UnsafePath } from './regular-file.js'
import { isFolderTrusted } from './trusted-folders.js'

export { UnsafePath } from './regular-file.js'

/** The size limit for settings and configuration files. */
const BYTES_MAX = 16 * 1024 * 1024
/** The folder of the memory. No link below it is followed. */
const STORE = '.forge'
/** A write through a link into `.git` could install a hook that git executes. */
const REPOSITORY = '.git'

/**
 * Returns the real path of a file or folder below `root`, to be opened next; it need not exist. `path` is relative to `root` or
 * lies below it. Below `.forge` no link is followed. Elsewhere a link may lead to another place inside of `root`, but not into `.git`.
 *
 * Throws {@link UnsafePath}, also for devices, FIFOs and sockets.
 */
export function resolveConfined(root: string, path: string): string {
  const full = resolve(root, path)
  const parts = partsBelow(resolve(root), full)
  let at = resolve(root)
  for (const [depth, part] of parts.entries()) {
    at = join(at, part)
    const found = lstatSync(at, { throwIfNoEntry: false })
    if (found === undefined) return full
    if (found.isSymbolicLink()) {
      if (parts[0] !== STORE) return followInside(root, full)
      if (depth > 0) throw new UnsafePath(full, at === full ? 'is a link' : `is below the link ${at}`)
      if (!isFolderTrusted(root)) throw untrustedFolder(at)
    } else if (!found.isDirectory() && !found.isFile()) throw new UnsafePath(full, `is ${kindOf(found)}`)
  }
  return full
}

/** Reads a regular file below `root`; nothing when there is none. Throws {@link UnsafePath}, or the error of the file system. */
export function readConfined(root: string, path: string, bytesMax = BYTES_MAX): Buffer | undefined {
  const file = openRegular(resolveConfined(root, path))
  if (file === undefined) return undefined
  try {
    const { size } = fstatSync(file)
    if (size > bytesMax)
      throw new UnsafePath(join(root, path), `has ${size} bytes, more than the ${bytesMax} that are read`)
    return readFileSync(file)
  } finally {
    closeSync(file)
  }
}

/** Reads a regular file below `root` as UTF-8, without a byte order mark; nothing when there is none. */
export function readConfinedText(root: string, path: string, bytesMax = BYTES_MAX): string | undefined {
  return readConfined(root, path, bytesMax)
    ?.toString('utf8')
    .replace(/^\ufeff/, '')
}

/**
 * Replaces or creates a regular file below `root` in one step: temporary file, sync, rename. An existing file keeps its permissions; a new one
 * gets `mode`. Throws {@link UnsafePath}, or the error of the file system; the old file is untouched then. With `staging`, the temporary file
 * is in that folder where it can be, so that a kill leaves none beside the target.
 */
export function writeConfined(
  root: string,
  path: string,
  content: string | Uint8Array,
  { mode = 0o666, staging }: { mode?: number; staging?: string } = {},
): void {
  const target = resolveConfined(root, path)
  const known = statSync(target, { throwIfNoEntry: false })
  if (known !== undefined && !known.isFile()) throw new UnsafePath(target, `is ${kindOf(known)}`)
  makeFolder(dirname(target))
  // Most processes write nothing here, and loading it takes longer than reading a project's settings.
  const { randomBytes } = process.getBuiltinModule('node:crypto')
  const name = `${randomBytes(6).toString('hex')}.tmp`
  const isStaged = staging !== undefined && canMove(staging, dirname(target))
  const temporary = isStaged ? join(staging, name) : `${target}.${name}`
  try {
    writeFileSync(temporary, content, {
      flush: true,
      flag: 'wx',
      mode: known === undefined ? mode : known.mode & 0o777,
    })
    renameSync(temporary, target)
  } catch (error) {
    rmSync(temporary, { force: true })
    // Two mounts of one disk look like one.
    if (!isStaged || !hasCode(error, 'EXDEV')) throw error
    writeConfined(root, path, content, { mode })
  }
}

/** Appends a line to a regular file below `root`, after the end of a line that another program has left incomplete. Throws {@link UnsafePath}. */
export function appendConfined(root: string, path: string, line: string): void {
  const target = resolveConfined(root, path)
  makeFolder(dirname(target))
  const { O_RDWR, O_APPEND, O_CREAT, O_NOFOLLOW } = constants
  const file = openSync(target, O_RDWR | O_APPEND | O_CREAT | (O_NOFOLLOW ?? 0), 0o666)
  try {
    const found = fstatSync(file)
    if (!found.isFile()) throw new UnsafePath(target, `is ${kindOf(found)}`)
    const last = Buffer.from('\n')
    if (found.size > 0) readSync(file, last, 0, 1, found.size - 1)
    writeSync(file, `${last.toString() === '\n' ? '' : '\n'}${line}\n`)
  } finally {
    closeSync(file)
  }
}

/** True if a new file can be moved between two folders, and is then as if it had been made in the second one. */
function canMove(from: string, to: string): boolean {
  const SETGID = 0o2000
  const [source, target] = [from, to].map((folder) => statSync(folder, { throwIfNoEntry: false }))
  return source?.isDirectory() === true && source.dev === target?.dev && (target.mode & SETGID) === 0
}

/** Removes a file below `root` if it is there. A link inside of `root` goes itself; its target stays. */
export function removeConfined(root: string, path: string): void {
  const full = resolve(root, path)
  const folder = resolveConfined(root, dirname(full))
  rmSync(join(folder, full.slice(dirname(full).length + 1)), { force: true })
}

function followInside(root: string, full: string): string {
  const real = realPathOf(full)
  if (real === undefined) throw new UnsafePath(full, 'is a broken link, or is below one')
  const parts = relative(realpathSync.native(root), real).split(sep)
  if (parts[0] === '..' || isAbsolute(parts.join(sep)))
    throw new UnsafePath(full, `leads out of the project, to ${real}`)
  if (parts.includes(REPOSITORY) || parts[0] === STORE) throw new UnsafePath(full, `leads to ${real}`)
  const found = statSync(real)
  if (!found.isFile() && !found.isDirectory()) throw new UnsafePath(full, `is ${kindOf(found)}`)
  return real
}

function untrustedFolder(path: string): UnsafePath {
  const hint =
    'if you made that link yourself, approve it on this machine with forge-memory trust --folder; otherwise remove it'
  return new UnsafePath(path, `is a link to ${realPathOf(path) ?? 'nowhere'}`, hint)
}

function partsBelow(root: string, full: string): string[] {
  const below = relative(root, full)
  if (below === '..' || below.startsWith(`..${sep}`) || isAbsolute(below))
    throw new UnsafePath(full, `is outside of ${root}`)
  return below === '' ? [] : below.split(sep)
}
