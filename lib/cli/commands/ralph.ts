import type { Command } from 'commander'
import {
  type RalphAddition,
  type RalphAddOutcome,
  type RalphQueryOptions,
  ralphAdd,
  ralphClear,
  ralphList,
  ralphQuery,
  settleIndex,
} from '../../native.js'
import { codeOf, hintOf, messageOf } from '../../shared/problem.js'
import {
  clearPage,
  clearQuestion,
  corruptPage,
  EMPTY,
  listPage,
  missingPage,
  nothingSince,
  pageText,
  QUERY_USAGE,
  queryPage,
} from '../../text/lessons.js'
import { counted, oneLine } from '../../text/printable.js'
import { readBody } from '../body.js'
import { type Answer, type CommandEntry, calledOff, type Respond } from '../command.js'
import { type AskingFlags, confirmed } from '../confirm.js'
import { Failure } from '../failure.js'
import { given, optionsOf } from '../options.js'

export const entry: CommandEntry = {
  group: 'agent',
  summary: 'list, query, clear and add lessons of agent loops',
  subcommands: {
    list: ['forge-memory agent ralph list', 'forge-memory agent ralph list --since 7d --store external'],
    query: [
      'forge-memory agent ralph query --query "auth mocks"',
      'forge-memory agent ralph query --query typescript -n 3 -j',
    ],
    clear: ['forge-memory agent ralph clear --loop-id loop-7', 'forge-memory agent ralph clear --store all --yes'],
    add: [
      'forge-memory agent ralph add --loop-id loop-7 "Run the linter before tests"',
      'forge-memory agent ralph add -t failure_pattern "The cache is stale on forks"',
    ],
  },
  isList: true,
}

interface Filters extends Pick<RalphQueryOptions, 'loopId' | 'since' | 'store'> {
  external?: boolean
}

interface QueryFlags extends Filters {
  query?: string
  limit?: number
}

interface AddFlags extends Omit<RalphAddition, 'lesson' | 'tags'> {
  tag?: string[]
}

const asked = optionsOf<RalphQueryOptions>('RalphQueryOptions')
const added = optionsOf<RalphAddition>('RalphAddition')

export function configure(command: Command, respond: Respond): void {
  configureList(command.command('list').description('Show the lessons of agent loops, newest first.'), respond)
  configureQuery(command.command('query').description('Find lessons of agent loops by words.'), respond)
  configureClear(command.command('clear').description('Delete the lessons of one loop, or all.'), respond)
  configureAdd(command.command('add').description('Add a lesson of a loop, unless it is there.'), respond)
}

function configureList(command: Command, respond: Respond): void {
  addFilters(command).action(
    respond((project, flags: Filters): Answer => {
      const list = read(() => ralphList(given({ ...filtersFrom(flags), ...project, days: true })))
      return {
        get document() {
          return withoutDays(list)
        },
        text: ({ width }) => {
          if (list.missing) return missingPage(flags.store)
          if (list.entries.length > 0) return pageText(listPage(list.entries, width))
          const { since } = flags
          const isOlder =
            since !== undefined &&
            read(() => ralphList(given({ ...filtersFrom(flags), ...project, since: undefined }))).entries.length > 0
          return isOlder ? nothingSince(since) : EMPTY
        },
        warnings: list.warnings,
      }
    }),
  )
}

function configureQuery(command: Command, respond: Respond): void {
  addFilters(command)
    .option('--query <text>', 'the words to look for; they may be parts of longer ones')
    .addOption(asked('limit', '-n, --limit <count>'))
    .action(
      respond((project, { query, limit, ...flags }: QueryFlags): Answer => {
        if (query === undefined || query.trim() === '') {
          const reason = query === undefined ? 'is required' : 'is empty'
          throw new Failure('INVALID_INPUT', `query: ${reason}`, { page: QUERY_USAGE })
        }
        const options = given({ limit, ...filtersFrom(flags), ...project, days: true })
        const answer = read(() => ralphQuery(query, options))
        return {
          get document() {
            return withoutDays(answer)
          },
          text: () => (answer.missing ? missingPage(flags.store) : pageText(queryPage(answer))),
          warnings: answer.warnings,
        }
      }),
    )
}

function configureClear(command: Command, respond: Respond): void {
  addScope(command)
    .option('--dry-run', 'show what would be deleted, and delete nothing')
    .option('--yes', 'do not ask')
    .action(
      respond(async (project, { yes, dryRun, ...flags }: AskingFlags & Filters): Promise<Answer> => {
        const options = given({ ...filtersFrom(flags), ...project })
        const question = read(() => ralphClear({ ...options, dryRun: true }))
        if (question.keys.length === 0) {
          const text = () => (question.missing ? missingPage(flags.store) : EMPTY)
          return { document: question, text, warnings: question.warnings }
        }
        if (dryRun) {
          const text = () => clearQuestion(question, 'Nothing was deleted.').trimEnd()
          return { document: question, text, warnings: question.warnings }
        }
        if (!yes && !(await confirmed(clearQuestion(question)))) return calledOff('Nothing was deleted.', question)
        const outcome = read(() => ralphClear({ ...options, only: question.keys }))
        return { document: outcome, text: () => clearPage(outcome, flags.loopId), warnings: outcome.warnings }
      }),
    )
}

function configureAdd(command: Command, respond: Respond): void {
  command
    .argument('<lesson...>', 'the text; - reads it from standard input')
    .addOption(added('type', '-t, --type <type>'))
    .addOption(added('loopId', '--loop-id <id>'))
    .addOption(added('iteration', '--iteration <number>'))
    .addOption(added('context', '--context <text>'))
    .addOption(added('tags', '--tag <tag>'))
    .addOption(added('confidence', '--confidence <number>'))
    .addOption(added('store', '--store <store>'))
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

function addScope(command: Command): Command {
  return command
    .addOption(asked('loopId', '--loop-id <id>'))
    .option('--external', 'also those of loops that run outside of a session')
    .addOption(
      asked('store', '--store <store>', 'which store (default: global; with --loop-id all)').conflicts('external'),
    )
}

function addFilters(command: Command): Command {
  return addScope(command).addOption(asked('since', '--since <when>'))
}

function filtersFrom({ loopId, since, external, store = external ? 'all' : undefined }: Filters): Filters {
  return given({ loopId, since, store })
}

/** Removes `day`, which only the table shows; the document contains the full timestamps. */
function withoutDays<T extends { entries: { day?: string }[] }>(answer: T): T {
  return { ...answer, entries: answer.entries.map(({ day, ...entry }) => entry) }
}

/** The text after the path in the engine's error for a store that is not valid JSON. */
const NOT_JSON = ' is damaged: it is not valid JSON'

/** Runs an operation, and renders the error for a store that is not valid JSON on a page of its own. */
function read<T>(work: () => T): T {
  try {
    return work()
  } catch (error) {
    const [code, message] = [codeOf(error), messageOf(error)]
    if (code !== 'CORRUPT' || !message.includes(NOT_JSON)) throw error
    const path = message.slice(0, message.indexOf(NOT_JSON))
    throw new Failure(code, message, { ...given({ hint: hintOf(error) }), page: corruptPage(path) })
  }
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
