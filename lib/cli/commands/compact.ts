import type { Command } from 'commander'
import { type CompactionReport, compactMemory, type ProjectOptions, settleIndex } from '../../native.js'
import { bytes, counted, oneLine } from '../../text/printable.js'
import { type Answer, addNote, type CommandEntry, calledOff, type Respond } from '../command.js'
import { type AskingFlags, agreed } from '../confirm.js'
import { given } from '../options.js'
import type { Page } from '../page/page.js'
import { flexible, right, table } from '../page/table.js'

export const entry: CommandEntry = {
  group: 'admin',
  summary: 'remove expired, replaced and forgotten records from the files',
  examples: ['forge-memory admin compact --dry-run', 'forge-memory admin compact --yes'],
  work: {
    verb: 'compacting',
    unit: 'bytes',
    kept: 'every file is whole: compacted already, or as it was; run it again to continue',
  },
}

const NOTE =
  'It makes the files smaller, and removes the history of the records in them. The originals are kept in a backup. ' +
  'To repair damage, use forge-memory doctor --fix; to remove secrets, forge-memory doctor --redact.'

export function configure(command: Command, respond: Respond): void {
  addNote(command, NOTE)
    .option('--dry-run', 'list what would be removed and write nothing')
    .option('--yes', 'do not ask; without it, a terminal asks')
    .action(
      respond(async (project, flags: AskingFlags): Promise<Answer> => {
        if (!flags.dryRun && !flags.yes && !(await isConfirmed(project)))
          return calledOff('Nothing was removed.', { removed: 0 })
        const report = compactMemory({ ...project, ...given({ dryRun: flags.dryRun }) })
        return {
          document: report,
          text: (page) => text(report, page),
          afterwards: () => (report.dryRun ? undefined : settleIndex(project)),
        }
      }),
    )
}

/** Shows the lines that would be removed, and asks; in scripts, and when there are none, it does not. */
function isConfirmed(project: ProjectOptions): Promise<boolean> {
  return agreed((page) => {
    const report = compactMemory({ ...project, dryRun: true })
    if (report.removed === 0) return undefined
    return `${text(report, page)}\nRemove ${counted(report.removed, 'line')}, and with them their history?`
  })
}

function text(report: CompactionReport, page: Page): string {
  if (report.files.length === 0) return 'There is nothing to compact.'
  const columns = [
    flexible('FILE'),
    right('KEPT'),
    ...['EXPIRED', 'REPLACED', 'FORGOTTEN', 'REMARKS', 'BEFORE'].map((title) => ({ ...right(title), optional: true })),
    right('AFTER'),
  ]
  const rows = report.files.map((file) => [
    oneLine(file.name),
    ...[file.kept, file.expired, file.superseded, file.forgotten, file.remarks].map(String),
    bytes(file.bytesBefore),
    bytes(file.bytesAfter),
  ])
  return [table(page, columns, rows), '', page.wrap(verdict(report), page.width)].join('\n')
}

function verdict({ dryRun, removed, backup }: CompactionReport): string {
  if (dryRun) return `${counted(removed, 'line')} would be removed. Nothing was written.`
  if (backup === undefined) return 'No line can be removed. Nothing was written.'
  return `${counted(removed, 'line')} removed. The originals are in ${oneLine(backup)}.`
}
