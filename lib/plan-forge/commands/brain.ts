import type { Command } from 'commander'
import { type CommandEntry, documentAnswer, type Respond } from '../../cli/command.js'
import { given, number } from '../../cli/options.js'
import { findProject } from '../../native.js'

export const entry: CommandEntry = {
  group: 'share',
  summary: 'test the shared store, and replay memories into it',
  subcommands: {
    test: ['forge-memory share brain test', 'forge-memory share brain test --name shop --index-delay 500'],
    replay: [
      'forge-memory share brain replay notes.md --dry-run',
      'forge-memory share brain replay thoughts.jsonl -n 100',
    ],
  },
}

interface TestFlags {
  name?: string
  indexDelay?: number
}

interface ReplayFlags {
  name?: string
  dryRun?: boolean
  max?: number
}

export function configure(command: Command, respond: Respond): void {
  command
    .command('test')
    .description('Store a thought in the shared store, find it, and delete it again.')
    .option('--name <project>', 'the name of the project under which it is stored (default: its own)')
    .option('--index-delay <ms>', 'how long the store needs until a thought can be found (default: 0)', number)
    .action(
      respond(async (project, { name, indexDelay }: TestFlags) => {
        const { brainTest } = await import('../brain.js')
        const outcome = await brainTest(findProject(project), given({ project: name, indexDelayMs: indexDelay }))
        return documentAnswer(outcome, outcome.ok)
      }),
    )
  command
    .command('replay <source>')
    .description('Capture the thoughts of a .jsonl or .md file, or of a folder of .md files, of this project.')
    .option('--name <project>', 'the project that they belong to (default: this one)')
    .option('--dry-run', 'only count')
    .option('-n, --max <count>', 'maximum number of sections (default: 500)', number)
    .action(
      respond(async (project, source: string, { name, dryRun, max }: ReplayFlags) => {
        const { brainReplay } = await import('../brain.js')
        const outcome = brainReplay(findProject(project), { source, project: name, dryRun, maxRecords: max })
        return documentAnswer(outcome, outcome.ok)
      }),
    )
}
