// Changes of a project's settings: the rest of the file keeps its bytes, comments included.
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
