import { createHash } from 'node:crypto'
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { forgeHome } from '../shared/home.js'
import { writePrivateFile } from '../shared/private-file.js'

/** A file as it was before it was written, and what it was known by afterwards. */
interface Original {
  before: string
  afterHash: string
}

/**
 * Files of which the text alone does not tell what they were: an empty object, say, in which only our entry is left, was
 * there before or was not. They are kept in the user's own folder, so that `--remove` can put them back byte for byte as
 * long as nobody has changed them.
 */
export class Originals {
  private readonly path: string
  private readonly files: Record<string, Original>

  constructor(project: string) {
    this.path = join(forgeHome(), 'init', `${hashOf(project).slice(0, 32)}.json`)
    this.files = read(this.path)
  }

  /** What a file was before, when it is as it was left. */
  of(path: string, now: string): string | undefined {
    const original = this.files[path]
    return original?.afterHash === hashOf(now) ? original.before : undefined
  }

  /** Keeps what a file was before anything was put into it, perhaps by an earlier release. */
  keep(path: string, before: string, after: string): void {
    const original = this.of(path, before) ?? (before.includes('forge-memory') ? undefined : before)
    if (original === undefined) this.forget(path)
    else this.files[path] = { before: original, afterHash: hashOf(after) }
  }

  forget(path: string): void {
    delete this.files[path]
  }

  save(): void {
    if (Object.keys(this.files).length === 0) {
      rmSync(this.path, { force: true })
      return
    }
    writePrivateFile(this.path, JSON.stringify(this.files))
  }
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

/** What cannot be read keeps nothing: files are then taken apart by their text alone. */
function read(path: string): Record<string, Original> {
  try {
    const files = JSON.parse(readFileSync(path, 'utf8'))
    return typeof files === 'object' && files !== null ? files : {}
  } catch {
    return {}
  }
}
