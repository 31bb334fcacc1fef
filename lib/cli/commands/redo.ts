import type { Command } from 'commander'
import { sharedRecords } from '../../api/shared-memory.js'
import { type ProjectOptions, settleIndex } from '../../native.js'
import { isStartedByAgent } from '../../shared/speaker.js'
import { doAgain, idsIn } from '../../undo/back.js'
import { lastCommand } from '../../undo/log.js'
import type { Answer, CommandEntry, Respond } from '../command.js'
import { Failure } from '../failure.js'
import { requirePerson } from '../leave.js'
import { summary } from '../undone.js'

export const entry: CommandEntry = {
  group: 'admin',
  summary: 'do again what undo has taken back',
  examples: ['forge-memory admin redo --dry-run', 'forge-memory admin redo'],
}

export function configure(command: Command, respond: Respond): void {
  command
    .option('--dry-run', 'show what would be done again, and change nothing')
    .action(respond((project, { dryRun = false }: { dryRun?: boolean }): Promise<Answer> => redo(project, dryRun)))
}

async function redo(project: ProjectOptions, dryRun: boolean): Promise<Answer> {
  if (isStartedByAgent()) requirePerson('do again what a person did', project)
  const last = lastCommand(project, 'undone')
  if (last === undefined) {
    throw new Failure('NOT_FOUND', 'there is no command that undo has taken back', {
      hint: 'a command that changes the memory ends what can be done again; forge-memory undo --list shows both',
    })
  }
  const { command } = last
  if (command.by !== 'script') requirePerson('do again what a person did', project)
  const shared = await sharedRecords(idsIn(command), project)
  const changes = shared.during(() => doAgain(last, project, dryRun))
  return {
    document: { dryRun, command: command.name, at: command.at, changes },
    text: (page) => summary(dryRun ? 'Would do again' : 'Did again', command, changes, page, dryRun),
    afterwards: () => (dryRun ? undefined : settleIndex(project)),
  }
}
