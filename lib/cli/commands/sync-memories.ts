import type { Command } from 'commander'
import { type SyncMemoriesOptions, syncMemories } from '../../native.js'
import { counted } from '../../text/printable.js'
import type { CommandEntry, Respond } from '../command.js'
import { given, optionsOf } from '../options.js'
import { withinProject } from '../within.js'

export const entry: CommandEntry = {
  group: 'agent',
  summary: 'write hints to the files that agents load automatically',
  examples: [
    'forge-memory agent sync-memories --agent claude --dry-run',
    'forge-memory agent sync-memories --agent all -n 5',
  ],
}

const synced = optionsOf<SyncMemoriesOptions>('SyncMemoriesOptions')

type Flags = Omit<SyncMemoriesOptions, 'projectDir'>

export function configure(command: Command, respond: Respond): void {
  command
    .addOption(synced('agent', '--agent <agent>'))
    .option('--dry-run', 'show what would be written, and write nothing')
    .addOption(synced('limit', '-n, --limit <count>'))
    .addOption(synced('since', '--since <when>'))
    .option('--output <file>', 'another Markdown file within the project, from the current folder, for one agent')
    .option('--force', 'write to any file of the project with --output, even one that another program wrote')
    .action(
      respond((project, flags: Flags) => {
        const files = syncMemories(given({ ...flags, output: withinProject(flags.output, project), ...project }))
        const text = files.map(({ path, changed, hints, added, removed, content }) => {
          if (content !== undefined) return `${path}${changed ? '' : ' (unchanged)'}\n\n${content}`
          if (!changed)
            return `${path}: ${hints === 0 ? 'nothing to write yet' : `${counted(hints, 'hint')}, nothing new`}`
          return `${path}: ${counted(hints, 'hint')}, ${added} new, ${removed} removed`
        })
        return { document: { files }, text: () => text.join('\n') }
      }),
    )
}
