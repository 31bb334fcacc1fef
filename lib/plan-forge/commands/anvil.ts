import type { Command } from 'commander'
import { type CommandEntry, documentAnswer, type Respond } from '../../cli/command.js'
import { age } from '../../cli/options.js'
import { findProject } from '../../native.js'

export const entry: CommandEntry = {
  group: 'admin',
  summary: 'show and clear results that Plan Forge has cached',
  subcommands: {
    stat: ['forge-memory admin anvil stat', 'forge-memory admin anvil stat -j'],
    clear: ['forge-memory admin anvil clear --older-than 1d', 'forge-memory admin anvil clear --tool forge_sweep'],
    rebuild: ['forge-memory admin anvil rebuild --since HEAD', 'forge-memory admin anvil rebuild --since v1.2.0'],
  },
}

interface ClearFlags {
  tool?: string
  olderThan?: number
}

export function configure(command: Command, respond: Respond): void {
  command
    .command('stat')
    .description('Show the cache of Plan Forge below .forge/anvil.')
    .action(
      respond(async (project) => {
        const { anvilStat } = await import('../anvil.js')
        return documentAnswer(anvilStat(findProject(project)))
      }),
    )
  command
    .command('clear')
    .description('Delete cached results by tool, by age, or both.')
    .option('--tool <name>', 'only cached results of this tool')
    .option('--older-than <age>', 'only results cached at least so long ago, such as 12h or 30d', age)
    .action(
      respond(async (project, { tool, olderThan }: ClearFlags) => {
        const { anvilClear } = await import('../anvil.js')
        return documentAnswer(anvilClear(findProject(project), { tool, olderThanMs: olderThan }))
      }),
    )
  command
    .command('rebuild')
    .description('Delete cached results for files that changed since a git revision.')
    .requiredOption('--since <revision>', 'a commit, a tag or a branch')
    .action(
      respond(async (project, { since }: { since: string }) => {
        const { anvilRebuild } = await import('../anvil.js')
        return documentAnswer(await anvilRebuild(findProject(project), since))
      }),
    )
}
