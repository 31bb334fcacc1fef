import { type Command, Option } from 'commander'
import type { ImportedMemories, ImportMemoriesOptions } from '../../memories/index.js'
import { findProject, settleIndex } from '../../native.js'
import { counted, oneLine } from '../../text/printable.js'
import type { CommandEntry, Respond } from '../command.js'
import { given } from '../options.js'
import { notRead } from '../page/not-read.js'
import type { Page } from '../page/page.js'
import { flexible, optional, table } from '../page/table.js'

export const entry: CommandEntry = {
  group: 'agent',
  summary: 'propose what other agents were told or have learned',
  examples: [
    'forge-memory agent import-memories --dry-run',
    'forge-memory agent import-memories --agent claude --scope all',
  ],
  work: { verb: 'reading files', unit: 'files', kept: 'proposals that were stored stay; run it again to continue' },
}

/** Statements that are listed for people; `--json` has all. */
const SHOWN = 40

interface Flags {
  agent?: string[]
  scope: ImportMemoriesOptions['scope']
  dryRun?: boolean
}

export function configure(command: Command, respond: Respond): void {
  command
    .option('--agent <names...>', 'only files of these agents: claude, cursor, copilot, codex, windsurf, kiro, ...')
    .addOption(
      new Option('--scope <scope>', 'files of the project, of the user, or all')
        .choices(['project', 'user', 'all'])
        .default('project'),
    )
    .option('--dry-run', 'show what would be proposed, and write nothing')
    .action(
      respond(async (project, { agent, scope, dryRun }: Flags) => {
        const { importMemories } = await import('../../memories/index.js')
        const report = importMemories(findProject(project), project, given({ agents: agent, scope, dryRun }))
        return {
          document: report,
          text: (page) => text(report, page, dryRun ?? false),
          afterwards: () => (dryRun ? undefined : settleIndex(project)),
        }
      }),
    )
}

function text(report: ImportedMemories, page: Page, isDry: boolean): string {
  const parts = [
    isDry ? listed(report, page) : '',
    counts(report, isDry),
    notRead(report.skipped),
    report.lacks.map(oneLine).join('\n'),
  ]
  return parts.filter((part) => part !== '').join('\n\n')
}

function listed({ items }: ImportedMemories, page: Page): string {
  if (items.length === 0) return ''
  const rows = items
    .slice(0, SHOWN)
    .map(({ type, text: body, path, line }) => [type, oneLine(body), oneLine(`${path}:${line}`)])
  const columns = ['type', flexible('what'), optional('where')]
  const rest = items.length - SHOWN
  return table(page, columns, rows) + (rest > 0 ? `\nand ${counted(rest, 'more statement')}; --json lists all.` : '')
}

function counts(report: ImportedMemories, isDry: boolean): string {
  const { items, files, proposed, duplicates, known, redactions } = report
  const done = isDry
    ? `${counted(items.length, 'statement')} would be proposed.`
    : `${counted(proposed, 'statement')} proposed, ${counted(duplicates, 'duplicate')}.`
  const lines = [
    `${counted(files, 'file')} of agents read. ${done}`,
    known > 0 ? `${counted(known, 'statement')} proposed before, or said twice.` : '',
    redactions > 0 ? `${counted(redactions, 'secret')} removed.` : '',
    proposed > 0 ? 'forge-memory review accepts or rejects them; until then, no agent sees them.' : '',
  ]
  return lines.filter((line) => line !== '').join('\n')
}
