import { oneLine } from '../../text/printable.js'

/** Lists the files of other tools that have not been migrated. */
export function olderTool(files: string[]): string {
  return `Records of an older tool are in ${files.map(oneLine).join(', ')}: forge-memory migrate-memory imports them.`
}
