import type { Command } from 'commander'
import { doAgain } from '../../undo/back.js'
import type { Answer, CommandEntry, Respond } from '../command.js'
import { turned, type Way } from '../undone.js'

export const entry: CommandEntry = {
  group: 'admin',
  summary: 'do again what undo has taken back',
  examples: ['forge-memory admin redo --dry-run', 'forge-memory admin redo'],
}

export function configure(command: Command, respond: Respond): void {
  command
    .option('--dry-run', 'show what would be done again, and change nothing')
    .action(
      respond((project, { dryRun = false }: { dryRun?: boolean }): Promise<Answer> => turned(project, dryRun, REDO)),
    )
}

const REDO: Way = {
  from: 'undone',
  needs: 'do again what a person did',
  says: ['Would do again', 'Did again'],
  none: 'there is no command that undo has taken back',
  hint: 'a command that changes the memory ends what can be done again; forge-memory undo --list shows both',
  turn: doAgain,
}
