import type { Command } from 'commander'
import { type FileMigration, type MigrationReport, migrateMemory, settleIndex } from '../../native.js'
import { counted, oneLine } from '../../text/printable.js'
import type { Answer, CommandEntry, Respond } from '../command.js'
import { given } from '../options.js'
import type { Page } from '../page/page.js'
import { flexible, right, table } from '../page/table.js'

export const entry: CommandEntry = {
  group: 'admin',
  summary: 'migrate all records, including those of older tools, to the latest format',
  examples: ['forge-memory admin migrate-memory --dry-run', 'forge-memory admin migrate-memory'],
  work: {
    verb: 'migrating',
    unit: 'files',
    kept: 'every file is whole: migrated already, or as it was; run it again to continue',
  },
}

interface Flags {
  dryRun?: boolean
}

const COLORS = { current: 'quiet', migrated: 'good', moved: 'good', newer: 'warning', foreign: 'warning' } as const

export function configure(command: Command, respond: Respond): void {
  command.option('--dry-run', 'list what would change, file by file, and write nothing').action(
    respond((project, flags: Flags): Answer => {
      const report = migrateMemory({ ...project, ...given({ dryRun: flags.dryRun }) })
      return {
        document: report,
        text: (page) => text(report, page),
        warnings: report.files
          .filter(isLeftAlone)
          .map((file) => `${file.name} was not changed: ${file.notes.join(', ')}`),
        afterwards: () => (report.dryRun ? undefined : settleIndex(project)),
      }
    }),
  )
}

function isLeftAlone({ fate }: FileMigration): boolean {
  return fate === 'newer' || fate === 'foreign'
}

function text(report: MigrationReport, page: Page): string {
  if (report.files.length === 0) return 'There is nothing to migrate.'
  const columns = [flexible('FILE'), 'STATE', right('RECORDS'), right('CHANGED'), flexible('NOTES')]
  const rows = report.files.map((file) => [
    oneLine(file.name),
    page.paint(COLORS[file.fate as keyof typeof COLORS] ?? 'quiet', stateOf(file)),
    String(file.records),
    String(file.changed),
    oneLine(notesOf(file)),
  ])
  return [table(page, columns, rows), '', page.wrap(verdict(report), page.width)].join('\n')
}

function stateOf({ fate, target }: FileMigration): string {
  return target === undefined ? fate : `${fate} to ${oneLine(target)}`
}

function notesOf({ notes, unparsable }: FileMigration): string {
  const kept = unparsable > 0 ? [`${counted(unparsable, 'line')} kept as it is`] : []
  return [...notes, ...kept].join(', ')
}

function verdict({ dryRun, backup, changed, version }: MigrationReport): string {
  if (dryRun) return `${counted(changed, 'record')} would change. Nothing was written.`
  if (backup === undefined) return `All records are of version ${version}. Nothing was written.`
  return `${counted(changed, 'record')} changed to version ${version}. The originals are in ${oneLine(backup)}.`
}
