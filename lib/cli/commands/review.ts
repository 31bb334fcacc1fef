import type { Command } from 'commander'
import { acceptMemory, listReview, rejectMemory, settleIndex, type WaitingMemory } from '../../native.js'
import { shortId } from '../../shared/identity.js'
import { isStartedByAgent, person } from '../../shared/speaker.js'
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
import { noteCommand } from '../undo/log.js'

interface Project {
  projectDir?: string
}

type Choice = 'accept' | 'edit' | 'reject' | 'skip' | 'quit'

const KEYS: Record<string, Choice> = { a: 'accept', e: 'edit', r: 'reject', s: 'skip', q: 'quit' }
const QUESTION = '[a]ccept, [e]dit, [r]eject, [s]kip, [q]uit'
/** A request has no text to edit. */
const QUESTION_ABOUT_REQUEST = '[a]ccept, [r]eject, [s]kip, [q]uit'

export function configure(command: Command, respond: Respond): void {
  command
    .option('--list', 'only list what is waiting, even on a terminal')
    .option('--accept <ids...>', 'accept these memories')
    .option('--reject <ids...>', 'reject these memories, so that the same texts are not stored again')
    .action(
      respond(async (project, flags: { list?: boolean; accept?: string[]; reject?: string[] }): Promise<Answer> => {
        const { accept = [], reject = [] } = flags
        if (accept.length + reject.length > 0) return decideAbout(accept, reject, project)
        const found = listReview(project)
        const asks = !flags.list && found.length > 0 && isTerminal(0) && isTerminal(1) && !asksForJson()
        if (!asks) return { document: found, text: (page) => list(found, page) }
        forPeople()
        const decided = await askAbout(found, project)
        const left = listReview(project)
        return {
          document: left,
          text: () => `${counted(decided, 'memory', 'memories')} decided, ${left.length} left.`,
          afterwards: () => ended(decided, project),
        }
      }),
    )
}

/** Refuses to run in an agent's shell: an agent must not accept what agents proposed. */
function forPeople(): void {
  if (!isStartedByAgent()) return
  throw new Failure('UNSUPPORTED', 'an agent cannot accept or reject what agents propose', {
    hint: 'a person runs forge-memory review on a terminal of their own, or uses the dashboard',
  })
}

function decideAbout(accept: string[], reject: string[], project: Project): Answer {
  forPeople()
  const { session } = person()
  const options = { ...project, ...given({ session }) }
  const outcomes = [...accept.map((id) => acceptMemory(id, options)), ...reject.map((id) => rejectMemory(id, options))]
  return {
    document: outcomes,
    text: () => outcomes.map(({ id, state }) => `${state} ${shortId(oneLine(id))}`).join('\n'),
    afterwards: () => ended(outcomes.length, project),
  }
}

const FINAL = 'forge-memory review --accept ID and --reject ID change a decision'

function ended(decided: number, project: Project): void {
  if (decided > 0) noteCommand(project, 'review', [{ kind: 'final', hint: FINAL }])
  settleIndex(project)
}

/** Shows each record and reads one key for it. Returns how many were decided. */
async function askAbout(found: WaitingMemory[], project: Project): Promise<number> {
  const { session } = person()
  const options = { ...project, ...given({ session }) }
  let decided = 0
  for (const [at, record] of found.entries()) {
    write(1, `\n${at + 1} of ${found.length}\n${shown(record)}`)
    const choice = await withTerminal(() => chosen(record.request !== undefined))
    if (choice === 'quit') break
    if (choice === 'skip') continue
    if (choice === 'accept') acceptMemory(record.id, options)
    else if (choice === 'reject') rejectMemory(record.id, options)
    else {
      const text = await answered('The text to store in its place:')
      if (text === '') continue
      acceptMemory(record.id, { ...options, text })
    }
    decided += 1
  }
  return decided
}

async function chosen(isRequest: boolean): Promise<Choice> {
  write(1, `${isRequest ? QUESTION_ABOUT_REQUEST : QUESTION} `)
  for (;;) {
    const known = [...(await keys())].find((key) => key in KEYS)
    const choice = known === undefined ? undefined : KEYS[known]
    if (choice === undefined || (choice === 'edit' && isRequest)) continue
    write(1, `${choice}\n`)
    return choice
  }
}

function shown(record: WaitingMemory): string {
  const near = record.near.map(({ id, text, createdAt }) => {
    return `    similar: ${oneLine(text)} (${date(createdAt)}, ${shortId(oneLine(id))})\n`
  })
  return `  ${facts(record)}\n  ${oneLine(record.text)}\n${near.join('')}`
}

function facts({ why, type, author, source, createdAt, id, verdicts, request }: WaitingMemory): string {
  const by = author === undefined ? '' : ` by ${oneLine(author)}`
  if (request !== undefined) {
    const reason = request.why === undefined ? '' : ` (${oneLine(request.why)})`
    return `${oneLine(author ?? 'somebody')} ${oneLine(request.says)}${reason}  ${oneLine(type)}  ${date(createdAt)}  ${shortId(oneLine(id))}`
  }
  const doubt = why === 'disputed' ? `, wrong for ${counted(verdicts.wrong, 'session')}` : ''
  return `${oneLine(type)}  ${why}${by}${doubt}  ${oneLine(source)}  ${date(createdAt)}  ${shortId(oneLine(id))}`
}

function list(found: WaitingMemory[], page: Page): string {
  if (found.length === 0) return 'Nothing waits for a review.'
  const rows = found.map((record) => {
    const near = record.near.map((one) => page.paint('quiet', `similar: ${oneLine(one.text)}`))
    const lines = [printable(record.text.trim()), ...near].map((line) => indent(line, 4, page))
    return [page.paint('strong', facts(record)), ...lines].join('\n')
  })
  return `${rows.join('\n\n')}\n\n${page.paint('quiet', `${counted(found.length, 'memory', 'memories')} to review`)}`
}
