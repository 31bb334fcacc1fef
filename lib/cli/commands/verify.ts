import { join } from 'node:path'
import { type Command, Option } from 'commander'
import { memoryDir, type Suspect, type Verification, verifyMemory } from '../../native.js'
import { forgeHome } from '../../shared/home.js'
import { counted, oneLine } from '../../text/printable.js'
import { type Answer, addNote, type CommandEntry, calledOff, type Respond } from '../command.js'
import { agreed } from '../confirm.js'
import { given } from '../options.js'
import { indent, type Page } from '../page/page.js'
import { repairLines } from '../page/repairs.js'
import { pairs } from '../page/table.js'

export const entry: CommandEntry = {
  group: 'admin',
  summary: 'check by its hash that no record was changed',
  examples: ['forge-memory admin verify', 'forge-memory admin verify --strict -j'],
  work: { verb: 'verifying', unit: 'bytes', kept: 'nothing was changed' },
}

interface Flags {
  repair?: boolean
  strict?: boolean
  yes?: boolean
}

const LISTED_MAX = 50
const QUESTION = 'Set damaged lines aside, and rebuild type files, queue and index? The originals are kept.'
const NOTE = 'It changes nothing. forge-memory doctor --fix repairs damaged lines; an edited record is yours to judge.'

export function configure(command: Command, respond: Respond): void {
  addNote(command, NOTE)
    // The earlier spelling of `doctor --fix`, without its healing of merges.
    .addOption(new Option('--repair', 'rebuild type files, queue and index; set damaged lines aside').hideHelp())
    .addOption(new Option('--yes', 'do not ask').hideHelp())
    .option('--strict', 'also exit with 1 for records without a hash')
    .action(
      respond(async (project, flags: Flags): Promise<Answer> => {
        if (flags.repair && !flags.yes && !(await agreed(() => QUESTION))) return calledOff('Nothing was written.')
        const found = verifyMemory({ ...project, ...given({ repair: flags.repair }) })
        const failed = !found.ok || (flags.strict === true && found.unstamped > 0)
        return { document: found, text: (page) => text(found, page, memoryDir(project)), exitCode: failed ? 1 : 0 }
      }),
    )
}

function text(found: Verification, page: Page, project: string): string {
  const counts = pairs(page, [
    ['records', String(found.records)],
    ['intact', String(found.intact)],
    ['edited outside', String(found.edited)],
    ['source drifted', String(found.drifted)],
    ['unstamped', String(found.unstamped)],
    ['damaged lines', String(found.damaged)],
    ['coverage', `${Math.floor(found.coverage * 1000) / 10} %`],
  ])
  const listed = found.suspects.slice(0, LISTED_MAX).map((suspect) => line(suspect, page, project))
  const more = found.suspects.length - listed.length
  return [
    ...(found.repaired === undefined ? [] : repairLines(found.repaired)),
    counts,
    '',
    ...listed,
    ...(more > 0 ? [`and ${more} more`] : []),
    verdict(found),
  ].join('\n')
}

function line({ file, line, id, standing, reason }: Suspect, page: Page, project: string): string {
  const path = file.startsWith('~') ? join(forgeHome(), file.slice('~/.forge'.length)) : join(project, '.forge', file)
  const place = page.link(path, `${oneLine(file)}:${line}`)
  const facts = `${id === undefined ? '' : `${oneLine(id)} `}${oneLine(reason)}`
  return `${page.paint('bad', standing)} ${place}\n${indent(facts, 2, page)}`
}

function verdict(found: Verification): string {
  if (!found.ok) return `${counted(found.edited + found.drifted + found.damaged, 'line')} to review.`
  return found.unstamped > 0 ? 'All stamped records are intact.' : 'All records are intact.'
}
