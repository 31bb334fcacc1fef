import { type Command, Option } from 'commander'
import {
  type RalphAddOutcome,
  type RalphPage,
  type RalphPageOptions,
  ralphAdd,
  ralphPage,
  settleIndex,
} from '../../native.js'
import { counted } from '../../text/amount.js'
import { oneLine } from '../../text/printable.js'
import type { Answer, Respond } from '../answer.js'
import { readBody } from '../body.js'
import { confirmed } from '../confirm.js'
import { Failure } from '../failure.js'
import { collect, given, number } from '../options.js'

type Store = 'global' | 'external' | 'all'

interface Filters {
  loopId?: string
  since?: string
  store?: Store
}

interface QueryFlags extends Filters {
  query?: string
  limit?: number
}

interface ClearFlags extends Filters {
  yes?: boolean
}

interface AddFlags {
  type?: 'lesson_learned' | 'failure_pattern' | 'success_pattern'
  loopId?: string
  iteration?: number
  context?: string
  tag?: string[]
  confidence?: number
  store?: 'global' | 'external'
}

export function configure(command: Command, respond: Respond): void {
  configureList(command.command('list').description('Show the lessons of agent loops, newest first.'), respond)
  configureQuery(command.command('query').description('Find lessons of agent loops by words.'), respond)
  configureClear(command.command('clear').description('Delete the lessons of one loop, or all.'), respond)
  configureAdd(command.command('add').description('Add a lesson of a loop, unless it is there.'), respond)
}

function configureList(command: Command, respond: Respond): void {
  addFilters(command).action(
    respond((project, flags: Filters): Answer => printed('list', given({ ...filtersFrom(flags), ...project }))),
  )
}

function configureQuery(command: Command, respond: Respond): void {
  addFilters(command)
    .option('--query <text>', 'the words to look for; they may be parts of longer ones')
    .option('--limit <count>', 'how many at most (default: 10)', number)
    .action(
      respond((project, { query, limit, ...flags }: QueryFlags): Answer => {
        return printed('query', given({ query, limit, ...filtersFrom(flags), ...project }))
      }),
    )
}

function configureClear(command: Command, respond: Respond): void {
  addScope(command, 'global; with --loop-id all')
    .option('--yes', 'do not ask')
    .action(
      respond(async (project, { yes, ...flags }: ClearFlags): Promise<Answer> => {
        const options = given({ ...filtersFrom(flags), ...project })
        const question = pageOf('clear', { ...options, dryRun: true })
        const keys = question.outcome?.keys ?? []
        if (keys.length === 0) return shown(question)
        if (!yes && !(await confirmed(textOf(question)))) {
          return { document: question.outcome, text: () => 'Nothing was deleted.', exitCode: 1 }
        }
        return shown(pageOf('clear', { ...options, only: keys }))
      }),
    )
}

function configureAdd(command: Command, respond: Respond): void {
  command
    .argument('<lesson...>', 'the text; - reads it from standard input')
    .addOption(
      new Option('--type <type>', 'what kind of lesson (default: lesson_learned)').choices([
        'lesson_learned',
        'failure_pattern',
        'success_pattern',
      ]),
    )
    .option('--loop-id <id>', 'the loop that learned it')
    .option('--iteration <number>', 'the iteration of that loop', number)
    .option('--context <text>', 'where it was learned: a file, a test')
    .option('--tag <tag>', 'a tag; may be repeated', collect)
    .option('--confidence <number>', 'how sure, 0 to 1 (default: 0.7)', number)
    .addOption(new Option('--store <store>', 'which store (default: global)').choices(['global', 'external']))
    .action(
      respond(async (project, words: string[], { tag, ...flags }: AddFlags): Promise<Answer> => {
        const lesson = await readBody(words)
        const outcome = ralphAdd({ lesson, ...given({ ...flags, tags: tag }) }, project)
        return {
          document: outcome,
          text: () => summary(outcome),
          warnings: outcome.captureError
            ? [`not captured: ${outcome.captureError.message} (${outcome.captureError.code})`]
            : [],
          afterwards: () => {
            if (outcome.capture) settleIndex(project)
          },
        }
      }),
    )
}

function addScope(command: Command, usual = 'all'): Command {
  return command
    .option('--loop-id <id>', 'only of this loop')
    .addOption(new Option('--store <store>', `which store (default: ${usual})`).choices(['global', 'external', 'all']))
}

function addFilters(command: Command): Command {
  return addScope(command).option('--since <when>', 'only newer: an ISO date, or 30m, 12h, 7d, 2w')
}

function filtersFrom({ loopId, since, store }: Filters): Filters {
  return given({ loopId, since, store })
}

/** An answer that the engine has written out already: a hundred thousand entries never become objects. */
function printed(name: 'list' | 'query', options: RalphPageOptions): Answer {
  const answer: Answer = {
    document: undefined,
    text: () => '',
    bytes: (json, width) => {
      const edge = Number.isFinite(width) ? { width } : {}
      const page = pageOf(name, { ...options, ...edge, format: json ? 'json' : 'text' })
      answer.warnings = page.warnings
      return page.bytes
    },
  }
  return answer
}

function shown(page: RalphPage): Answer {
  return { document: page.outcome, text: () => textOf(page), warnings: page.warnings }
}

function textOf(page: RalphPage): string {
  return Buffer.from(page.bytes).toString('utf8')
}

/** Asks for a page; one that tells of a failure becomes that failure. */
function pageOf(name: 'list' | 'query' | 'clear', options: RalphPageOptions): RalphPage {
  const page = ralphPage(name, options)
  if (page.problem) throw new Failure(page.problem.code, page.problem.message, { page: textOf(page) })
  return page
}

function summary(outcome: RalphAddOutcome): string {
  const lines: string[] = []
  if (outcome.added) lines.push(`Added ${outcome.entry.type} ${outcome.id} to ${outcome.store}`)
  else lines.push(`Already known as ${oneLine(outcome.id)}${alike(outcome.similarity)}: nothing was added.`)
  if (outcome.capture?.captured) lines.push(`Captured ${outcome.capture.thought.type} ${outcome.capture.id}`)
  if (outcome.redactions > 0) lines.push(`${counted(outcome.redactions, 'secret')} removed before it was stored.`)
  return lines.join('\n')
}

function alike(similarity: number | undefined): string {
  return similarity === undefined ? '' : ` (${Math.floor(similarity * 100)} % alike)`
}
