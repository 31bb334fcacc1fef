import { resolve } from 'node:path'
import { type Command, Option } from 'commander'
import { restoreFromStore } from '../../api/shared-memory.js'
import {
  type ImportOptions,
  type ImportOutcome,
  importMemory,
  memoryStatus,
  projectNames,
  settleIndex,
} from '../../native.js'
import { hasCode, messageOf } from '../../shared/problem.js'
import { commandKind, commandSpeaker } from '../../shared/speaker.js'
import { counted, oneLine } from '../../text/printable.js'
import { retired, stored } from '../../undo/changes.js'
import { noteCommand } from '../../undo/log.js'
import type { Answer, CommandEntry, Respond } from '../command.js'
import { answered } from '../confirm.js'
import { Failure } from '../failure.js'
import { requirePerson } from '../leave.js'
import { given } from '../options.js'
import { isTerminal } from '../page/terminal.js'

export const entry: CommandEntry = {
  group: 'share',
  summary: 'import an export, or the store of another tool',
  examples: [
    'forge-memory share import --dry-run memory.jsonl',
    'forge-memory share import ~/.claude-mem/claude-mem.db',
  ],
  work: {
    verb: 'importing',
    unit: 'records',
    kept: 'records that were stored stay; the same import skips them and continues',
  },
}

const PROJECTS_SHOWN = 10

interface Flags {
  dryRun?: boolean
  sourceProject?: string
  shared?: boolean
  everybody?: boolean
}

export function configure(command: Command, respond: Respond): void {
  command
    .argument('[path]', 'an export, a .forge folder, or a file or folder of another tool')
    .option('--dry-run', 'count what would be imported and write nothing')
    .option(
      '--source-project <name>',
      "only that project's records of a source with several (default: this project's; '*': all)",
    )
    .addOption(
      new Option('--shared', 'what the shared store has of this project and of yours, instead of a path').conflicts([
        'sourceProject',
      ]),
    )
    .option('--everybody', 'with --shared: what others stored about this project as well')
    .action(
      respond(async (project, path: string | undefined, flags: Flags): Promise<Answer> => {
        const { ids, ...outcome } = await taken(path, flags, { ...project, ...runner() })
        return {
          document: outcome,
          text: text(outcome),
          exitCode: outcome.lost > 0 ? 1 : 0,
          afterwards: () => {
            if (outcome.dryRun) return
            const replaced = outcome.replaced.map(({ id, by }) => retired(id, by))
            noteCommand(project, 'import', [...ids.map((id) => stored(id)), ...replaced])
            settleIndex(project)
          },
        }
      }),
    )
}

/** Who imports; the door is that of an import. */
function runner(): Pick<ImportOptions, 'author' | 'session'> {
  const { author, session } = commandSpeaker()
  return given({ author, session })
}

async function taken(path: string | undefined, flags: Flags, project: ImportOptions): Promise<ImportOutcome> {
  const { dryRun, shared, everybody } = flags
  if ((path === undefined) !== (shared === true) || (everybody && !shared)) {
    throw new Failure('INVALID_INPUT', 'import takes a path, or --shared', {
      hint: 'forge-memory import --shared brings back what only the shared store has of this project',
    })
  }
  if (path === undefined) return restoreFromStore({ ...project, ...given({ dryRun, everybody }) })
  const sourceProject = flags.sourceProject ?? (dryRun ? undefined : await askForProject(resolve(path), project))
  const options = { ...project, ...given({ dryRun, sourceProject }) }
  if (!dryRun && commandKind() !== 'person' && imported(resolve(path), { ...options, dryRun: true }).rulings > 0)
    requirePerson('import what others decided about memories', project)
  return imported(resolve(path), options)
}

/** Asks for the project on a terminal when the source has several and none is named like this one. */
async function askForProject(path: string, project: ImportOptions): Promise<string | undefined> {
  if (!isTerminal(0)) return undefined
  const { projects } = importMemory(path, { ...project, dryRun: true })
  const { projectDir } = project
  const own = [...projectNames(given({ projectDir })), ...memoryStatus(given({ projectDir })).formerNames]
  if (projects.length < 2 || projects.some(({ name }) => own.includes(name))) return undefined
  const list = projects.map(({ name, records }) => `  ${oneLine(name)}  (${counted(records, 'record')})`).join('\n')
  const answer = await answered(
    `The source has records of several projects:\n${list}\nWhich one is this? (a name; * selects all)`,
  )
  return answer === '' ? undefined : answer
}

/** Imports, and names the command line's option in errors that name the library's field. */
function imported(path: string, options: ImportOptions): ImportOutcome {
  try {
    return importMemory(path, options)
  } catch (error) {
    const message = messageOf(error)
    // A newer version reads no file that is of no format.
    if (hasCode(error, 'UNSUPPORTED') && message.includes('known format'))
      throw new Failure('UNSUPPORTED', message, { hint: 'forge-memory import --help says what it reads' })
    if (!hasCode(error, 'INVALID_INPUT') || !message.includes('sourceProject')) throw error
    throw new Failure('INVALID_INPUT', message, {
      hint: "name one of them with --source-project NAME, or all with --source-project '*'",
    })
  }
}

function text(outcome: Omit<ImportOutcome, 'ids'>): string {
  const {
    format,
    dryRun,
    read,
    imported,
    duplicates,
    lost,
    retired,
    unreadable,
    unreadableLines,
    redactions,
    leftOut,
    rulings,
    proposed,
    replaced,
    inConflict,
  } = outcome
  const counts = `${oneLine(format)}: ${read} read, ${imported} new, ${duplicates} duplicates, ${lost} lost.`
  const asides = [
    proposed > 0 ? `${counted(proposed, 'record')} waiting for a review: forge-memory review` : '',
    replaced.length > 0 ? `${counted(replaced.length, 'memory', 'memories')} replaced by them.` : '',
    inConflict > 0 ? `${counted(inConflict, 'record')} in conflict with what was here: forge-memory review` : '',
    rulings > 0 ? `${counted(rulings, 'line')} about what holds came with them.` : '',
    leftOut > 0 ? `${counted(leftOut, 'record')} of other projects skipped. ${others(outcome)}` : '',
    retired > 0 ? `${counted(retired, 'record')} that the source has replaced or forgotten were skipped.` : '',
    unreadable > 0
      ? `${counted(unreadable, 'line')} of the source contained no record${numbered(unreadableLines, unreadable)}.`
      : '',
    redactions > 0 ? `${counted(redactions, 'secret')} removed.` : '',
    dryRun ? 'Nothing was written.' : '',
  ]
  return [counts, ...asides.filter((aside) => aside !== '')].join('\n')
}

function numbered(lines: number[], all: number): string {
  if (lines.length === 0) return ''
  return `: ${lines.join(', ')}${lines.length < all ? ', ...' : ''}`
}

function others({ projects }: Pick<ImportOutcome, 'projects'>): string {
  const named = projects.map(({ name, records }) => `${oneLine(name)} ${records}`)
  const shown = named.slice(0, PROJECTS_SHOWN).join(', ')
  const rest = named.length > PROJECTS_SHOWN ? ` and ${named.length - PROJECTS_SHOWN} more` : ''
  return `The source has ${shown}${rest}; --source-project selects another one.`
}
