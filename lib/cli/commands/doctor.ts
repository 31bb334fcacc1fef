import type { Command } from 'commander'
import { untrustedOpenBrain } from '../../api/shared-memory.js'
import {
  type AuditReport,
  auditMemory,
  diagnose,
  EmbeddedStore,
  type Finding,
  findProject,
  type HealReport,
  healMemory,
  type ProjectOptions,
  redactMemory,
} from '../../native.js'
import { hasCode, messageOf } from '../../shared/problem.js'
import { counted } from '../../text/amount.js'
import { oneLine } from '../../text/printable.js'
import type { Answer, Respond } from '../answer.js'
import { indent } from '../page/layout.js'
import type { Page } from '../page/page.js'
import { type Column, table } from '../page/table.js'

const COLORS = { ok: 'green', warning: 'yellow', problem: 'red' } as const
const EXAMPLES_MAX = 3
const MARGIN = 'problem'.length + 2

interface Flags {
  fix?: boolean
  audit?: boolean
  redact?: boolean
}

export function configure(command: Command, respond: Respond): void {
  command
    .option('--fix', 'heal conflict markers that git left, and edits of what is forgotten')
    .option('--audit', 'measure the rot of the memory: copies, loops, secrets, records that are never recalled')
    .option('--redact', 'remove secrets from everything that is stored; the originals are not kept')
    .action(
      respond(async (project, flags: Flags): Promise<Answer> => {
        if (flags.audit || flags.redact) return audited(project, flags)
        const healed = flags.fix ? healMemory(project) : undefined
        const findings = [
          ...diagnose(project),
          ...(await unapproved(project)),
          ...(await damaged()),
          ...(await inGit(project)),
        ]
        return {
          document: healed === undefined ? findings : { healed, findings },
          text: (page) => [...(healed === undefined ? [] : healing(healed)), text(findings, page)].join('\n'),
          exitCode: findings.some((finding) => finding.severity === 'problem') ? 1 : 0,
        }
      }),
    )
}

/** Captures wait while the user has not approved where they would go. */
async function unapproved(project: ProjectOptions): Promise<Finding[]> {
  const places = await untrustedOpenBrain(project)
  return places.map((place) => ({
    severity: 'warning',
    code: 'STORE_NOT_APPROVED',
    subject: '.forge.json',
    message: `sends what is captured to ${place}, which is not approved on this machine; captures wait in the queue`,
    hint: 'forge-memory drain --trust approves it; "openbrain": {"url": "file"} keeps everything on this machine',
  }))
}

/** The shared file of this user: nothing else would notice a damaged page before it is read. */
async function damaged(): Promise<Finding[]> {
  const store = EmbeddedStore.open()
  const finding = (message: string): Finding => ({
    severity: 'problem',
    code: 'DAMAGED_STORE',
    subject: store.path,
    message,
    hint: 'move the file and its -wal and -shm away, then forge-memory drain --again in every project',
  })
  try {
    return (await store.damage()).map((said) => finding(`the shared memory is damaged: ${said}`))
  } catch (error) {
    return hasCode(error, 'CORRUPT') ? [finding(`the shared memory is damaged: ${messageOf(error)}`)] : []
  } finally {
    store.close()
  }
}

/** What git would do to the memory, when it merges or commits. */
async function inGit(project: ProjectOptions): Promise<Finding[]> {
  const { diagnoseSetup } = await import('../../init/index.js')
  return diagnoseSetup(findProject(project))
}

/** Repairs first and measures afterwards, so that the figures describe the result. */
function audited(project: ProjectOptions, flags: Flags): Answer {
  const redacted = flags.redact ? redactMemory(project) : undefined
  const audit = auditMemory(project)
  const mended =
    redacted === undefined
      ? ''
      : `Removed ${counted(redacted.secrets, 'secret')} from ${counted(redacted.lines, 'line')} in ${counted(redacted.files.length, 'file')}.\n\n`
  return {
    document: redacted === undefined ? audit : { redacted, ...audit },
    text: (page) => `${mended}${rot(audit, page)}`,
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
  const columns: Column[] = [
    { title: 'ROT' },
    { title: 'COUNT', align: 'right' },
    { title: 'SHARE', align: 'right' },
    { title: 'POINTS', align: 'right' },
    { title: 'FOR EXAMPLE', flexible: true },
  ]
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
    const edits = forgottenEdits > 0 ? `, ${counted(forgottenEdits, 'edit')} of what is forgotten` : ''
    return `healed ${oneLine(name)}: ${counted(markers, 'conflict')}${edits}; it has ${counted(lines, 'line')} now`
  })
  return [...lines, `The originals are in ${oneLine(backup ?? '')}.`, '']
}

function text(findings: Finding[], page: Page): string {
  return [...findings.map((finding) => line(finding, page)), '', verdict(findings)].join('\n')
}

function line({ severity, code, subject, message, hint }: Finding, page: Page): string {
  const label = page.paint(COLORS[severity], severity.padEnd(MARGIN))
  const facts = indent(`${oneLine(subject)}: ${oneLine(message)} (${code})`, MARGIN, page).trimStart()
  return hint ? `${label}${facts}\n${indent(`do: ${oneLine(hint)}`, MARGIN, page)}` : `${label}${facts}`
}

function verdict(findings: Finding[]): string {
  const count = (severity: string) => findings.filter((finding) => finding.severity === severity).length
  const [problems, warnings] = [count('problem'), count('warning')]
  if (problems + warnings === 0) return 'All is well.'
  return `${counted(problems, 'problem')}, ${counted(warnings, 'warning')}.`
}
