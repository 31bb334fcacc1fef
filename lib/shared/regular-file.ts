import { closeSync, constants, fstatSync, lstatSync, openSync, type Stats } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { Problem } from './problem.js'

/** A path that was not opened, because it leads somewhere else or is no regular file. */
export class UnsafePath extends Problem {
  constructor(
    path: string,
    reason: string,
    hint = 'look at what is there, and remove it or put a regular file in its place',
  ) {
    super('UNSAFE_PATH', `${path} ${reason}; it was not opened`, hint)
  }
}

/** Opens a file for reading unless it is a link or anything but a regular file; nothing when there is none. */
export function openRegular(path: string): number | undefined {
  let file: number
  try {
    // Without blocking: opening a FIFO would block until a process writes to it.
    file = openSync(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0))
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined
    if (code === 'ELOOP') throw new UnsafePath(path, 'is a link')
    if (code === 'ENXIO') throw new UnsafePath(path, 'is a socket or a device')
    throw error
  }
  const found = fstatSync(file)
  if (found.isFile()) return file
  closeSync(file)
  throw new UnsafePath(path, `is ${kindOf(found)}`)
}

/** Throws {@link UnsafePath} for a path below a folder that is a link, or lies behind one. */
export function refuseLinks(folder: string, path: string): void {
  let at = folder
  for (const part of relative(folder, path).split(sep)) {
    at = join(at, part)
    const found = lstatSync(at, { throwIfNoEntry: false })
    if (found === undefined) return
    if (found.isSymbolicLink()) throw new UnsafePath(path, at === path ? 'is a link' : `lies behind the link ${at}`)
  }
}

/** What kind of file is at a path, with its article. */
export function kindOf(found: Stats): string {
  if (found.isDirectory()) return 'a folder'
  if (found.isFIFO()) return 'a FIFO'
  if (found.isSocket()) return 'a socket'
  if (found.isSymbolicLink()) return 'a link'
  return 'a device'
}
