import type { Command } from 'commander'
import {
  type BackfillFinding,
  type BackfillOptions,
  type BackfillReport,
  backfill,
  type ProjectOptions,
  settleIndex,
} from '../../native.js'
import { counted, bytes as size } from '../../text/amount.js'
import { oneLine } from '../../text/printable.js'
import type { Answer, Respond } from '../answer.js'
import { confirmed } from '../confirm.js'
import { asksForJson } from '../json.js'
import { given, number } from '../options.js'
import { date } from '../page/moment.js'
import { write } from '../page/output.js'
import { openPage, type Page } from '../page/page.js'
import { table } from '../page/table.js'
import { isTerminal } from '../page/terminal.js'

/** The maximum number of findings shown to people; `--json` contains all. */
const SHOWN = 40
const PROBLEMS_SHOWN = 5

interface Flags {
  agent?: string[]
  since?: string
  allProjects?: boolean
  accept?: number
  dryRun?: boolean
  yes?: boolean
}

export function configure(command: Command, respond: Respond): void {
  command
    .option('--agent <names...>', 'only sessions of these agents: claude, codex, gemini, ...')
    .option('--since <when>', 'only messages since: 2026-08-01, or an age such as 30d')
    .option('--all-projects', 'sessions of all projects; each finding goes to its own project')
    .option(
      '--accept <confidence>',
      'accept findings with at least this confidence (0 to 1), those of earlier runs as well; propose the others',
      number,
    )
    .option('--dry-run', 'show the findings and write nothing')
    .option('--yes', 'put all findings into the review inbox, without asking')
    .action(respond(async (project, flags: Flags): Promise<Answer> => answer(project, flags)))
}

async function answer(project: ProjectOptions, flags: Flags): Promise<Answer> {
  const { agent, since, allProjects, accept } = flags
  const options: BackfillOptions = { ...project, ...given({ agents: agent, since, allProjects }) }
  const plan = backfill(options)
  const chosen = flags.dryRun ? undefined : await chosenOf(plan, flags)
  if (chosen === undefined) return { document: plan, text: (page) => planned(plan, page) }
  const report = backfill({ ...options, ...(accept === undefined ? { only: chosen } : { accept }) })
  return {
    document: report,
    text: (page) => `${planned(report, page)}\n\n${done(report)}`,
    afterwards: () => settleIndex(project),
  }
}

/** Returns the keys of the findings to store; undefined when the user has not confirmed. */
async function chosenOf(plan: BackfillReport, flags: Flags): Promise<string[] | undefined> {
  const keys = plan.findings.map(({ key }) => key)
  if (keys.length === 0 || flags.yes || flags.accept !== undefined) return keys
  if (!isTerminal(0) || !isTerminal(1) || asksForJson()) return undefined
  write(1, `${planned(plan, await openPage(1))}\n`)
  const isConfirmed = await confirmed(
    `Put these ${counted(keys.length, 'finding')} into the review inbox? (y/n)`,
    'writes',
  )
  return isConfirmed ? keys : undefined
}

function planned(report: BackfillReport, page: Page): string {
  const parts = [agentsOf(report, page), findingsOf(report.findings, page), countsOf(report), problemsOf(report)]
  return parts.filter((part) => part !== '').join('\n\n')
}

function agentsOf({ agents }: BackfillReport, page: Page): string {
  if (agents.length === 0) return 'No sessions of agents were found on this machine.'
  const rows = agents.map(({ title, files, bytes, sessions, first, last }) => [
    title,
    String(files),
    size(bytes),
    String(sessions),
    first === undefined || last === undefined ? '' : `${date(first)} to ${date(last)}`,
  ])
  const columns = [
    { title: 'agent' },
    { title: 'files', align: 'right' as const },
    { title: 'size', align: 'right' as const },
    { title: 'new sessions here', align: 'right' as const },
    { title: 'from', optional: true },
  ]
  return table(page, columns, rows)
}

function findingsOf(findings: BackfillFinding[], page: Page): string {
  if (findings.length === 0) return ''
  const rows = findings
    .slice(0, SHOWN)
    .map(({ kind, confidence, text, reason, agent, session, line }) => [
      kind,
      confidence.toFixed(2),
      oneLine(text),
      oneLine(reason),
      oneLine(`${agent} ${session.slice(0, 8)}:${line}`),
    ])
  const columns = [
    { title: 'kind' },
    { title: 'sure', align: 'right' as const },
    { title: 'what', flexible: true },
    { title: 'why', flexible: true },
    { title: 'where', optional: true },
  ]
  const rest = findings.length - SHOWN
  return table(page, columns, rows) + (rest > 0 ? `\nand ${counted(rest, 'more finding')}; --json lists all.` : '')
}

function countsOf(report: BackfillReport): string {
  const { findings, read, unchanged, waiting, known, secrets, invalid, oversized, unknown } = report
  const unknowns = Object.values(unknown).reduce((sum, count) => sum + count, 0)
  const lines = [
    `${counted(findings.length, 'finding')}; ${counted(read, 'file')} read, ${unchanged} unchanged.`,
    waiting > 0 ? `${counted(waiting, 'sentence')} seen in one session only; a second one confirms them.` : '',
    known > 0 ? `${counted(known, 'finding')} stored, declined or forgotten before.` : '',
    secrets > 0 ? `${counted(secrets, 'finding')} refused because of a secret.` : '',
    invalid + oversized > 0 ? `${invalid} invalid and ${oversized} oversized lines skipped.` : '',
    unknowns > 0 ? `${counted(unknowns, 'record')} of unknown types skipped.` : '',
  ]
  return lines.filter((line) => line !== '').join('\n')
}

function problemsOf({ problems }: BackfillReport): string {
  if (problems.length === 0) return ''
  const shown = problems.slice(0, PROBLEMS_SHOWN).map(({ path, reason }) => `  ${oneLine(path)} ${oneLine(reason)}`)
  const rest = problems.length - PROBLEMS_SHOWN
  return ['Not read:', ...shown, ...(rest > 0 ? [`  and ${rest} more`] : [])].join('\n')
}

function done({ stored, proposed, duplicates, accepted }: BackfillReport): string {
  const inbox = proposed > 0 ? '; decide with forge-memory review' : ''
  const earlier = accepted > 0 ? `, ${accepted} of earlier runs accepted` : ''
  return `${counted(stored, 'record')} stored${earlier}, ${proposed} in the review inbox, ${counted(duplicates, 'duplicate')} skipped${inbox}.`
}
