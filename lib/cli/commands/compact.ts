import type { Command } from 'commander'
import { type CompactionReport, compactMemory, settleIndex } from '../../native.js'
import { bytes, counted } from '../../text/amount.js'
import { oneLine } from '../../text/printable.js'
import type { Answer, Respond } from '../answer.js'
import { given } from '../options.js'
import type { Page } from '../page/page.js'
import { type Column, table } from '../page/table.js'

interface Flags {
  dryRun?: boolean
}

export function configure(command: Command, respond: Respond): void {
  command.option('--dry-run', 'list what would be removed and write nothing').action(
    respond((project, flags: Flags): Answer => {
      const report = compactMemory({ ...project, ...given({ dryRun: flags.dryRun }) })
      return {
        document: report,
        text: (page) => text(report, page),
        afterwards: () => (report.dryRun ? undefined : settleIndex(project)),
      }
    }),
  )
}

function text(report: CompactionReport, page: Page): string {
  if (report.files.length === 0) return 'There is nothing to compact.'
  const number = (title: string): Column => ({ title, align: 'right' })
  const columns = [
    { title: 'FILE', flexible: true },
    number('KEPT'),
    ...['EXPIRED', 'REPLACED', 'FORGOTTEN', 'REMARKS', 'BEFORE'].map((title) => ({ ...number(title), optional: true })),
    number('AFTER'),
  ]
  const rows = report.files.map((file) => [
    oneLine(file.name),
    ...[file.kept, file.expired, file.superseded, file.forgotten, file.remarks].map(String),
    bytes(file.bytesBefore),
    bytes(file.bytesAfter),
  ])
  return [table(page, columns, rows), '', verdict(report)].join('\n')
}

function verdict({ dryRun, removed, backup }: CompactionReport): string {
  if (dryRun) return `${counted(removed, 'line')} would be removed. Nothing was written.`
  if (backup === undefined) return 'Every line is needed. Nothing was written.'
  return `${counted(removed, 'line')} removed. The originals are in ${oneLine(backup)}.`
}
