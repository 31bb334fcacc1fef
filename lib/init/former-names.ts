// The former names of a repository, written where its other clones find them.
import { memoryStatus } from '../native.js'
import { readText, writeChanges } from './change.js'
import { JsoncFile } from './format/jsonc.js'

const PATH = '.forge.json'
const KEY = ['formerNames']

/** Adds the former names that only this machine knows to `.forge.json`, and returns them. Throws for a file that is not JSON. */
export function writeFormerNames(project: string): string[] {
  const names = memoryStatus({ projectDir: project }).unwrittenNames
  if (names.length === 0) return []
  const before = readText(project, PATH)
  const file = new JsoncFile(PATH, before ?? '')
  const known = file.get(KEY)
  file.set(KEY, [...(Array.isArray(known) ? known : []), ...names])
  writeChanges(project, [
    { path: PATH, before, after: file.toString(), why: 'names what the project was called before' },
  ])
  return names
}
