import { type Command, Option } from 'commander'
import type { Answer, CommandEntry, Respond } from '../../cli/command.js'
import { collect, number } from '../../cli/options.js'
import { fieldsText } from '../../cli/page/fields.js'
import { dateTime } from '../../cli/page/moment.js'
import type { Page } from '../../cli/page/page.js'
import { flexible, optional, table } from '../../cli/page/table.js'
import { findProject } from '../../native.js'
import { counted, oneLine } from '../../text/printable.js'
import type { Timeline } from '../timeline.js'

export const entry: CommandEntry = {
  group: 'admin',
  summary: 'show what happened in a window of time',
  examples: ['forge-memory admin timeline --from 7d -n 50', 'forge-memory admin timeline --group-by correlation'],
}

interface TimelineFlags {
  from?: string
  to?: string
  correlation?: string
  source?: string[]
  event?: string[]
  groupBy?: 'time' | 'correlation'
  limit?: number
}

export function configure(command: Command, respond: Respond): void {
  command
    .option('--from <when>', 'an ISO date, or an age such as 7d (default: 24h)')
    .option('--to <when>', 'an ISO date, or an age (default: now)')
    .option('--correlation <id>', 'only events with this correlation id')
    .option('--source <name>', 'only this source; may be repeated', collect)
    .option('--event <type>', 'only this type, * for anything; may be repeated', collect)
    .addOption(
      new Option('--group-by <what>', 'how the answer is grouped (default: time)').choices(['time', 'correlation']),
    )
    .option('-n, --limit <count>', 'maximum number of events (default: 500)', number)
    .action(
      respond(async (project, { correlation, source, event, ...rest }: TimelineFlags): Promise<Answer> => {
        const { timeline } = await import('../timeline.js')
        const options = { ...rest, correlationId: correlation, sources: source, events: event }
        const found = timeline(findProject(project), options)
        return { document: found, text: (page) => text(found, page) }
      }),
    )
}

const COLUMNS = ['WHEN', optional('SOURCE'), 'EVENT', flexible('WHAT')]

function text({ events = [], threads = [], total, truncated, message }: Timeline, page: Page): string {
  const parts = [
    ...(events.length > 0 ? [tableOf(events, page)] : []),
    ...threads.map(
      (thread) => `${page.paint('strong', oneLine(thread.correlationId))}\n${tableOf(thread.events, page)}`,
    ),
    ...(message === undefined ? [] : [oneLine(message)]),
    ...(truncated ? [page.paint('quiet', `the newest of ${counted(total, 'event')}: --limit shows more`)] : []),
  ]
  return parts.join('\n\n')
}

function tableOf(events: NonNullable<Timeline['events']>, page: Page): string {
  const sources = new Map<string, string[]>()
  for (const { ts, source, event, payload } of events) {
    // Several sources say the same of one event: a capture is in the memory and among the events.
    const row = JSON.stringify([dateTime(ts), oneLine(event), said(payload)])
    sources.set(row, [...(sources.get(row) ?? []), oneLine(source)])
  }
  const rows = [...sources].map(([row, names]) => {
    const [when, event, what] = JSON.parse(row) as [string, string, string]
    return [when, [...new Set(names)].join(', '), event, what]
  })
  return table(page, COLUMNS, rows)
}

/** The text that an event is about, else its own fields. */
function said({ type: _, version: __, timestamp: ___, thought, content, ...rest }: Record<string, unknown>): string {
  const text = content ?? (thought as { content?: unknown } | undefined)?.content
  return typeof text === 'string' ? oneLine(text) : fieldsText(rest)
}
