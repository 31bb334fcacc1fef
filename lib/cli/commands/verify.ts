import type { Command } from 'commander'
import { type Suspect, type Verification, verifyMemory } from '../../native.js'
import { counted } from '../../text/amount.js'
import { oneLine } from '../../text/printable.js'
import type { Answer, Respond } from '../answer.js'
import { given } from '../options.js'
import { indent } from '../page/layout.js'
import type { Page } from '../page/page.js'
import { pairs } from '../page/table.js'

interface Flags {
  repair?: boolean
  strict?: boolean
}

const LISTED_MAX = 50

export function configure(command: Command, respond: Respond): void {
  command
    .option('--repair', 'rebuild type files, queue and index from the raw log; set damaged lines aside')
    .option('--strict', 'exit with 1 for records without a hash as well')
    .action(
      respond((project, flags: Flags): Answer => {
        const found = verifyMemory({ ...project, ...given({ repair: flags.repair }) })
        const failed = !found.ok || (flags.strict === true && found.unstamped > 0)
        return { document: found, text: (page) => text(found, page), exitCode: failed ? 1 : 0 }
      }),
    )
}

function text(found: Verification, page: Page): string {
  const counts = pairs(page, [
    ['records', String(found.records)],
    ['intact', String(found.intact)],
    ['edited outside', String(found.edited)],
    ['source drifted', String(found.drifted)],
    ['unstamped', String(found.unstamped)],
    ['damaged lines', String(found.damaged)],
    ['coverage', `${Math.floor(found.coverage * 1000) / 10} %`],
  ])
  const listed = found.suspects.slice(0, LISTED_MAX).map((suspect) => line(suspect, page))
  const more = found.suspects.length - listed.length
  return [...repairs(found), counts, '', ...listed, ...(more > 0 ? [`and ${more} more`] : []), verdict(found)].join(
    '\n',
  )
}

function line({ file, line, id, standing, reason }: Suspect, page: Page): string {
  const place = `${oneLine(file)}:${line}`
  const facts = `${id === undefined ? '' : `${oneLine(id)} `}${oneLine(reason)}`
  return `${page.paint('red', standing)} ${place}\n${indent(facts, 2, page)}`
}

function repairs({ repaired }: Verification): string[] {
  if (repaired === undefined) return []
  if (repaired.length === 0) return ['There was nothing to repair; the index will be rebuilt.', '']
  const lines = repaired.map(({ name, quarantined, quarantine, added, corrected }) => {
    const parts = [
      quarantined > 0 ? `${counted(quarantined, 'line')} set aside in ${oneLine(quarantine ?? '')}` : '',
      added > 0 ? `${counted(added, 'line')} added` : '',
      corrected > 0 ? `${counted(corrected, 'line')} corrected` : '',
    ]
    return `repaired ${oneLine(name)}: ${parts.filter((part) => part !== '').join(', ')}`
  })
  return [...lines, '']
}

function verdict(found: Verification): string {
  if (!found.ok) return `${counted(found.edited + found.drifted + found.damaged, 'line')} to review.`
  return found.unstamped > 0 ? 'All stamped records are intact.' : 'All records are intact.'
}
