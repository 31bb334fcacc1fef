import type { Command } from 'commander'
import { listMemories, memoryStatus, type ProjectOptions, type RecallHit } from '../../native.js'
import { shortId } from '../../shared/identity.js'
import { oneLine } from '../../text/printable.js'
import type { Answer, Respond } from '../answer.js'
import { addFilters, type FilterFlags, filtersFrom } from '../options.js'
import { date } from '../page/moment.js'
import { olderTool } from '../page/older-tool.js'
import type { Page } from '../page/page.js'
import { type Column, table } from '../page/table.js'

const COLUMNS: Column[] = [
  { title: 'ID' },
  { title: 'TYPE' },
  { title: 'CONF', align: 'right', optional: true },
  { title: 'DATE', optional: true },
  { title: 'TEXT', flexible: true },
]

export function configure(command: Command, respond: Respond): void {
  addFilters(command).action(
    respond((project, flags: FilterFlags): Answer => {
      const outcome = listMemories({ ...filtersFrom(flags), ...project })
      const isFiltered = Object.keys(filtersFrom(flags)).some((name) => name !== 'limit')
      return { document: outcome, text: (page) => text(outcome, () => whyEmpty(project, isFiltered), page) }
    }),
  )
}

/** Explains an empty list: nothing is stored, or the filters match nothing. */
function whyEmpty(project: ProjectOptions, isFiltered: boolean): string {
  const { memories, patterns, globalPatterns, unmigrated } = memoryStatus(project)
  const older = unmigrated.length > 0 ? `\n${olderTool(unmigrated)}` : ''
  const isEmpty = memories + patterns + globalPatterns === 0
  if (isEmpty && older === '') return 'Nothing is stored yet: forge-memory capture --type lesson "what you learned"'
  if (isEmpty) return `The listed files contain no memories.${older}`
  if (isFiltered) return `No memory matches these filters.${older}`
  return `All stored memories have expired or were forgotten; --expired lists the expired ones.${older}`
}

function text(
  { entries, total }: { entries: RecallHit[]; total: number },
  whyNothing: () => string,
  page: Page,
): string {
  if (entries.length === 0) return whyNothing()
  const rows = entries.map((entry) => [
    shortId(oneLine(entry.id)),
    page.paint('accent', oneLine(entry.type)),
    entry.confidence.toFixed(2),
    date(entry.createdAt),
    (entry.scope === 'global' ? '(global) ' : '') + oneLine(entry.text),
  ])
  const rest =
    total > entries.length ? `\n${page.paint('quiet', `${entries.length} of ${total}; --limit shows more`)}` : ''
  return table(page, COLUMNS, rows) + rest
}
