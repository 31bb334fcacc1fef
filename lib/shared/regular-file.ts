import { closeSync, constants, fstatSync, lstatSync, openSync, type Stats } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { Problem } from './problem.js'

/** Thrown for a path that was not opened, because it leads out of its folder or is not a regular file. */
export class UnsafePath extends Problem {
  constructor(
    path: string,
    reason: string,
    hint = 'check what is there, and remove it or replace it with a regular file',
  ) {
    super('UNSAFE_PATH', `${path} ${reason}; it was not opened`, hint)
  }
}

/** Opens a regular file for reading without following a link; undefined when it does not exist. */
export function openRegular(path: string): number | undefined {
  let file: number
  try {
    // O_NONBLOCK, because opening a FIFO would block until a process writes to it.
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

/** Throws {@link UnsafePath} when a path below a folder is a link, or a folder on the way is one. */
export function refuseLinks(folder: string, path: string): void {
  let at = folder
  for (const part of relative(folder, path).split(sep)) {
    at = join(at, part)
    const found = lstatSync(at, { throwIfNoEntry: false })
    if (found === undefined) return
    if (found.isSymbolicLink()) throw new UnsafePath(path, at === path ? 'is a link' : `is below the link ${at}`)
  }
}

/** Names the kind of a file, with its article. */
export function kindOf(found: Stats): string {
  if (found.isDirectory()) return 'a folder'
  if (found.isFIFO()) return 'a FIFO'
  if (found.isSocket()) return 'a socket'
  if (found.isSymbolicLink()) return 'a link'
  return 'a device'
}
