import { mkdirSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { hasCode } from './problem.js'

/**
 * Makes a folder, and those above it that are missing. Where nothing can be made, as in /proc, Node's own `recursive` never ends: it takes the answer
 * of the system for a missing parent.
 */
export function makeFolder(path: string, mode?: number): void {
  try {
    mkdirSync(path, { mode })
  } catch (error) {
    if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return
    const parent = dirname(path)
    if (!hasCode(error, 'ENOENT') || statSync(parent, { throwIfNoEntry: false }) !== undefined) throw error
    makeFolder(parent, mode)
    makeFolder(path, mode)
  }
}
