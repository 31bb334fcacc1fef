import { realpathSync } from 'node:fs'
import { attempt } from './problem.js'

/** Resolves all links of a path; undefined when the target does not exist. */
export function realPathOf(path: string): string | undefined {
  return attempt(() => realpathSync.native(path))
}

/** A project is identified by its real path: a copy of it is another project. */
export function projectRoot(projectDir: string): string {
  return realPathOf(projectDir) ?? projectDir
}
