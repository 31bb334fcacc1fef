import { memoryStatus, type ProjectOptions, type RecordCounts } from '../native.js'
import { apart, countsText } from '../text/record-counts.js'
import { type FilterFlags, filtersFrom } from './options.js'
import { olderTool } from './page/older-tool.js'

/** Says of a memory in which nothing was found what it has, and what to do next: nothing is stored, or the filters match nothing. */
export function whyEmpty(project: ProjectOptions, flags: FilterFlags): string {
  const { counts, unmigrated } = memoryStatus(project)
  const older = unmigrated.length > 0 ? `\n${olderTool(unmigrated)}` : ''
  const isEmpty = counts.memories === 0 && apart(counts).length === 0
  if (isEmpty && older === '') return 'Nothing is stored yet: forge-memory add "what you learned"'
  if (isEmpty) return `The listed files contain no memories.${older}`
  const isFiltered = Object.keys(filtersFrom(flags)).some((name) => name !== 'limit')
  if (isFiltered) return `No memory matches these filters.${older}`
  return `There are ${countsText(counts)}${waysTo(counts)}.${older}`
}

/** How those are seen that are no memories. */
function waysTo({ retired, expired, waiting }: RecordCounts): string {
  const ways = [
    ...(retired > 0 ? ['--retired lists the retired'] : []),
    ...(expired > 0 ? ['--expired lists the expired'] : []),
    ...(waiting > 0 ? ['forge-memory review decides on what waits'] : []),
  ]
  return ways.length === 0 ? '' : `: ${ways.join(', ')}`
}
