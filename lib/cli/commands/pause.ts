import { type Command, Option } from 'commander'
import { findProject, type ProjectOptions, pauseMemory, resumeMemory } from '../../native.js'
import { given } from '../../shared/given.js'
import { projectOrNone } from '../../shared/no-project.js'
import { isStartedByAgent } from '../../shared/speaker.js'
import { type Answer, addNote, type CommandEntry, type Respond } from '../command.js'
import { Failure } from '../failure.js'
import { requirePerson } from '../leave.js'
import { dateTime } from '../page/moment.js'

export const entry: CommandEntry = {
  group: 'agent',
  summary: 'stop giving agents notes for a while, or end that',
  examples: ['forge-memory agent pause --for 2h', 'forge-memory agent pause --end'],
}

interface Flags {
  for?: string
  everywhere?: boolean
  end?: boolean
}

const NOTE =
  'While it is paused, hooks add nothing and store nothing, and the tools of the MCP server say so. Your own commands still work. ' +
  'FORGE_MEMORY=off does the same for one process, [memory:off] in a prompt for that session.'

export function configure(command: Command, respond: Respond): void {
  addNote(command, NOTE)
    .option('--for <time>', 'how long: 30m, 2h, 3d (default: until forge-memory resume)')
    .option('--everywhere', 'in all projects of this user, not in this one alone')
    .addOption(new Option('--end', 'end the pause').conflicts(['for', 'everywhere']))
    .action(respond((project, flags: Flags) => (flags.end ? ended(project) : answer(project, flags))))
}

function answer(project: ProjectOptions, flags: Flags): Answer {
  const { everywhere = false } = flags
  const folder = everywhere ? projectOrNone(project) : findProject(project)
  const forMs = flags.for === undefined ? undefined : parseDuration(flags.for)
  const made = pauseMemory(given({ ...(everywhere ? {} : { projectDir: folder }), everywhere, forMs }))
  const where = everywhere ? 'in all projects' : 'in this project'
  const until = made.until === undefined ? 'until forge-memory resume' : `until ${dateTime(made.until)}`
  return { document: { ...made, everywhere, projectDir: folder }, text: `Paused ${where} ${until}.` }
}

function ended(project: ProjectOptions): Answer {
  if (isStartedByAgent()) requirePerson('end the pause of agents', project)
  const projectDir = projectOrNone(project)
  const wasPaused = resumeMemory({ projectDir })
  return {
    document: { wasPaused, projectDir },
    text: wasPaused ? 'Agents get notes again.' : 'Nothing was paused.',
  }
}

const UNITS: Record<string, number> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 7 * 86_400_000 }
/** The maximum length of a pause, because users forget longer ones. */
const PAUSE_MAX_MS = 365 * 86_400_000

/** Parses a duration such as `90m`, `2h` or `3d` to milliseconds. */
function parseDuration(text: string): number {
  const [, count = '', unit = ''] = /^(\d{1,6})([smhdw])$/.exec(text.trim()) ?? []
  const ms = Number(count) * (UNITS[unit] ?? 0)
  if (ms > 0 && ms <= PAUSE_MAX_MS) return ms
  throw new Failure(
    'INVALID_INPUT',
    `for: ${JSON.stringify(text.slice(0, 64))} is not a time such as 30m, 2h or 3d, of a year at the most`,
  )
}
