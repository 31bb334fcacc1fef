import { type Command, Option } from 'commander'
import { askTeam, searchThoughts } from '../../api/shared-memory.js'
import { type RecallOptions, type RecallOutcome, recallHere } from '../../native.js'
import type { SearchOutcome } from '../../openbrain/client/search.js'
import { requireTypes } from '../../shared/known-types.js'
import { counted } from '../../text/amount.js'
import { oneLine } from '../../text/printable.js'
import type { Answer, Respond } from '../answer.js'
import type { CommandEntry } from '../entry.js'
import { Failure } from '../failure.js'
import { lostWarnings } from '../lost.js'
import { addFilters, type FilterFlags, filter, filtersFrom, given } from '../options.js'
import { rankedHits } from '../page/hits.js'
import type { Page } from '../page/page.js'
import { ofTeam, sharedHits } from '../page/shared-hits.js'

export const entry: CommandEntry = {
  group: 'daily',
  summary: 'find what is known about a topic, here or in the shared store',
  examples: [
    'forge-memory find jest windows',
    'forge-memory find --newest -t decision -n 3 --since 30d "which database"',
    'forge-memory find --shared --project-name shop queue',
  ],
  isList: true,
}

interface Flags extends FilterFlags {
  mode?: NonNullable<RecallOptions['mode']>
  rerank?: boolean
  all?: boolean
  newest?: boolean
  shared?: boolean
  projectName?: string
}

/** The options that only the search of the project's own files has. */
const OWN = ['scope', 'tag', 'minConfidence', 'expired', 'includeProposed', 'at', 'mode', 'rerank', 'all', 'explain']
/** Of so many of the best, the newest are shown first. */
const NEWEST_OF = 100
/** Among so many of the best, the expired ones are counted. */
const EXPIRED_OF = 20

export function configure(command: Command, respond: Respond): void {
  addFilters(command.argument('<query...>', 'the words to look for'))
    .option('--newest', 'put the newest first, in place of the best')
    .addOption(new Option('--shared', 'search the shared store, with what other projects know').conflicts(OWN))
    .option('--project-name <name>', 'only this project, with --shared (default: all)')
    .addOption(filter('mode', '--mode <mode>'))
    .addOption(filter('rerank', '--rerank'))
    .option('--all', 'show weaker hits as well')
    .addOption(filter('explain', '--explain'))
    .action(
      respond(async (project, words: string[], flags: Flags): Promise<Answer> => {
        const query = words.join(' ')
        if (flags.shared) return findShared(query, flags, project)
        if (flags.projectName !== undefined) {
          throw new Failure('INVALID_INPUT', '--project-name requires --shared', {
            hint: 'add --shared; --project searches the files of another project',
          })
        }
        return findHere(query, flags, project)
      }),
    )
}

async function findHere(query: string, flags: Flags, project: RecallOptions): Promise<Answer> {
  // Asked beside the own work; a filter that the store does not know asks for own memories.
  const team = isForTeam(flags) ? await askTeam(query, { ...project, ...given({ type: flags.type?.[0] }) }) : undefined
  const limit = flags.newest ? { limit: Math.max(flags.limit ?? 0, NEWEST_OF) } : {}
  const best = recallHere(query, {
    ...filtersFrom(flags),
    ...given({ mode: flags.mode, rerank: flags.rerank }),
    ...limit,
    highlights: true,
    ...project,
  })
  requireTypes(flags.type, best.hits, project)
  const outcome = flags.newest ? { ...best, hits: newestFirst(best.hits.filter(isShown(flags)), flags) } : best
  // Without hits the message is the answer; with hits it is a warning.
  const messages = outcome.hits.length > 0 && outcome.message ? [outcome.message] : []
  const { thoughts = [], message } = (await team?.()) ?? {}
  const expired = flags.expired || flags.at !== undefined ? 0 : countExpired(query, flags, project)
  const parts = (page: Page) => [
    text(outcome, page, flags),
    ...(expired === 0 ? [] : [page.paint('quiet', expiredText(expired))]),
    ...ofTeam(thoughts, page, flags.dates),
  ]
  return {
    document: {
      ...outcome,
      ...given({ expired: expired || undefined }),
      ...(thoughts.length === 0 ? {} : { team: thoughts }),
    },
    text: (page) => parts(page).join('\n\n'),
    warnings: [...messages, ...(await lostWarnings(project)), ...(message === undefined ? [] : [message])],
  }
}

/** Counts what would answer, had it not expired: nothing vanishes without a word. */
function countExpired(query: string, flags: Flags, project: RecallOptions): number {
  const options = { ...filtersFrom({ ...flags, expired: true, limit: EXPIRED_OF }), mode: 'words' as const, ...project }
  const now = Date.now()
  return recallHere(query, options).hits.filter(
    ({ expiresAt, weaker }) => !weaker && expiresAt !== undefined && Date.parse(expiresAt) <= now,
  ).length
}

const expiredText = (count: number): string =>
  `${counted(count, 'expired record')} ${count === 1 ? 'matches' : 'match'}: --expired`

/** The record of a colleague has no labels, confidence or history here to be filtered by. */
function isForTeam({ scope, tag, since, minConfidence, at, type, expired, includeProposed }: Flags): boolean {
  const others = [tag, since, minConfidence, at, expired, includeProposed]
  return scope !== 'global' && (type?.length ?? 0) < 2 && others.every((flag) => flag === undefined)
}

async function findShared(query: string, flags: Flags, project: { projectDir?: string }): Promise<Answer> {
  const { projectName, type, limit, since, newest } = flags
  if (type !== undefined && type.length > 1) {
    throw new Failure('INVALID_INPUT', '--type: the shared store is searched for one type at a time', {
      hint: 'name one type, or none',
    })
  }
  const wanted = given({ project: projectName, type: type?.[0], limit: newest ? NEWEST_OF : limit, since })
  const best = await searchThoughts(query, { ...wanted, ...project })
  const outcome: SearchOutcome = newest ? { ...best, thoughts: newestFirst(best.thoughts, flags) } : best
  return {
    document: outcome,
    text: (page) => sharedHits(outcome, page, flags.dates),
    warnings: outcome.message === undefined ? [] : [outcome.message],
  }
}

function newestFirst<T extends { createdAt: string }>(hits: T[], { limit = 10 }: Flags): T[] {
  return [...hits].sort((one, other) => Date.parse(other.createdAt) - Date.parse(one.createdAt)).slice(0, limit)
}

const isShown = ({ all = false }: Flags) => {
  return (hit: RecallOutcome['hits'][number]): boolean => all || !hit.weaker
}

function text(outcome: RecallOutcome, page: Page, flags: Flags): string {
  const searched = `in ${counted(outcome.searched, 'memory', 'memories')}`
  if (outcome.hits.length === 0) return oneLine(outcome.message ?? `no match ${searched}`)
  const shown = outcome.hits.filter(isShown(flags))
  const weaker = outcome.hits.length - shown.length
  const rest = weaker === 0 ? '' : `; ${weaker} weaker: --all`
  const own = shown.filter(({ worktree }) => worktree === undefined).length
  const more = shown.length === own ? '' : `; ${shown.length - own} in other worktrees`
  const found = `${counted(own, 'hit')} ${searched}${more}${MODES[outcome.mode]}${reranked(outcome)}${rest}`
  return `${rankedHits(shown, page, flags.dates)}\n\n${page.paint('quiet', found)}`
}

function reranked({ hits }: RecallOutcome): string {
  return hits.some((hit) => hit.reranked !== undefined) ? ', re-ranked' : ''
}

/** The phrase for a search mode; empty for the default, search by words. */
const MODES: Record<RecallOutcome['mode'], string> = {
  words: '',
  meaning: ', by meaning',
  fused: ', by words and meaning',
}
