import type { Command } from 'commander'
import { type ExportOptions, exportMemory } from '../../native.js'
import { counted, oneLine, printableJson } from '../../text/printable.js'
import type { Answer, CommandEntry, Respond } from '../command.js'
import { given, optionsOf } from '../options.js'
import { withinProject } from '../within.js'

export const entry: CommandEntry = {
  group: 'share',
  summary: 'export the memory as JSON Lines or Markdown',
  examples: [
    'forge-memory share export > memory.jsonl',
    'forge-memory share export --output docs/memory.md --overwrite',
  ],
  work: { verb: 'exporting', unit: 'bytes', kept: 'no file was written' },
}

interface Flags extends Pick<ExportOptions, 'format' | 'overwrite' | 'force'> {
  output?: string
  expired?: boolean
}

const exported = optionsOf<ExportOptions>('ExportOptions')

export function configure(command: Command, respond: Respond): void {
  command
    .addOption(
      exported('format', '--format <format>', 'JSON Lines or Markdown (default: by the extension of --output)'),
    )
    .option(
      '--output <file>',
      'the file to write, within the project, from the current folder (default: standard output)',
    )
    .option('--overwrite', 'replace an earlier export')
    .option('--force', 'write to any file of the project, even one that is not an export or that configures a program')
    .option('--expired', 'include expired memories')
    .action(
      respond((project, flags: Flags): Answer => {
        const exported = exportMemory({
          ...project,
          ...given({
            format: flags.format,
            path: withinProject(flags.output, project),
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
            : { bytes: (json) => Buffer.from(json ? `${printableJson(exported, 0)}\n` : text) }),
          text: (page) => `Exported ${counted(records, 'record')} to ${page.link(path ?? '', oneLine(path ?? ''))}.`,
          warnings: taken,
        }
      }),
    )
}
