import { type Command, Option } from 'commander'
import { type SyncMemoriesOptions, syncMemories } from '../../native.js'
import { HINT_AGENTS } from '../../shared/hint-agents.js'
import type { Respond } from '../answer.js'
import { given, number } from '../options.js'

type Flags = Omit<SyncMemoriesOptions, 'projectDir'>

export function configure(command: Command, respond: Respond): void {
  command
    .addOption(new Option('--agent <agent>', 'the agent whose file is written (default: copilot)').choices(HINT_AGENTS))
    .option('--dry-run', 'show what would be written, and write nothing')
    .option('-n, --limit <count>', 'maximum number of hints per section (default: 10)', number)
    .option('--since <when>', 'only newer records: an ISO date, or 12h, 7d, 2w')
    .option('--output <file>', 'another Markdown file within the project, for one agent')
    .option('--force', 'write to any file of the project with --output, even one that another program wrote')
    .action(
      respond((project, flags: Flags) => {
        const files = syncMemories(given({ ...flags, ...project }))
        const text = files.map(({ path, changed, hints, added, removed, content }) => {
          if (content !== undefined) return `${path}${changed ? '' : ' (unchanged)'}\n\n${content}`
          if (!changed) return `${path}: ${hints === 0 ? 'nothing to write yet' : `${hints} hints, nothing new`}`
          return `${path}: ${hints} hints, ${added} new, ${removed} removed`
        })
        return { document: { files }, text: () => text.join('\n') }
      }),
    )
}
