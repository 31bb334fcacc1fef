import type { Stats } from 'node:fs'

/** The permission bits of others with which a file is not trusted: write, or read as well. */
export const OTHERS_WRITE = 0o022
export const OTHERS_READ = 0o077

/** True for a file or folder of this user that gives others none of these rights. Windows has no such bits. */
export function isOurs({ mode, uid }: Stats, others: number): boolean {
  return process.platform === 'win32' || ((mode & others) === 0 && uid === process.geteuid?.())
}
