import type { Command } from 'commander'
import { parseDuration, pause } from '../../moment/switches.js'
import { findProject, type ProjectOptions } from '../../native.js'
import { projectOrNone } from '../../shared/no-project.js'
import type { Answer, Respond } from '../answer.js'
import { addNote } from '../note.js'
import { dateTime } from '../page/moment.js'

interface Flags {
  for?: string
  everywhere?: boolean
}

const NOTE =
  'While it is paused, hooks add nothing and store nothing, and the tools of the MCP server say so. Your own commands still work. ' +
  'FORGE_MEMORY=off does the same for one process, [memory:off] in a prompt for that session.'

export function configure(command: Command, respond: Respond): void {
  addNote(command, NOTE)
    .option('--for <time>', 'how long: 30m, 2h, 3d (default: until forge-memory resume)')
    .option('--everywhere', 'in all projects of this user, not in this one alone')
    .action(respond((project, flags: Flags) => answer(project, flags)))
}

function answer(project: ProjectOptions, flags: Flags): Answer {
  const { everywhere = false } = flags
  const folder = everywhere ? projectOrNone(project) : findProject(project)
  const made = pause(everywhere ? undefined : folder, flags.for === undefined ? undefined : parseDuration(flags.for))
  const where = everywhere ? 'in all projects' : 'in this project'
  const until = made.until === undefined ? 'until forge-memory resume' : `until ${dateTime(made.until)}`
  return { document: { ...made, everywhere, projectDir: folder }, text: () => `Paused ${where} ${until}.` }
}
