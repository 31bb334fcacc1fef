import type { Command } from 'commander'
import type { ProjectOptions } from '../../native.js'
import type { StoreCheck } from '../../openbrain/client/check.js'
import type { Finding, RetentionReport } from '../../openbrain/store.js'
import { msOfAge } from '../../shared/age.js'
import type { Variable } from '../../shared/declared-settings.js'
import { variable } from '../../shared/environment.js'
import { isStartedByAgent } from '../../shared/speaker.js'
import { counted, oneLine } from '../../text/printable.js'
import { type Answer, type CommandEntry, calledOff, type Respond } from '../command.js'
import { agreed, confirmed } from '../confirm.js'
import { Failure } from '../failure.js'
import { requirePerson } from '../leave.js'
import { given } from '../options.js'
import type { Page } from '../page/page.js'
import { flexible, table } from '../page/table.js'
import { reportWork } from '../page/work.js'

export const entry: CommandEntry = {
  group: 'share',
  summary: 'set up and check the shared store, and remove what is old from it',
  subcommands: {
    use: [
      'forge-memory share store use --yes postgres://me@db.example.org/memory',
      'forge-memory share store use --yes file     # back to the file of this user',
    ],
    init: ['forge-memory share store init --print-sql', 'forge-memory share store init --print-sql --row-security'],
    check: ['forge-memory share store check', 'forge-memory share store check -j'],
    retain: [
      'forge-memory share store retain --dry-run',
      'forge-memory share store retain --expired 90d --superseded never --dry-run',
    ],
  },
  work: { verb: 'removing', unit: 'records', kept: 'what was removed stays removed; the same command continues' },
}

interface RetainFlags {
  expired: string
  superseded: string
  forgotten: string
  audit: string
  dryRun?: boolean
  yes?: boolean
}

export function configure(command: Command, respond: Respond): void {
  command
    .command('use [address]')
    .description(
      'Use a database, or "file", for all projects that name no store: writes ~/.forge/config.json, and the password to ~/.forge/secrets.json.',
    )
    .option('--yes', 'do not ask for confirmation')
    .action(
      respond(async (project, argument: string | undefined, flags: UseFlags): Promise<Answer> => {
        // Whoever sets the environment of a script has decided about the address.
        const isFromEnvironment = argument === undefined || argument === variable(ADDRESS_VARIABLE)
        if (isStartedByAgent() || !isFromEnvironment) requirePerson('choose the shared store of all projects', project)
        return use(argument, flags)
      }),
    )
  command
    .command('init')
    .description('Create the tables, and the roles of owners, writers and readers, in the database.')
    .option('--print-sql', 'print the statements for an administrator, and connect to nothing')
    .option('--apply', 'run them in the database of the settings')
    .option('--row-security', 'people see and write only projects that were granted to them')
    .action(respond(async (project, flags: InitFlags): Promise<Answer> => init(project, flags)))
  command
    .command('check')
    .description('Test everything that a healthy set-up of the shared store needs; nothing is changed.')
    .action(
      respond(async (project): Promise<Answer> => {
        const { checkStore } = await import('../../openbrain/client/check.js')
        const outcome = await checkStore(project)
        return { document: outcome, text: (page) => checks(outcome, page), exitCode: outcome.ok ? 0 : 1 }
      }),
    )
  command
    .command('retain')
    .description('Remove thoughts that no search returns any more from the shared store in PostgreSQL.')
    .option('--expired <age>', 'those that expired at least so long ago, such as 30d, or never', '30d')
    .option('--superseded <age>', 'those that were superseded at least so long ago, or never', '90d')
    .option('--forgotten <age>', 'the ids that keep forgotten thoughts away, or never', 'never')
    .option(
      '--audit <age>',
      'entries of the audit: who stored, edited and forgot what; an owner may remove them, or never',
      'never',
    )
    .option('--dry-run', 'count what would be removed and write nothing')
    .option('--yes', 'do not ask; without it, a terminal asks')
    .action(
      respond(async (project, flags: RetainFlags): Promise<Answer> => {
        const retention = given({
          expiredDays: daysOf('--expired', flags.expired),
          supersededDays: daysOf('--superseded', flags.superseded),
          forgottenDays: daysOf('--forgotten', flags.forgotten),
          auditDays: daysOf('--audit', flags.audit),
        })
        const { retainStore } = await import('../../openbrain/client/check.js')
        const isDry = flags.dryRun === true
        const wouldRemove = () => retainStore(retention, { ...project, isDry: true })
        if (!isDry && !flags.yes && !(await agreed(async () => questionAbout(await wouldRemove()))))
          return calledOff('Nothing was removed.', { dryRun: true })
        const onProgress = (so: RetentionReport) =>
          reportWork({ done: so.expired + so.superseded + so.forgotten + so.audit, total: 0 })
        const removed = await retainStore(retention, { ...project, isDry, onProgress })
        return { document: { ...removed, dryRun: isDry }, text: summary(removed, isDry) }
      }),
    )
}

interface UseFlags {
  yes?: boolean
}

/** The variable in which hosting providers hand out the address of a database. */
const ADDRESS_VARIABLE: Variable = 'DATABASE_URL'

async function use(argument: string | undefined, { yes }: UseFlags): Promise<Answer> {
  const text = argument ?? variable(ADDRESS_VARIABLE)
  if (text === undefined || text.trim() === '') {
    throw new Failure('INVALID_INPUT', `expected the address of a database, as an argument or in ${ADDRESS_VARIABLE}`, {
      hint: 'forge-memory store use postgres://me@db.example.org/memory',
    })
  }
  const { readAddress, useStore } = await import('../../openbrain/client/set-up.js')
  const address = await readAddress(text)
  const { url, password, dropped } = address
  const secret = password === undefined ? '' : ', and its password to ~/.forge/secrets.json (mode 0600)'
  const question = `Write ${oneLine(url)} to ~/.forge/config.json${secret}? (y/n)`
  if (yes !== true && !(await confirmed(question, 'writes'))) return calledOff('Nothing was written.', { written: [] })
  const used = useStore(address)
  return {
    document: { ...used, url, dropped },
    text: [
      `${oneLine(used.place)} is the shared store of all projects that name none.`,
      ...used.written.map((path) => `  written: ${oneLine(path)}`),
      ...(dropped.length === 0 ? [] : [`Left out, because it changes nothing here: ${dropped.join(', ')}.`]),
      'Next: forge-memory store check',
    ].join('\n'),
  }
}

interface InitFlags {
  printSql?: boolean
  apply?: boolean
  rowSecurity?: boolean
}

async function init(project: ProjectOptions, { printSql, apply, rowSecurity = false }: InitFlags): Promise<Answer> {
  if (printSql === apply) {
    throw new Failure('INVALID_INPUT', 'expected either --print-sql or --apply', {
      hint: '--print-sql shows every statement and connects to nothing',
    })
  }
  const { initStore, storeScript } = await import('../../openbrain/client/set-up.js')
  if (printSql) {
    const sql = await storeScript({ rowSecurity })
    return { document: { sql }, text: () => sql.trimEnd() }
  }
  const { place, writer } = await initStore({ ...project, rowSecurity })
  const people = `create role anna login password '...' in role ${oneLine(writer)};`
  return {
    document: { place, writer, applied: true, rowSecurity },
    text: `The tables and roles are in ${oneLine(place)}. For each person: ${people}`,
  }
}

/** Undefined when there is nothing to remove. */
function questionAbout(report: RetentionReport): string | undefined {
  const isEmpty = Object.values(report).every((count) => count === 0)
  return isEmpty ? undefined : `${summary(report, true)}\nRemove this from the shared store?`
}

const DAY_MS = 24 * 3600_000

/** Parses an age in whole days; undefined for `never`. */
function daysOf(option: string, text: string): number | undefined {
  if (text === 'never') return undefined
  const days = (msOfAge(text) ?? 0) / DAY_MS
  if (days >= 1 && Number.isInteger(days)) return days
  throw new Failure('INVALID_INPUT', `${option}: expected never, or an age of at least a day such as 30d, 12w or 1y`)
}

function summary({ expired, superseded, forgotten, audit }: RetentionReport, isDry: boolean): string {
  const thoughts = `${counted(expired, 'expired thought')}, ${counted(superseded, 'superseded thought')}`
  const what = `${thoughts}, ${counted(forgotten, 'forgotten id')} and ${counted(audit, 'audit entry', 'audit entries')}`
  return isDry ? `${what} would be removed. Nothing was written.` : `${what} removed.`
}

const ROLES = { good: 'good', note: 'warning', bad: 'bad' } as const satisfies Record<Finding['state'], string>

function checks({ backend, place, findings, ok }: StoreCheck, page: Page): string {
  const columns = ['CHECK', 'STATE', flexible('FOUND')]
  const rows = findings.map(({ name, state, message, remedy }) => [
    name,
    page.paint(ROLES[state], state),
    remedy === undefined ? oneLine(message) : `${oneLine(message)}; ${oneLine(remedy)}`,
  ])
  const end = ok ? 'The shared store works.' : 'The shared store does not work as it is.'
  return [
    `${backend ?? 'no store'}  ${page.paint('quiet', oneLine(place))}`,
    '',
    table(page, columns, rows),
    '',
    end,
  ].join('\n')
}
