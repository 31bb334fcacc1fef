import { isAbsolute } from 'node:path'
import type { Command } from 'commander'
import {
  type AuditReport,
  auditMemory,
  type Finding,
  findProject,
  type HealReport,
  healMemory,
  type LostRecord,
  type ProjectOptions,
  redactMemory,
  restoreLost,
  type Verification,
  verifyMemory,
} from '../../native.js'
import { given } from '../../shared/given.js'
import { counted, oneLine } from '../../text/printable.js'
import { type Answer, addNote, asksForJson, type CommandEntry, calledOff, type Respond } from '../command.js'
import { agreed, askYesNo } from '../confirm.js'
import { short } from '../page/named.js'
import { indent, type Page } from '../page/page.js'
import { repairLines } from '../page/repairs.js'
import { flexible, right, table } from '../page/table.js'
import { isTerminal } from '../page/terminal.js'
import { reportWork } from '../page/work.js'

export const entry: CommandEntry = {
  group: 'daily',
  summary: 'look for damage, and repair it',
  examples: ['forge-memory doctor', 'forge-memory doctor --fix --dry-run', 'forge-memory doctor --audit'],
  work: {
    verb: 'checking the files',
    unit: 'steps',
    kept: 'every file is whole: repaired already, or as it was; run it again to continue',
  },
}

const COLORS = { ok: 'good', warning: 'warning', problem: 'bad' } as const
const EXAMPLES_MAX = 3
const MARGIN = 'problem'.length + 2

interface Flags {
  fix?: boolean
  audit?: boolean
  redact?: boolean
  agents?: boolean
  dryRun?: boolean
  yes?: boolean
}

const NOTE =
  'Which command is for what: doctor finds damage; --fix repairs it, from what is stored; --redact removes secrets that are ' +
  'stored already; forge-memory verify checks hashes and changes nothing; forge-memory compact makes files smaller.'

export function configure(command: Command, respond: Respond): void {
  addNote(command, NOTE)
    .option(
      '--fix',
      'repair: heal what merges left, bring lost records back, set damaged lines aside, rebuild type files, queue and index',
    )
    .option(
      '--audit',
      'measure how far the memory has decayed: duplicates, cycles, secrets, records that are never recalled',
    )
    .option('--agents', 'check how each agent is configured to start the server, and whether it answers')
    .option('--redact', 'remove secrets from everything that is stored; the originals are not kept')
    .option('--dry-run', 'with --fix or --redact: only show what is wrong, and write nothing')
    .option(
      '--yes',
      'do not ask; without it, a terminal asks before --fix and --redact, and --agents starts only this program',
    )
    .action(
      respond(async (project, flags: Flags): Promise<Answer> => {
        if (flags.audit || flags.redact) return audit(project, flags)
        if (flags.agents) return checkAgents(project, flags.yes === true)
        if (!flags.fix || flags.dryRun) return answerOf(await check(project))
        const question = async (page: Page) => `${text((await check(project)).findings, page)}\n\n${FIX}`
        if (!flags.yes && !(await agreed(question))) return calledOff('Nothing was written.', [])
        const { writeFormerNames } = await import('../../init/index.js')
        const { migrateTables } = await import('../../openbrain/client/set-up.js')
        const migrated = await migrateTables(project)
        const repairs = { named: writeFormerNames(findProject(project)), ...repair(project), ...given({ migrated }) }
        return answerOf(await check(project), repairs)
      }),
    )
}

const FIX =
  'Heal what merges left, bring lost records back, set damaged lines aside, and rebuild type files, queue and index? The originals are kept.'

type FileRepair = NonNullable<Verification['repaired']>[number]

interface Repairs {
  /** Former names of the project that were written into its settings. */
  named: string[]
  healed: HealReport
  restored: LostRecord[]
  repaired: FileRepair[]
  /** The address of the shared store whose tables were migrated. */
  migrated?: string
}

/** Heals first: a repair takes conflict markers of git for damaged lines. Restored records are taken over into the files of types. */
function repair(project: ProjectOptions): Pick<Repairs, 'healed' | 'restored' | 'repaired'> {
  const healed = healMemory(project)
  const restored = restoreLost(project)
  return { healed, restored, repaired: verifyMemory({ ...project, repair: true }).repaired ?? [] }
}

interface Checked {
  findings: Finding[]
  /** The checks that took long, a sentence each. */
  slow: string[]
}

const SLOW_MS = 1000

/** Runs all checks, and says on a terminal which one is at work. The engine counts the reading of the files. */
async function check(project: ProjectOptions): Promise<Checked> {
  const { findFaults } = await import('../../init/findings.js')
  const begun: { what: string; at: number }[] = []
  const findings = await findFaults(project, (what) => {
    reportWork(begun.length === 0 ? undefined : { verb: `checking ${what}`, done: 0, total: 0 })
    begun.push({ what, at: performance.now() })
  })
  reportWork(undefined)
  const end = performance.now()
  const slow = begun.flatMap(({ what, at }, index) => {
    const ms = (begun[index + 1]?.at ?? end) - at
    return ms < SLOW_MS ? [] : [`Checking ${what} took ${(ms / 1000).toFixed(1)} s.`]
  })
  return { findings, slow }
}

function answerOf({ findings, slow }: Checked, repairs?: Repairs): Answer {
  return {
    document: repairs === undefined ? findings : { ...repairs, findings },
    text: (page) => {
      const done =
        repairs === undefined
          ? []
          : [
              ...naming(repairs.named),
              ...healing(repairs.healed),
              ...restoring(repairs.restored),
              ...repairLines(repairs.repaired),
              ...migrating(repairs.migrated),
            ]
      return [...done, text(findings, page), ...slow].join('\n')
    },
    exitCode: findings.some((finding) => finding.severity === 'problem') ? 1 : 0,
  }
}

/** True if the agents of this project, and of this machine, would start the server. */
async function checkAgents(project: ProjectOptions, isAllowed: boolean): Promise<Answer> {
  const { diagnoseHooks, diagnoseHosts } = await import('../../init/index.js')
  const hosts = await diagnoseHosts(findProject(project), async (lines) => isAllowed || mayStart(lines))
  const findings = [...hosts, ...(await diagnoseHooks(findProject(project)))]
  return {
    document: findings,
    text: (page) => (findings.length === 0 ? 'No agent was found here.' : text(findings, page)),
    exitCode: findings.some((finding) => finding.severity === 'problem') ? 1 : 0,
  }
}

/** A command to diagnose may be a program of somebody else, so only a person can say that it is started. */
async function mayStart(lines: string[]): Promise<boolean> {
  if (!isTerminal(0) || !isTerminal(1) || asksForJson()) return false
  const commands = lines.map((each) => `  ${oneLine(each)}`).join('\n')
  return askYesNo(
    `Settings of agents on this machine start these commands:\n${commands}\nStart them now, to see whether they answer? (y/n)`,
  )
}

/** The fields of a finding that a page shows, whoever found it. */
type Shown = Pick<Finding, 'code' | 'subject' | 'message' | 'hint'> & { severity: keyof typeof COLORS }

const REDACT = 'Remove the secrets from everything that is stored? The originals are not kept.'

/** Repairs before it measures, so that the figures describe the result. */
async function audit(project: ProjectOptions, flags: Flags): Promise<Answer> {
  const asks = flags.redact === true && !flags.dryRun && !flags.yes
  const isConfirmed = !asks || (await agreed((page) => `${rot(auditMemory(project), page)}\n\n${REDACT}`))
  if (!isConfirmed) return calledOff('Nothing was written.', [])
  const redacted = flags.redact && !flags.dryRun ? redactMemory(project) : undefined
  const audit = auditMemory(project)
  const summary =
    redacted === undefined
      ? ''
      : `Removed ${counted(redacted.secrets, 'secret')} from ${counted(redacted.lines, 'line')} in ${counted(redacted.files.length, 'file')}.\n\n`
  return {
    document: redacted === undefined ? audit : { redacted, ...audit },
    text: (page) => `${summary}${rot(audit, page)}`,
  }
}

function rot({ records, score, parts }: AuditReport, page: Page): string {
  const rows = parts.map(({ name, count, of, cost, ids }) => [
    name,
    String(count),
    of === 0 ? '' : `${((count / of) * 100).toFixed(1)} %`,
    cost === 0 ? '' : `-${cost.toFixed(1)}`,
    oneLine(ids.slice(0, EXAMPLES_MAX).join(' ')),
  ])
  const columns = ['ROT', right('COUNT'), right('SHARE'), right('POINTS'), flexible('FOR EXAMPLE')]
  const secrets = parts.some(({ name, count }) => name === 'secrets' && count > 0)
  const advice = secrets ? ['', 'do: forge-memory doctor --redact removes the secrets'] : []
  return [
    table(page, columns, rows),
    '',
    `${counted(records, 'record')}, score ${score.toFixed(1)} of 100.`,
    ...advice,
  ].join('\n')
}

function healing({ files, backup }: HealReport): string[] {
  if (files.length === 0) return ['There was nothing to heal.', '']
  const lines = files.map(({ name, markers, forgottenEdits, lines }) => {
    const edits = forgottenEdits > 0 ? `, ${counted(forgottenEdits, 'edit')} of forgotten records` : ''
    return `healed ${oneLine(name)}: ${counted(markers, 'conflict')}${edits}; it has ${counted(lines, 'line')} now`
  })
  return [...lines, `The originals are in ${oneLine(backup ?? '')}.`, '']
}

function migrating(place: string | undefined): string[] {
  return place === undefined
    ? []
    : [`Migrated the tables of ${oneLine(place)}: clients of earlier versions are refused now.`, '']
}

function naming(names: string[]): string[] {
  return names.length === 0 ? [] : [`Wrote ${names.map(oneLine).join(', ')} to formerNames of .forge.json.`, '']
}

function restoring(records: LostRecord[]): string[] {
  if (records.length === 0) return []
  const lines = records.map(({ id, text }) => `  ${short(id)}  ${oneLine(text)}`)
  return [`Brought back ${counted(records.length, 'record')}:`, ...lines, '']
}

function text(findings: Shown[], page: Page): string {
  return [...findings.map((finding) => line(finding, page)), '', verdict(findings)].join('\n')
}

function line({ severity, code, subject, message, hint }: Shown, page: Page): string {
  const label = page.paint(COLORS[severity], severity.padEnd(MARGIN))
  const about = isAbsolute(subject) ? page.link(subject, oneLine(subject)) : oneLine(subject)
  const facts = indent(`${about}: ${oneLine(message)} (${code})`, MARGIN, page).trimStart()
  return hint ? `${label}${facts}\n${indent(`do: ${oneLine(hint)}`, MARGIN, page)}` : `${label}${facts}`
}

function verdict(findings: Shown[]): string {
  const count = (severity: string) => findings.filter((finding) => finding.severity === severity).length
  const [problems, warnings] = [count('problem'), count('warning')]
  if (problems + warnings === 0) return 'All is well.'
  return `${counted(problems, 'problem')}, ${counted(warnings, 'warning')}.`
}
