import type { Command } from 'commander'
import { listMemories, type RecallHit } from '../../native.js'
import { oneLine } from '../../text/printable.js'
import type { Answer, Respond } from '../answer.js'
import { addFilters, type FilterFlags, filtersFrom } from '../options.js'
import { shortId } from '../page/identity.js'
import { date } from '../page/moment.js'
import type { Page } from '../page/page.js'
import { type Column, table } from '../page/table.js'

const COLUMNS: Column[] = [
  { title: 'ID' },
  { title: 'TYPE' },
  { title: 'CONF', align: 'right' },
  { title: 'DATE' },
  { title: 'TEXT', flexible: true },
]

export function configure(command: Command, respond: Respond): void {
  addFilters(command).action(
    respond((project, flags: FilterFlags): Answer => {
      const outcome = listMemories({ ...filtersFrom(flags), ...project })
      const isFiltered = Object.keys(filtersFrom(flags)).some((name) => name !== 'limit')
      return { document: outcome, text: (page) => text(outcome, isFiltered, page) }
    }),
  )
}

function text({ entries, total }: { entries: RecallHit[]; total: number }, isFiltered: boolean, page: Page): string {
  if (entries.length === 0 && isFiltered) return 'Nothing that is stored matches these filters.'
  if (entries.length === 0) return 'nothing is stored yet: forge-memory capture --type lesson "what you learned"'
  const rows = entries.map((entry) => [
    shortId(oneLine(entry.id)),
    page.paint('cyan', oneLine(entry.type)),
    entry.confidence.toFixed(2),
    date(entry.createdAt),
    (entry.scope === 'global' ? '(global) ' : '') + oneLine(entry.text),
  ])
  const rest =
    total > entries.length ? `\n${page.paint('dim', `${entries.length} of ${total}; --limit shows more`)}` : ''
  return table(page, COLUMNS, rows) + rest
}
