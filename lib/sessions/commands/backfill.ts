import { type Command, Option } from 'commander'
import { type Answer, asksForJson, type CommandEntry, type Respond } from '../../cli/command.js'
import { answered } from '../../cli/confirm.js'
import { Failure } from '../../cli/failure.js'
import { given, number } from '../../cli/options.js'
import { chosenKey } from '../../cli/page/key.js'
import { date } from '../../cli/page/moment.js'
import { listedText } from '../../cli/page/named.js'
import { notRead } from '../../cli/page/not-read.js'
import { write } from '../../cli/page/output.js'
import { indent, openPage, type Page } from '../../cli/page/page.js'
import { optional, right, table } from '../../cli/page/table.js'
import { isTerminal } from '../../cli/page/terminal.js'
import {
  type BackfillFinding,
  type BackfillOptions,
  type BackfillReport,
  backfill,
  type ProjectOptions,
  settleIndex,
} from '../../native.js'
import { counted, oneLine, bytes as size } from '../../text/printable.js'

export const entry: CommandEntry = {
  group: 'agent',
  summary: 'learn from the past sessions of your agents',
  examples: [
    'forge-memory agent backfill --dry-run',
    'forge-memory agent backfill --agent claude --since 30d --accept 0.9',
    'forge-memory agent backfill --for-agent --json',
  ],
  work: {
    verb: 'reading sessions',
    unit: 'KiB',
    kept: 'findings that were stored wait for a review; run it again to continue',
  },
}

/** The maximum number of findings shown to people; `--json` contains all. */
const SHOWN = 40

interface Flags {
  agent?: string[]
  since?: string
  allProjects?: boolean
  accept?: number
  dryRun?: boolean
  yes?: boolean
  explain?: boolean
  forAgent?: boolean
  from?: string
  quotes?: boolean
}

/** What an agent is handed is of its own project and undecided, and it accepts nothing. */
const NOT_FOR_AGENTS = ['since', 'allProjects', 'accept', 'dryRun', 'yes', 'explain']

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
    .option('--explain', 'name the types of records that no reader knows, which are skipped')
    .addOption(
      new Option('--for-agent', 'hand the next findings, each with the turn around it, to an agent').conflicts(
        NOT_FOR_AGENTS,
      ),
    )
    .addOption(
      new Option('--from <cursor>', 'the agent is through with the batch that has this cursor')
        .implies({ forAgent: true })
        .conflicts(NOT_FOR_AGENTS),
    )
    .addOption(
      new Option(
        '--quotes',
        'put what the agent quotes into the review inbox: {"key", "quote", "type"} on each line of standard input',
      )
        .implies({ forAgent: true })
        .conflicts(NOT_FOR_AGENTS),
    )
    .action(respond(async (project, flags: Flags): Promise<Answer> => answer(project, flags)))
}

async function answer(project: ProjectOptions, flags: Flags): Promise<Answer> {
  if (flags.forAgent) return (await import('./hand-over/handed.js')).handOver(project, flags)
  const { agent, since, allProjects, explain = false } = flags
  const options: BackfillOptions = { ...project, ...given({ agents: agent, since, allProjects }) }
  const plan = backfill(options)
  const { chosen, isShown = false } = flags.dryRun ? {} : await decided(plan, flags)
  // Whoever was asked has the findings on the screen.
  const page = (report: BackfillReport, last: string) => (page: Page) =>
    [isShown ? '' : planned(report, page, explain), last].filter((part) => part !== '').join('\n\n')
  if (chosen === undefined) return { document: plan, text: page(plan, isShown ? 'Nothing was stored.' : '') }
  const report = backfill({ ...options, ...chosen })
  return {
    document: report,
    text: page(report, done(report)),
    afterwards: () => settleIndex(project),
  }
}

/** Which findings are stored, and from which confidence on they are accepted. */
type Chosen = Pick<BackfillOptions, 'only' | 'decline' | 'accept'>

const QUESTION =
  'Put these findings into the review inbox? [y]es, [p]ick one by one, [c]onfident ones are accepted at once, [n]o'
const ANSWERS = { y: 'yes', p: 'pick', c: 'confident', n: 'no', q: 'no' } as const
const PICK = '[y]es, [n]ever offer it again, [s]kip, [q]uit'
const PICKS = { y: 'yes', n: 'never', s: 'skip', q: 'quit' } as const

/** Returns what to store, nothing when the user has not confirmed; and whether the findings were shown for that. */
async function decided(
  plan: BackfillReport,
  { yes, accept, explain = false }: Flags,
): Promise<{ chosen?: Chosen; isShown?: boolean }> {
  if (accept !== undefined) return { chosen: { accept } }
  const keys = plan.findings.map(({ key }) => key)
  if (keys.length === 0 || yes) return { chosen: { only: keys } }
  if (!isTerminal(0) || !isTerminal(1) || asksForJson()) return {}
  const page = await openPage(1)
  write(1, `${planned(plan, page, explain)}\n`)
  return { isShown: true, ...given({ chosen: await chosenOf(plan, page) }) }
}

async function chosenOf({ findings }: BackfillReport, page: Page): Promise<Chosen | undefined> {
  switch (await chosenKey(QUESTION, ANSWERS)) {
    case 'yes':
      return { only: findings.map(({ key }) => key) }
    case 'pick':
      return picked(findings, page)
    case 'confident':
      return { accept: confidenceOf(await answered(FROM)) }
    default:
      return undefined
  }
}

const FROM = 'From which confidence on, 0 to 1? The others wait for a review.'

function confidenceOf(text: string): number {
  const value = Number(text)
  if (text !== '' && value >= 0 && value <= 1) return value
  throw new Failure('INVALID_INPUT', `${oneLine(text)} is not a confidence from 0 to 1: nothing was stored`)
}

async function picked(findings: BackfillFinding[], page: Page): Promise<Chosen | undefined> {
  const chosen = { only: [] as string[], decline: [] as string[] }
  for (const [at, finding] of findings.entries()) {
    write(1, `\n${at + 1} of ${findings.length}\n${findingText(finding, page)}\n`)
    const choice = await chosenKey(PICK, PICKS)
    if (choice === 'quit') break
    if (choice === 'yes') chosen.only.push(finding.key)
    if (choice === 'never') chosen.decline.push(finding.key)
  }
  return chosen.only.length + chosen.decline.length === 0 ? undefined : chosen
}

function planned(report: BackfillReport, page: Page, isExplained: boolean): string {
  const unknown = isExplained ? unknownIn(report) : ''
  const parts = [
    agentsOf(report, page),
    findingsOf(report.findings, page),
    countsOf(report),
    unknown,
    notRead(report.problems),
  ]
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
  const columns = ['agent', right('files'), right('size'), right('new sessions here'), optional('from')]
  return table(page, columns, rows)
}

/** The most certain first: whole sentences, each with a line about it. */
function findingsOf(findings: BackfillFinding[], page: Page): string {
  const rest = findings.length - SHOWN
  const shown = findings.slice(0, SHOWN).map((finding) => findingText(finding, page))
  return [...shown, ...(rest > 0 ? [`and ${counted(rest, 'more finding')}; --json lists all.`] : [])].join('\n')
}

function findingText({ kind, confidence, text, reason, agent, session, line }: BackfillFinding, page: Page): string {
  const facts = `${kind}, ${Math.round(confidence * 100)} % sure: ${oneLine(reason)} (${oneLine(`${agent} ${session.slice(0, 8)}:${line}`)})`
  return `${listedText(page.paint('strong', oneLine(text)), 0, page)}\n${indent(facts, 4, page)}`
}

function countsOf(report: BackfillReport): string {
  const { findings, read, unchanged, waiting, known, unwanted, secrets, invalid, oversized } = report
  const lines = [
    `${counted(findings.length, 'finding')}; ${counted(read, 'file')} read, ${unchanged} unchanged.`,
    findings.length > 0
      ? 'An agent understands them better: ask yours to learn from past sessions, or say forge-memory backfill --for-agent to it.'
      : '',
    waiting > 0 ? `${counted(waiting, 'sentence')} seen in one session only; a second one confirms them.` : '',
    unwanted > 0 ? `${counted(unwanted, 'finding')} left out: the last three of the kind were rejected.` : '',
    known > 0 ? `${counted(known, 'finding')} stored, declined or forgotten before.` : '',
    secrets > 0 ? `${counted(secrets, 'finding')} refused because of a secret.` : '',
    invalid + oversized > 0 ? `${invalid} invalid and ${oversized} oversized lines skipped.` : '',
  ]
  return lines.filter((line) => line !== '').join('\n')
}

/** Agents add types of records all the time, and most mean nothing to a memory: only who asks is told. */
function unknownIn({ unknown }: BackfillReport): string {
  const types = Object.entries(unknown).map(([type, count]) => `${oneLine(type)} (${count})`)
  return types.length === 0 ? 'No record was of an unknown type.' : `Skipped, of unknown types: ${types.join(', ')}.`
}

function done({ stored, proposed, duplicates, accepted }: BackfillReport): string {
  const inbox = proposed > 0 ? '; decide with forge-memory review' : ''
  const earlier = accepted > 0 ? `, ${accepted} of earlier runs accepted` : ''
  return `${counted(stored, 'record')} stored${earlier}, ${proposed} in the review inbox, ${counted(duplicates, 'duplicate')} skipped${inbox}.`
}
