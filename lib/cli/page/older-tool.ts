import { oneLine } from '../../text/printable.js'

/** Says what of an older tool waits for a migration. */
export function olderTool(files: string[]): string {
  return `Records of an older tool are in ${files.map(oneLine).join(', ')}: forge-memory migrate-memory imports them.`
}
