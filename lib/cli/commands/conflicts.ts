import { type Command, Option } from 'commander'
import { listConflicts, type MemoryConflict, type RelatedMemory, resolveConflict, settleIndex } from '../../native.js'
import { shortId } from '../../shared/identity.js'
import { commandSpeaker } from '../../shared/speaker.js'
import { counted } from '../../text/amount.js'
import { oneLine, printable } from '../../text/printable.js'
import type { Answer, Respond } from '../answer.js'
import { answered } from '../confirm.js'
import { Failure } from '../failure.js'
import { asksForJson } from '../json.js'
import { given } from '../options.js'
import { keys } from '../page/key.js'
import { indent } from '../page/layout.js'
import { date } from '../page/moment.js'
import { write } from '../page/output.js'
import type { Page } from '../page/page.js'
import { isTerminal } from '../page/terminal.js'
import { withTerminal } from '../page/work.js'
import { type Change, noteCommand } from '../undo/log.js'

type Holds = 'newer' | 'older' | 'both' | 'merge'

interface Project {
  projectDir?: string
}

const KEYS: Record<string, Holds | 'skip' | 'quit'> = {
  n: 'newer',
  o: 'older',
  b: 'both',
  m: 'merge',
  s: 'skip',
  q: 'quit',
}
const QUESTION = 'Which holds? [n]ewer, [o]lder, [b]oth, [m]erge into a new text, [s]kip, [q]uit'

export function configure(command: Command, respond: Respond): void {
  command
    .option('--list', 'only list them, even on a terminal')
    .option('--resolve <ids...>', 'settle the conflict of these two memories; with --holds')
    .addOption(
      new Option('--holds <which>', 'which of them is right, with --resolve').choices([
        'newer',
        'older',
        'both',
        'merge',
      ]),
    )
    .option('--text <text>', 'the text that replaces both; with --holds merge')
    .action(
      respond(
        async (
          project,
          flags: { list?: boolean; resolve?: string[]; holds?: Holds; text?: string },
        ): Promise<Answer> => {
          if (flags.resolve !== undefined) return settleOne(flags.resolve, flags.holds, flags.text, project)
          const found = listConflicts(project)
          const asks = !flags.list && found.length > 0 && isTerminal(0) && isTerminal(1) && !asksForJson()
          if (!asks) return { document: found, text: (page) => list(found, page) }
          const settled = await askAbout(found, project)
          const left = listConflicts(project)
          return {
            document: left,
            text: () => `${counted(settled, 'conflict')} settled, ${left.length} left.`,
            afterwards: () => {
              if (settled > 0) noteCommand(project, 'conflicts', [{ kind: 'final', hint: FINAL }])
              settleIndex(project)
            },
          }
        },
      ),
    )
}

const FINAL = 'forge-memory keep ID makes a memory current again that a decision has retired'

function settleOne(ids: string[], holds: Holds | undefined, text: string | undefined, project: Project): Answer {
  const [id, other, ...rest] = ids
  if (id === undefined || other === undefined || rest.length > 0) {
    throw new Failure('INVALID_INPUT', '--resolve: expected two ids', { hint: 'give two ids after --resolve' })
  }
  if (holds === undefined) {
    throw new Failure('INVALID_INPUT', '--resolve requires --holds', {
      hint: 'add --holds newer, older, both or merge',
    })
  }
  const outcome = resolveConflict({ id, with: other, holds, ...given({ text }) }, { ...project, ...commandSpeaker() })
  const current = outcome.current.map((id) => shortId(oneLine(id))).join(', ')
  return {
    document: outcome,
    text: () => `Settled: ${current} ${outcome.current.length === 1 ? 'holds' : 'hold'}.`,
    afterwards: () => {
      const retired = holds === 'merge' ? [] : outcome.retired
      const changes = retired.map((id): Change => ({ kind: 'retired', id }))
      noteCommand(project, 'conflicts', changes.length > 0 ? changes : [{ kind: 'final', hint: FINAL }])
      settleIndex(project)
    },
  }
}

/** Shows each conflict and reads one key for it. Returns how many were settled. */
async function askAbout(found: MemoryConflict[], project: Project): Promise<number> {
  let settled = 0
  for (const [at, conflict] of found.entries()) {
    write(
      1,
      `\n${at + 1} of ${found.length}: ${oneLine(conflict.why)}\n${side('newer', conflict.newer)}${side('older', conflict.older)}`,
    )
    const choice = await withTerminal(chosen)
    if (choice === 'quit') break
    if (choice === 'skip') continue
    const text = choice === 'merge' ? await answered('The text that replaces both:') : undefined
    if (text === '') continue
    resolveConflict(
      { id: conflict.newer.id, with: conflict.older.id, holds: choice, ...given({ text }) },
      { ...project, ...commandSpeaker() },
    )
    settled += 1
  }
  return settled
}

async function chosen(): Promise<Holds | 'skip' | 'quit'> {
  write(1, `${QUESTION} `)
  for (;;) {
    const known = [...(await keys())].find((key) => key in KEYS)
    const choice = known === undefined ? undefined : KEYS[known]
    if (choice === undefined) continue
    write(1, `${choice}\n`)
    return choice
  }
}

function side(name: string, record: RelatedMemory): string {
  return `  ${name}  ${date(record.createdAt)}  ${shortId(oneLine(record.id))}\n    ${oneLine(record.text)}\n`
}

function list(found: MemoryConflict[], page: Page): string {
  if (found.length === 0) return 'No memories contradict each other.'
  const shown = found.map((conflict) => {
    const head = `${page.paint('strong', oneLine(conflict.rule))}  ${page.paint('quiet', oneLine(conflict.why))}`
    const lines = [conflict.newer, conflict.older].map((record, at) => {
      const facts = `${at === 0 ? 'newer' : 'older'}  ${date(record.createdAt)}  ${shortId(oneLine(record.id))}`
      return `${page.paint('quiet', facts)}\n${indent(printable(record.text.trim()), 4, page)}`
    })
    return [head, ...lines].join('\n')
  })
  return `${shown.join('\n\n')}\n\n${page.paint('quiet', counted(found.length, 'conflict'))}`
}
