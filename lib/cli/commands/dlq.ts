import type { Command } from 'commander'
import { dropDeadLetters, listDeadLetters, retryDeadLetters } from '../../native.js'
import { counted, oneLine } from '../../text/printable.js'
import { type Answer, type CommandEntry, calledOff, type Respond } from '../command.js'
import { type AskingFlags, confirmed } from '../confirm.js'
import { Failure } from '../failure.js'
import { date } from '../page/moment.js'
import { short } from '../page/named.js'
import type { Page } from '../page/page.js'
import { flexible, right, table } from '../page/table.js'

export const entry: CommandEntry = {
  group: 'share',
  summary: 'list, retry and drop dead letters',
  subcommands: {
    list: ['forge-memory share dlq list', 'forge-memory share dlq list -j'],
    retry: ['forge-memory share dlq retry', 'forge-memory share dlq retry 7f3a9c21'],
    drop: ['forge-memory share dlq drop --all --dry-run', 'forge-memory share dlq drop 7f3a9c21 --yes'],
  },
  isList: true,
}

type DeadLetter = ReturnType<typeof listDeadLetters>[number]

const COLUMNS = ['ID', 'WHAT', right('TRIES'), 'SINCE', flexible('REASON'), flexible('TEXT')]

export function configure(command: Command, respond: Respond): void {
  command
    .command('list')
    .description('List what could not be delivered, with the reason.')
    .action(
      respond((project): Answer => {
        const letters = listDeadLetters(project)
        return { document: letters, text: (page) => list(letters, page) }
      }),
    )
  command
    .command('retry')
    .description('Put dead letters back into the queue, all or those named.')
    .argument('[id...]', 'the ids of dead letters, as dlq list shows them')
    .action(
      respond((project, ids: string[]): Answer => {
        const outcome = retryDeadLetters(ids.length === 0 ? null : expandIds(ids, listDeadLetters(project)), project)
        const text = `${counted(outcome.retried, 'record')} back in the queue.`
        return { document: outcome, text, ...unknownIds(outcome.unknown) }
      }),
    )
  configureDrop(command.command('drop').description('Delete dead letters for good.'), respond)
}

interface DropFlags extends AskingFlags {
  all?: boolean
}

function configureDrop(command: Command, respond: Respond): void {
  command
    .argument('[id...]', 'the ids of dead letters, as dlq list shows them')
    .option('--all', 'all of them')
    .option('--dry-run', 'show what would be deleted, and delete nothing')
    .option('--yes', 'do not ask')
    .action(
      respond(async (project, ids: string[], { all, yes, dryRun }: DropFlags): Promise<Answer> => {
        const letters = listDeadLetters(project)
        if (ids.length === 0 && !all) {
          throw new Failure('INVALID_INPUT', 'expected at least one id', { hint: 'give ids from dlq list, or --all' })
        }
        const keys = all ? letters.map(({ key }) => key) : expandIds(ids, letters)
        if (dryRun) return wouldDrop(letters.filter(({ key }) => keys.includes(key)))
        const question = `Delete ${counted(keys.length, 'dead letter')} for good? They never reached the shared memory.`
        if (keys.length > 0 && !yes && !(await confirmed(question)))
          return calledOff('Nothing was deleted.', { dropped: 0, unknown: [] })
        const outcome = dropDeadLetters(keys, project)
        const text = `${counted(outcome.dropped, 'dead letter')} deleted.`
        return { document: outcome, text, ...unknownIds(outcome.unknown) }
      }),
    )
}

function wouldDrop(letters: DeadLetter[]): Answer {
  const text = `${counted(letters.length, 'dead letter')} would be deleted. Nothing was deleted.`
  return { document: letters, text: (page) => (letters.length === 0 ? text : `${list(letters, page)}\n\n${text}`) }
}

/** Expands the suffix of an id, as lists show it, when it is unambiguous. */
function expandIds(ids: string[], letters: DeadLetter[]): string[] {
  return ids.map((id) => {
    const found = letters.filter((letter) => letter.id === id || letter.key === id || letter.id.endsWith(id))
    return id.length >= 6 && found.length === 1 && found[0] ? found[0].key : id
  })
}

function unknownIds(ids: string[]): Pick<Answer, 'warnings' | 'exitCode'> {
  if (ids.length === 0) return {}
  return { warnings: [`no dead letter has the id ${ids.map(oneLine).join(', ')}`], exitCode: 1 }
}

/** Marks a record that failed again after a retry, because retrying it once more is unlikely to help. */
function earlierFailures({ history }: DeadLetter): string {
  const [first] = history
  if (first === undefined) return ''
  return ` (undeliverable ${counted(history.length, 'time')} before, first ${date(first.failedAt ?? '')})`
}

function list(letters: DeadLetter[], page: Page): string {
  if (letters.length === 0) return 'There are no dead letters.'
  const rows = letters.map((letter) => [
    short(letter.id),
    letter.action === 'store' ? page.kind(letter.type ?? '') : letter.action,
    String(letter.attempts),
    date(letter.failedAt ?? ''),
    `${oneLine(letter.reason ?? '')}${earlierFailures(letter)}`,
    oneLine(letter.content ?? ''),
  ])
  return table(page, COLUMNS, rows)
}
