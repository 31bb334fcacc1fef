import { join } from 'node:path'
import ignore, { type Ignore } from 'ignore'
import { readConfinedText } from '../shared/confined.js'

const LIST_BYTES_MAX = 1024 * 1024

/** Never watched, whatever git says: the memory itself would answer itself. */
const OURS = ['.git', '.forge', '.aiwg', 'node_modules']

/** What git ignores in a project: the `.gitignore` of every folder on the way, and the exclusions of the clone. */
export class Ignored {
  private readonly root: string
  private readonly lists = new Map<string, Ignore | undefined>()

  constructor(root: string) {
    this.root = root
  }

  /** Forgets what was read: a `.gitignore` has changed. */
  clear(): void {
    this.lists.clear()
  }

  /** Tells whether git ignores a path within the project, or a folder above it. */
  has(path: string, isFolder: boolean): boolean {
    if (path === '') return false
    const parts = path.split('/')
    if (parts.some((part) => OURS.includes(part))) return true
    return parts.some((_, at) => {
      const isLast = at === parts.length - 1
      return this.isListed(parts.slice(0, at + 1), isLast ? isFolder : true)
    })
  }

  /** The list nearest to the path decides, and in it the last line that matches. */
  private isListed(parts: string[], isFolder: boolean): boolean {
    for (let depth = parts.length - 1; depth >= 0; depth -= 1) {
      const list = this.listOf(parts.slice(0, depth).join('/'))
      if (!list) continue
      const verdict = list.test(parts.slice(depth).join('/') + (isFolder ? '/' : ''))
      if (verdict.ignored) return true
      if (verdict.unignored) return false
    }
    return false
  }

  private listOf(folder: string): Ignore | undefined {
    if (!this.lists.has(folder)) this.lists.set(folder, this.read(folder))
    return this.lists.get(folder)
  }

  private read(folder: string): Ignore | undefined {
    const files = [join(this.root, folder, '.gitignore')]
    if (folder === '') files.unshift(join(this.root, '.git', 'info', 'exclude'))
    const texts = files.map((path) => textOf(this.root, path)).filter((text) => text !== '')
    return texts.length > 0 ? ignore().add(texts.join('\n')) : undefined
  }
}

/** A file that is none of the project's, or is too large to be a list of patterns, ignores nothing. */
function textOf(root: string, path: string): string {
  try {
    return readConfinedText(root, path, LIST_BYTES_MAX) ?? ''
  } catch {
    return ''
  }
}
