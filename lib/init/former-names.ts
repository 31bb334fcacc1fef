// The former names of a repository, written where its other clones find them.
import { memoryStatus } from '../native.js'
import { changeForgeFile } from './forge-file.js'

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
