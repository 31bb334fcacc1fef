import { IgnoredPaths } from '../native.js'

/** Never watched: a capture writes to the memory, which would trigger the next capture. */
const OURS = ['.git', '.forge', '.aiwg', 'node_modules']

/** The paths that are not watched: those that git ignores, and folders of memories or packages. */
export class Ignored {
  private readonly paths: IgnoredPaths

  constructor(root: string) {
    this.paths = IgnoredPaths.of({ projectDir: root })
  }

  /** Clears the cache, because a `.gitignore` has changed. */
  clear(): void {
    this.paths.clear()
  }

  /** True if git ignores a path within the project, or a folder above it. */
  has(path: string, isFolder: boolean): boolean {
    if (path === '') return false
    return path.split('/').some((part) => OURS.includes(part)) || this.paths.has(path, isFolder)
  }
}
