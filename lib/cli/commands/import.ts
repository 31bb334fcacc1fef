import { resolve } from 'node:path'
import type { Command } from 'commander'
import { type ImportOutcome, importMemory, settleIndex } from '../../native.js'
import { counted } from '../../text/amount.js'
import { oneLine } from '../../text/printable.js'
import type { Answer, Respond } from '../answer.js'
import { given } from '../options.js'

interface Flags {
  dryRun?: boolean
}

export function configure(command: Command, respond: Respond): void {
  command
    .argument('<path>', 'an export, a .forge folder, or a file or folder of another tool')
    .option('--dry-run', 'count what would be imported and write nothing')
    .action(
      respond((project, path: string, flags: Flags): Answer => {
        const outcome = importMemory(resolve(path), { ...project, ...given({ dryRun: flags.dryRun }) })
        return {
          document: outcome,
          text: () => text(outcome),
          exitCode: outcome.lost > 0 ? 1 : 0,
          afterwards: () => (outcome.dryRun ? undefined : settleIndex(project)),
        }
      }),
    )
}

function text(outcome: ImportOutcome): string {
  const { format, dryRun, read, imported, duplicates, lost, retired, unreadable, redactions } = outcome
  const counts = `${oneLine(format)}: ${read} read, ${imported} new, ${duplicates} duplicates, ${lost} lost.`
  const asides = [
    retired > 0 ? `${counted(retired, 'record')} that the source has replaced or forgotten were skipped.` : '',
    unreadable > 0 ? `${counted(unreadable, 'line')} of the source held no record.` : '',
    redactions > 0 ? `${counted(redactions, 'secret')} removed.` : '',
    dryRun ? 'Nothing was written.' : '',
  ]
  return [counts, ...asides.filter((aside) => aside !== '')].join('\n')
}
