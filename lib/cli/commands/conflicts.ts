import type { Command } from 'commander'
import { listConflicts, type MemoryConflict, type RelatedMemory, resolveConflict, settleIndex } from '../../native.js'
import { counted } from '../../text/amount.js'
import { oneLine, printable } from '../../text/printable.js'
import type { Answer, Respond } from '../answer.js'
import { answered } from '../confirm.js'
import { Failure } from '../failure.js'
import { given } from '../options.js'
import { shortId } from '../page/identity.js'
import { key } from '../page/key.js'
import { indent } from '../page/layout.js'
import { date } from '../page/moment.js'
import { write } from '../page/output.js'
import type { Page } from '../page/page.js'
import { isTerminal } from '../page/terminal.js'

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
    .option('--list', 'only list them, on a terminal as well')
    .option('--resolve <ids...>', 'settle the conflict of these two memories; with --holds')
    .option('--holds <which>', 'newer, older, both or merge')
    .option('--text <text>', 'the text that replaces both; with --holds merge')
    .action(
      respond(
        async (
          project,
          flags: { list?: boolean; resolve?: string[]; holds?: Holds; text?: string },
        ): Promise<Answer> => {
          if (flags.resolve !== undefined) return settleOne(flags.resolve, flags.holds, flags.text, project)
          const found = listConflicts(project)
          const asks =
            !flags.list && found.length > 0 && isTerminal(0) && isTerminal(1) && !process.argv.includes('--json')
          if (!asks) return { document: found, text: (page) => list(found, page) }
          const settled = await askAbout(found, project)
          const left = listConflicts(project)
          return {
            document: left,
            text: () => `${counted(settled, 'conflict')} settled, ${left.length} left.`,
            afterwards: () => settleIndex(project),
          }
        },
      ),
    )
}

function settleOne(ids: string[], holds: Holds | undefined, text: string | undefined, project: Project): Answer {
  const [id, other, ...rest] = ids
  if (id === undefined || other === undefined || rest.length > 0) {
    throw new Failure('INVALID_INPUT', 'a conflict is one of two memories', { hint: 'give two ids after --resolve' })
  }
  if (holds === undefined) {
    throw new Failure('INVALID_INPUT', 'nothing says which of the two holds', {
      hint: 'add --holds newer, older, both or merge',
    })
  }
  const outcome = resolveConflict({ id, with: other, holds, ...given({ text }) }, project)
  const current = outcome.current.map((id) => shortId(oneLine(id))).join(', ')
  return {
    document: outcome,
    text: () => `Settled: ${current} ${outcome.current.length === 1 ? 'holds' : 'hold'}.`,
    afterwards: () => settleIndex(project),
  }
}

/** Shows one conflict after the other and takes one key for each. Returns how many were settled. */
async function askAbout(found: MemoryConflict[], project: Project): Promise<number> {
  let settled = 0
  for (const [at, conflict] of found.entries()) {
    write(
      1,
      `\n${at + 1} of ${found.length}: ${oneLine(conflict.why)}\n${side('newer', conflict.newer)}${side('older', conflict.older)}`,
    )
    const choice = await chosen()
    if (choice === 'quit') break
    if (choice === 'skip') continue
    const text = choice === 'merge' ? await answered('The text that replaces both:') : undefined
    if (text === '') continue
    resolveConflict({ id: conflict.newer.id, with: conflict.older.id, holds: choice, ...given({ text }) }, project)
    settled += 1
  }
  return settled
}

async function chosen(): Promise<Holds | 'skip' | 'quit'> {
  write(1, `${QUESTION} `)
  for (;;) {
    const choice = KEYS[await key()]
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
    const head = `${page.paint('bold', oneLine(conflict.rule))}  ${page.paint('dim', oneLine(conflict.why))}`
    const lines = [conflict.newer, conflict.older].map((record, at) => {
      const facts = `${at === 0 ? 'newer' : 'older'}  ${date(record.createdAt)}  ${shortId(oneLine(record.id))}`
      return `${page.paint('dim', facts)}\n${indent(printable(record.text.trim()), 4, page)}`
    })
    return [head, ...lines].join('\n')
  })
  return `${shown.join('\n\n')}\n\n${page.paint('dim', counted(found.length, 'conflict'))}`
}
