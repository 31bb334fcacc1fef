import type { Command } from 'commander'
import { sharedRecords } from '../../api/shared-memory.js'
import { type ProjectOptions, settleIndex } from '../../native.js'
import { isStartedByAgent } from '../../shared/speaker.js'
import { counted } from '../../text/amount.js'
import { oneLine } from '../../text/printable.js'
import { type Done, idsIn, takeBack } from '../../undo/back.js'
import { lastCommand, type PastCommand } from '../../undo/log.js'
import type { Step } from '../../undo/steps.js'
import type { Answer, Respond } from '../answer.js'
import type { CommandEntry } from '../entry.js'
import { Failure } from '../failure.js'
import { requirePerson } from '../leave.js'
import { addNote } from '../note.js'
import { dateTime } from '../page/moment.js'
import { short } from '../page/named.js'
import type { Page } from '../page/page.js'
import { flexible, table } from '../page/table.js'

export const entry: CommandEntry = {
  group: 'daily',
  summary: 'take back your last command that changed memory',
  examples: ['forge-memory undo --dry-run', 'forge-memory undo'],
}

const NOTE =
  'It takes back your last command in this project that changed a memory; each further run takes back the one before. ' +
  'Files are only appended to: a taken-back edit is a further revision, and a forgotten memory comes back under a new id.'

/** An import may have stored thousands. */
const SHOWN = 20

const VERBS: Record<Step['verb'], string> = {
  forget: 'forgotten',
  restore: 'stored again',
  edit: 'as before',
  keep: 'current again',
  retire: 'retired again',
  reject: 'rejected again',
  reopen: 'to decide again',
  withdraw: 'not counted as useful',
  here: 'given there again',
  elsewhere: 'not given there',
}

export function configure(command: Command, respond: Respond): void {
  addNote(command, NOTE)
    .option('--dry-run', 'show what would be taken back, and change nothing')
    .action(respond((project, { dryRun = false }: { dryRun?: boolean }): Promise<Answer> => undo(project, dryRun)))
}

async function undo(project: ProjectOptions, dryRun: boolean): Promise<Answer> {
  const allowed = () => requirePerson('take back what a person did', project)
  if (isStartedByAgent()) allowed()
  const last = lastCommand(project)
  if (last === undefined) {
    throw new Failure('NOT_FOUND', 'there is no command of yours left to take back', {
      hint: 'forge-memory watch --since 1d --no-follow shows what has changed, and show ID --history the past of one memory',
    })
  }
  const { command } = last
  if (command.by !== 'script') allowed()
  const shared = await sharedRecords(idsIn(command), project)
  const changes = shared.during(() => takeBack(last, project, dryRun))
  return {
    document: { dryRun, command: command.name, at: command.at, changes },
    text: (page) => summary(command, changes, dryRun, page),
    afterwards: () => (dryRun ? undefined : settleIndex(project)),
  }
}

function summary({ name, at }: PastCommand, changes: Done[], dryRun: boolean, page: Page): string {
  const head = `${dryRun ? 'Would take back' : 'Took back'} ${oneLine(name)} of ${dateTime(at)}:`
  const columns = ['ID', 'RESULT', flexible('TEXT')]
  const rows = changes.slice(0, SHOWN).map(({ did, now, text }) => [short(now), VERBS[did], oneLine(text)])
  const rest = changes.length - rows.length
  const end = [
    ...(rest > 0 ? [`and ${counted(rest, 'more memory', 'more memories')}`] : []),
    ...(dryRun ? ['', 'Nothing was written.'] : []),
  ]
  return [head, '', table(page, columns, rows), ...end].join('\n')
}
