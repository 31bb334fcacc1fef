import type { Command } from 'commander'
import { diagnose, type Finding, type HealReport, healMemory } from '../../index.js'
import type { Answer, Respond } from '../answer.js'
import { counted } from '../page/amount.js'
import { indent } from '../page/layout.js'
import type { Page } from '../page/page.js'
import { oneLine } from '../page/printable.js'

const COLORS = { ok: 'green', warning: 'yellow', problem: 'red' } as const
const MARGIN = 'problem'.length + 2

interface Flags {
  fix?: boolean
}

export function configure(command: Command, respond: Respond): void {
  command.option('--fix', 'heal conflict markers that git left, and edits of what is forgotten').action(
    respond((project, flags: Flags): Answer => {
      const healed = flags.fix ? healMemory(project) : undefined
      const findings = diagnose(project)
      return {
        document: healed === undefined ? findings : { healed, findings },
        text: (page) => [...(healed === undefined ? [] : healing(healed)), text(findings, page)].join('\n'),
        exitCode: findings.some((finding) => finding.severity === 'problem') ? 1 : 0,
      }
    }),
  )
}

function healing({ files, backup }: HealReport): string[] {
  if (files.length === 0) return ['Nothing was to be healed.', '']
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
