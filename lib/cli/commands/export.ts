import { type Command, Option } from 'commander'
import { exportMemory } from '../../native.js'
import { counted } from '../../text/amount.js'
import { oneLine } from '../../text/printable.js'
import type { Answer, Respond } from '../answer.js'
import { given } from '../options.js'

interface Flags {
  format?: 'jsonl' | 'md'
  output?: string
  overwrite?: boolean
  force?: boolean
  expired?: boolean
}

export function configure(command: Command, respond: Respond): void {
  command
    .addOption(
      new Option('--format <format>', 'JSON Lines or Markdown (default: by the extension of --output)').choices([
        'jsonl',
        'md',
      ]),
    )
    .option('--output <file>', 'the file to write, within the project (default: standard output)')
    .option('--overwrite', 'replace an earlier export')
    .option('--force', 'write to any file of the project, even one that is not an export or that configures a program')
    .option('--expired', 'include expired memories')
    .action(
      respond((project, flags: Flags): Answer => {
        const exported = exportMemory({
          ...project,
          ...given({
            format: flags.format,
            path: flags.output,
            overwrite: flags.overwrite,
            force: flags.force,
            includeExpired: flags.expired,
          }),
        })
        const { text, path, records, redactions } = exported
        const taken =
          redactions > 0 ? [`${counted(redactions, 'secret')} left out; the memory itself still has them`] : []
        return {
          document: exported,
          ...(text === undefined
            ? {}
            : { bytes: (json) => Buffer.from(json ? `${JSON.stringify(exported)}\n` : text) }),
          text: (page) => `Exported ${counted(records, 'record')} to ${page.link(path ?? '', oneLine(path ?? ''))}.`,
          warnings: taken,
        }
      }),
    )
}
