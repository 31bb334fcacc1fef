import { createHash } from 'node:crypto'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { readConfinedText } from '../shared/confined.js'
import { forgeHome } from '../shared/home.js'
import { writePrivateFile } from '../shared/private-file.js'
import type { DriverSettings } from './driver.js'
import type { Earlier } from './edits.js'

/** A file as it was before it was written, and what it was known by afterwards. */
interface Original {
  before: string
  afterHash: string
}

interface Kept {
  files: Record<string, Original>
  /** The entries of other tools that ours replaced, by file. */
  foreign: Record<string, string>
  /** Folders that were there, and empty. */
  folders: string[]
  /** The merge driver that was set before. */
  driver?: DriverSettings
}

/**
 * What the files of a project alone do not lead back to: an empty object, say, in which only our entry is left, was there before
 * or was not. It is kept in the user's own folder, so that `--remove` can restore files byte for byte as long as they have not been
 * changed since, and always the entries of other tools.
 */
export class Originals {
  private readonly name: string
  private readonly kept: Kept

  constructor(project: string) {
    this.name = `init/${hashOf(project).slice(0, 32)}.json`
    this.kept = read(this.name)
  }

  /** What a file was before, when it is as it was left. */
  of(path: string, now: string): string | undefined {
    const original = this.kept.files[path]
    return original?.afterHash === hashOf(now) ? original.before : undefined
  }

  keep(path: string, before: string, after: string): void {
    this.kept.files[path] = { before, afterHash: hashOf(after) }
  }

  forget(path: string): void {
    delete this.kept.files[path]
  }

  /** What is known about a file, and about what an edit found in it, also after the file was changed. */
  earlier(path: string, editPath: string): Earlier {
    const foreign = this.kept.foreign[editPath]
    return { wasThere: path in this.kept.files, ...(foreign === undefined ? {} : { foreign }) }
  }

  keepForeign(path: string, text: string): void {
    this.kept.foreign[path] = text
  }

  get folders(): string[] {
    return this.kept.folders
  }

  keepFolders(folders: string[]): void {
    this.kept.folders = [...new Set([...this.kept.folders, ...folders])]
  }

  get driver(): DriverSettings | undefined {
    return this.kept.driver
  }

  keepDriver(settings: DriverSettings): void {
    this.kept.driver = settings
  }

  save(): void {
    writePrivateFile(join(forgeHome(), this.name), JSON.stringify(this.kept))
  }

  /** Everything is put back: nothing needs to be kept. */
  clear(): void {
    rmSync(join(forgeHome(), this.name), { force: true })
  }

  get isEmpty(): boolean {
    const { files, foreign, folders, driver } = this.kept
    return [files, foreign, folders].every((each) => Object.keys(each).length === 0) && driver === undefined
  }
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

/** What cannot be read keeps nothing: files are then taken apart by their text alone. */
function read(name: string): Kept {
  const nothing: Kept = { files: {}, foreign: {}, folders: [] }
  try {
    const kept = JSON.parse(readConfinedText(forgeHome(), name) ?? '{}')
    // An earlier release kept the files alone.
    return 'files' in kept ? { ...nothing, ...kept } : { ...nothing, files: kept }
  } catch {
    return nothing
  }
}
