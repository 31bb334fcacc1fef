import { IgnoredPaths } from '../native.js'

/** Never watched: a capture writes to the memory, which would trigger the next capture. */
const OURS = ['.git', '.forge', '.aiwg', 'node_modules']

/** The paths that are not watched: those that git ignores, and folders of memories or packages. */
export class Ignored {
  private readonly root: string
  private paths: IgnoredPaths | undefined

  constructor(root: string) {
    this.root = root
  }

  /** Loads the library that reads the patterns of git, which a server where nothing is watched does without. */
  open(): IgnoredPaths {
    this.paths ??= IgnoredPaths.of({ projectDir: this.root })
    return this.paths
  }

  /** Clears the cache, because a `.gitignore` has changed. */
  clear(): void {
    this.paths?.clear()
  }

  /** True if git ignores a path within the project, or a folder above it. */
  has(path: string, isFolder: boolean): boolean {
    if (path === '') return false
    return path.split('/').some((part) => OURS.includes(part)) || this.open().has(path, isFolder)
  }
}
