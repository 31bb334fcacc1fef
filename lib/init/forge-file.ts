// Changes of a project's settings: the rest of the file keeps its bytes, comments included.
import { memoryStatus } from '../native.js'
import { PROJECT_FILE as PATH } from '../shared/declared-settings.js'
import { readText, writeChanges } from './change.js'
import { JsoncFile } from './format/jsonc.js'

/** Changes `.forge.json` of a folder. Throws for a file that is not JSON. */
export function changeForgeFile(folder: string, why: string, change: (file: JsoncFile) => void): void {
  const before = readText(folder, PATH)
  const file = new JsoncFile(PATH, before ?? '')
  change(file)
  writeChanges(folder, [{ path: PATH, before, after: file.toString(), why }])
}

// The former names of a repository, written where its other clones find them.

const KEY = ['formerNames']

/** Adds the former names that only this machine knows to `.forge.json`, and returns them. Throws for a file that is not JSON. */
export function writeFormerNames(project: string): string[] {
  const names = memoryStatus({ projectDir: project }).unwrittenNames
  if (names.length === 0) return []
  changeForgeFile(project, 'names what the project was called before', (file) => {
    const known = file.get(KEY)
    file.set(KEY, [...(Array.isArray(known) ? known : []), ...names])
  })
  return names
}
