import { oneLine } from '../../text/printable.js'

/** Says what of an older tool waits for a migration. */
export function olderTool(files: string[]): string {
  return `An older tool's records wait in ${files.map(oneLine).join(', ')}: forge-memory migrate-memory takes them over.`
}
