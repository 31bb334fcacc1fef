import type { Command } from 'commander'
import type { ProjectOptions } from '../../native.js'
import { attempt } from '../../shared/problem.js'
import { oneLine } from '../../text/printable.js'
import { takeBack } from '../../undo/back.js'
import { detailOf } from '../../undo/changes.js'
import { commandsIn, type KeptCommand, type PastCommand } from '../../undo/log.js'
import { type Answer, addNote, type CommandEntry, type Respond } from '../command.js'
import { dateTime } from '../page/moment.js'
import type { Page } from '../page/page.js'
import { flexible, right, table } from '../page/table.js'
import { turned, type Way } from '../undone.js'

export const entry: CommandEntry = {
  group: 'daily',
  summary: 'take back your last command that changed memory',
  examples: ['forge-memory undo --dry-run', 'forge-memory undo --list', 'forge-memory undo'],
}

const NOTE =
  'It takes back your last command in this project that changed a memory; each further run takes back the one before, and forge-memory redo does ' +
  'it again. Files are only appended to: a taken-back edit is a further revision, and a forgotten memory comes back as one, with its date and its history.'

interface Flags {
  dryRun?: boolean
  list?: boolean
}

export function configure(command: Command, respond: Respond): void {
  addNote(command, NOTE)
    .option('--dry-run', 'show what would be taken back, and change nothing')
    .option('--list', 'only list what can be taken back, and done again')
    .action(
      respond((project, { dryRun = false, list }: Flags): Answer | Promise<Answer> => {
        return list ? listed(project) : turned(project, dryRun, UNDO)
      }),
    )
}

const UNDO: Way = {
  from: 'done',
  needs: 'take back what a person did',
  says: ['Would take back', 'Took back'],
  none: 'there is no command of yours left to take back',
  hint: 'forge-memory watch --since 1d --no-follow shows what has changed, and show ID --history the past of one memory',
  turn: takeBack,
}

/** The order is that in which they would be taken back, or done again. */
function listed(project: ProjectOptions): Answer {
  const [done, undone] = [commandsIn('done', project), commandsIn('undone', project)]
  return {
    document: { commands: done.map(told), undone: undone.map(told) },
    text: (page) =>
      [
        part('forge-memory undo takes back, the first one first:', done, page, project),
        ...(undone.length === 0 ? [] : [part('forge-memory redo does again:', undone, page, project)]),
      ].join('\n\n'),
  }
}

const told = ({ command: { name, at, changes } }: KeptCommand) => ({ command: name, at, changes: changes.length })

function part(title: string, kept: KeptCommand[], page: Page, project: ProjectOptions): string {
  if (kept.length === 0) return 'There is no command of yours left to take back.'
  const rows = kept.map(({ command }) => {
    return [oneLine(command.name), dateTime(command.at), String(command.changes.length), firstText(command, project)]
  })
  return `${title}\n\n${table(page, ['COMMAND', 'WHEN', right('CHANGES'), flexible('FIRST')], rows)}`
}

/** What the first change of a command is about; nothing when it is about a request, or no longer there. */
function firstText({ changes: [first] }: PastCommand, project: ProjectOptions): string {
  if (first === undefined || first.kind === 'request') return ''
  return attempt(() => oneLine(detailOf(first.kind === 'memory' ? first.after.id : first.id, project).entry.text)) ?? ''
}
