import type { Command } from 'commander'
import { listMemories, listRetired, type ProjectOptions, type RecallHit, type RetiredMemory } from '../../native.js'
import { cameFrom } from '../../shared/came-from.js'
import { requireTypes } from '../../shared/known-types.js'
import { problem } from '../../shared/problem.js'
import { oneLine } from '../../text/printable.js'
import { type Answer, asksForJson, type CommandEntry, type Respond } from '../command.js'
import { lostWarnings } from '../lost.js'
import { addFilters, type FilterFlags, filtersFrom, given } from '../options.js'
import { when } from '../page/moment.js'
import { confidenceText, short } from '../page/named.js'
import type { Page } from '../page/page.js'
import { flexible, optional, right, table } from '../page/table.js'
import { isTerminal } from '../page/terminal.js'
import { authorOf } from '../retired.js'
import { whyEmpty } from '../why-empty.js'

export const entry: CommandEntry = {
  group: 'daily',
  summary: 'list memories, newest first',
  examples: ['forge-memory list -n 20', 'forge-memory list -t gotcha --tag jest -j'],
  isList: true,
}

const COLUMNS = ['ID', 'TYPE', { ...right('CONF'), optional: true }, optional('WHEN'), flexible('TEXT')]

const FILTERS = 'with --retired: --since, --type, --tag, --scope and --limit'

const RETIRED = ['ID', optional('WHEN'), 'BY', optional('NOW'), flexible('TEXT')]

export function configure(command: Command, respond: Respond): void {
  addFilters(command)
    .option('--retired', 'what other memories have retired instead, the latest first, and whose they are')
    .action(
      respond(async (project, flags: FilterFlags & { retired?: boolean }): Promise<Answer> => {
        if (flags.retired) return retired(project, flags)
        const outcome = listMemories({ limit: rowsOfScreen(), ...filtersFrom(flags), ...project })
        requireTypes(flags.type, outcome.entries, project)
        return {
          document: outcome,
          text: (page) => text(outcome, () => whyEmpty(project, flags), page, flags.dates),
          warnings: await lostWarnings(project),
        }
      }),
    )
}

/** As many as a terminal shows, with the line above them, the one below and the next prompt; ten where nobody looks at a screen. */
function rowsOfScreen(): number {
  const rows = isTerminal(1) && !asksForJson() ? process.stdout.rows || 0 : 0
  return Math.max(rows - 4, 10)
}

/** Lists retired memories; filters that do not apply to them are refused. */
function retired(
  project: ProjectOptions,
  { since, type, tag = [], scope = 'all', limit = rowsOfScreen(), dates, ...rest }: FilterFlags,
): Answer {
  const [name] = Object.keys(filtersFrom(rest))
  if (name !== undefined) throw problem('INVALID_INPUT', `${name}: retired memories are not filtered by it`, FILTERS)
  const all = listRetired({ ...project, ...given({ since }) })
    .filter((one) => type === undefined || type.includes(one.type))
    .filter((one) => tag.every((wanted) => one.tags.includes(wanted)))
    .filter((one) => scope === 'all' || one.scope === scope)
  requireTypes(type, all, project)
  const entries = all.slice(0, limit)
  return {
    document: { entries, total: all.length },
    text: (page) => (entries.length === 0 ? 'Nothing was retired.' : retiredText(entries, all.length, page, dates)),
  }
}

function retiredText(entries: RetiredMemory[], total: number, page: Page, dates = false): string {
  const rows = entries.map((one) => [
    short(one.id),
    when(one.retired.at, dates),
    authorOf(one),
    one.retired.id === '' ? '' : short(one.retired.id),
    `${oneLine(one.text)}  ${page.paint('quiet', `(${oneLine(one.retired.why)})`)}`,
  ])
  const rest = total > entries.length ? `${entries.length} of ${total}; --limit shows more. ` : ''
  return `${table(page, RETIRED, rows)}\n${page.paint('quiet', `${rest}forge-memory keep ID brings one back`)}`
}

function text(
  { entries, total }: { entries: RecallHit[]; total: number },
  whyNothing: () => string,
  page: Page,
  dates = false,
): string {
  if (entries.length === 0) return whyNothing()
  const rows = entries.map((entry) => [
    page.paint('quiet', short(entry.id)),
    page.kind(entry.type),
    confidenceText(entry.confidence, page),
    page.paint('quiet', when(entry.createdAt, dates)),
    placeOf(entry) + oneLine(entry.text) + rivals(entry, page),
  ])
  const rest =
    total > entries.length ? `\n${page.paint('quiet', `${entries.length} of ${total}; --limit shows more`)}` : ''
  return table(page, COLUMNS, rows) + rest
}

function rivals({ contradictedBy = [] }: RecallHit, page: Page): string {
  const marks = contradictedBy.map(({ id }) => `contradicted by ${short(id)}`)
  return marks.length === 0 ? '' : `  ${page.paint('warning', `(${marks.join(', ')})`)}`
}

/** Says of a record that is not simply this project's where it comes from. */
function placeOf(entry: RecallHit): string {
  const place = [...(entry.scope === 'global' ? ['global'] : []), ...cameFrom(entry)]
  return place.length === 0 ? '' : `(${oneLine(place.join(', '))}) `
}
