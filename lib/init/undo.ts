import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { readConfinedText } from '../shared/confined.js'
import { sha256 } from '../shared/digest.js'
import { forgeHome } from '../shared/home.js'
import { writePrivateFile } from '../shared/private-file.js'
import type { DriverSettings } from './driver.js'
import type { Earlier } from './edits.js'

/** The original content of a file, and the hash of the content that was written. */
interface Original {
  before: string
  afterHash: string
}

interface Kept {
  files: Record<string, Original>
  /** The replaced entries of other tools, by file. */
  foreign: Record<string, string>
  /** Folders that existed and were empty. */
  folders: string[]
  /** The digests of files that are ours as a whole, as they were written. */
  written: Record<string, string>
  /** The previous merge driver. */
  driver?: DriverSettings
}

/**
 * The originals of edited files. The edited files alone do not say, for example, whether an empty object was there before
 * our entry was put in. Originals are kept in the user's own folder, so that `--remove` restores a file byte for byte when
 * it is unchanged since, and entries of other tools in any case.
 */
export class Originals {
  private readonly name: string
  private readonly kept: Kept

  constructor(project: string) {
    this.name = `init/${sha256(project).slice(0, 32)}.json`
    this.kept = read(this.name)
  }

  /** Returns the original of a file when the file is unchanged since it was written. */
  of(path: string, now: string): string | undefined {
    const original = this.kept.files[path]
    return original?.afterHash === sha256(now) ? original.before : undefined
  }

  keep(path: string, before: string, after: string): void {
    this.kept.files[path] = { before, afterHash: sha256(after) }
  }

  forget(path: string): void {
    delete this.kept.files[path]
  }

  /** Returns the facts about the original of a file and of one edit, also after the file was changed. */
  earlier(path: string, editPath: string): Earlier {
    const foreign = this.kept.foreign[editPath]
    const writtenHash = this.kept.written[editPath]
    return {
      wasThere: path in this.kept.files,
      ...(foreign === undefined ? {} : { foreign }),
      ...(writtenHash === undefined ? {} : { writtenHash }),
    }
  }

  keepWritten(path: string, text: string): void {
    this.kept.written[path] = sha256(text)
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

  /** Deletes the originals after everything was restored. */
  clear(): void {
    rmSync(join(forgeHome(), this.name), { force: true })
  }

  get isEmpty(): boolean {
    const { files, foreign, folders, written, driver } = this.kept
    return [files, foreign, folders, written].every((each) => Object.keys(each).length === 0) && driver === undefined
  }
}

/** Reads the saved originals; none when they cannot be read, so that edits are undone by the texts alone. */
function read(name: string): Kept {
  const nothing: Kept = { files: {}, foreign: {}, folders: [], written: {} }
  try {
    const kept = JSON.parse(readConfinedText(forgeHome(), name) ?? '{}')
    // The first release stored only the files.
    return 'files' in kept ? { ...nothing, ...kept } : { ...nothing, files: kept }
  } catch {
    return nothing
  }
}
