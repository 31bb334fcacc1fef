import { type Command, Option } from 'commander'
import { findProject } from '../../native.js'
import type { Respond } from '../answer.js'
import { documentAnswer } from '../document.js'
import { collect, number } from '../options.js'

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
      respond(async (project, { correlation, source, event, ...rest }: TimelineFlags) => {
        const { timeline } = await import('../../plan-forge/timeline.js')
        const options = { ...rest, correlationId: correlation, sources: source, events: event }
        return documentAnswer(timeline(findProject(project), options))
      }),
    )
}
