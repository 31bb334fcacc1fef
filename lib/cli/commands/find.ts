import { type Command, Option } from 'commander'
import { askTeam, searchThoughts } from '../../api/shared-memory.js'
import { findProject, type RecallOptions, type RecallOutcome, recallHere } from '../../native.js'
import type { SearchOutcome } from '../../openbrain/client/search.js'
import { requireTypes } from '../../shared/known-types.js'
import { isStartedByAgent } from '../../shared/speaker.js'
import { counted, oneLine } from '../../text/printable.js'
import type { Answer, CommandEntry, Respond } from '../command.js'
import type { Program } from '../description.js'
import { Failure } from '../failure.js'
import { lostWarnings } from '../lost.js'
import { addFilters, type FilterFlags, filter, filtersFrom, given } from '../options.js'
import { rankedHits } from '../page/hits.js'
import { write } from '../page/output.js'
import { type Page, widthOf } from '../page/page.js'
import { ofTeam, sharedHits } from '../page/shared-hits.js'
import { copied } from '../page/terminal.js'
import { whyEmpty } from '../why-empty.js'

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
  all?: boolean
  newest?: boolean
  shared?: boolean
  projectName?: string
}

/** The options that only the search of the project's own files has. */
const OWN = ['scope', 'tag', 'minConfidence', 'expired', 'includeProposed', 'at', 'mode', 'all', 'explain']
/** Of so many of the best, the newest are shown first. */
const NEWEST_OF = 100
/** Among so many of the best, the expired ones are counted. */
const EXPIRED_OF = 20

export function configure(command: Command, respond: Respond, { run }: Program): void {
  addFilters(command.argument('<query...>', 'the words to look for'))
    .option('--newest', 'put the newest first, in place of the best')
    .addOption(new Option('--shared', 'search the shared store, with what other projects know').conflicts(OWN))
    .option('--project-name <name>', 'only this project, with --shared (default: all)')
    .addOption(filter('mode', '--mode <mode>'))
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
        return findHere(query, flags, project, run)
      }),
    )
}

async function findHere(query: string, flags: Flags, project: RecallOptions, run: Program['run']): Promise<Answer> {
  // Asked beside the own work; a filter that the store does not know asks for own memories.
  const team = isForTeam(flags) ? await askTeam(query, { ...project, ...given({ type: flags.type?.[0] }) }) : undefined
  const limit = flags.newest ? { limit: Math.max(flags.limit ?? 0, NEWEST_OF) } : {}
  const best = recallHere(query, {
    ...filtersFrom(flags),
    ...given({ mode: flags.mode }),
    ...limit,
    highlights: true,
    ...project,
  })
  requireTypes(flags.type, best.hits, project)
  const outcome = flags.newest ? { ...best, hits: newestFirst(best.hits.filter(isShown(flags)), flags) } : best
  // Without hits the message is the answer; with hits it is a warning.
  const messages = outcome.hits.length > 0 && outcome.message ? [outcome.message] : []
  const { thoughts = [], message, isReplicaOld = false } = (await team?.()) ?? {}
  const expired = flags.expired || flags.at !== undefined ? 0 : countExpired(query, flags, project)
  const parts = (page: Page) => [
    text(outcome, page, flags),
    // In a memory in which there is nothing to find: what it has instead, or how to begin; of one that cannot be read, nobody knows.
    ...(outcome.searched + outcome.hits.length + thoughts.length > 0 || isUnread(outcome)
      ? []
      : [whyEmpty(project, flags)]),
    ...(expired === 0 ? [] : [page.paint('quiet', expiredText(expired))]),
    ...ofTeam(thoughts, page, flags.dates),
  ]
  const shown = outcome.hits.filter(isShown(flags))
  return {
    ...(shown.length > 0 && !isStartedByAgent() ? { ask: () => act(shown, project, run) } : {}),
    document: {
      ...outcome,
      ...given({ expired: expired || undefined }),
      ...(thoughts.length === 0 ? {} : { team: thoughts }),
    },
    text: (page) => parts(page).join('\n\n'),
    ...(isReplicaOld ? { afterwards: () => startLater(['hook', findProject(project), '--team']) } : {}),
    warnings: [...messages, ...(await lostWarnings(project)), ...(message === undefined ? [] : [message])],
  }
}

/** True if the memory's own file was not searched; the files of older tools are another matter. */
function isUnread({ message = '' }: RecallOutcome): boolean {
  return message.includes('Not searched: ') && !message.includes('migrate-memory')
}

/** What the list draws before a line. */
const FRAME = 6
const ACTS = ['show', 'edit', 'forget', 'copy'] as const

/** Lets a person choose one of the hits with the arrow keys, and what to do with it. */
async function act(hits: RecallOutcome['hits'], { projectDir }: RecallOptions, run: Program['run']): Promise<void> {
  const { pickOne } = await import('../page/picker.js')
  const room = widthOf(1) - FRAME
  const lines = hits.map(({ id, text }, at) => {
    const line = [...`${at + 1}. ${oneLine(text)}`]
    return { value: id, label: line.length > room ? `${line.slice(0, room - 1).join('')}\u2026` : line.join('') }
  })
  const id = await pickOne('Which one? Escape leaves.', lines)
  const hit = hits.find((one) => one.id === id)
  if (hit === undefined) return
  const chosen = await pickOne(
    'What should be done with it?',
    ACTS.map((name) => ({ value: name, label: name })),
  )
  if (chosen === 'copy') write(1, `${copied(hit.text)}Handed to the clipboard of the terminal.\n`)
  else if (chosen !== undefined)
    await run([chosen, hit.id, ...(projectDir === undefined ? [] : ['--project', projectDir])])
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
  const found = `${counted(own, 'hit')} ${searched}${more}${MODES[outcome.mode]}${rest}`
  return `${rankedHits(shown, page, flags.dates)}\n\n${page.paint('quiet', found)}`
}

/** The phrase for a search mode; empty for the default, search by words. */
const MODES: Record<RecallOutcome['mode'], string> = {
  words: '',
  meaning: ', by meaning',
  fused: ', by words and meaning',
}

/** Starts a command of this program for which nobody waits. */
function startLater(args: string[]): void {
  const [, program = ''] = process.argv
  const { spawn } = process.getBuiltinModule('node:child_process')
  const child = spawn(process.execPath, [program, ...args], { detached: true, stdio: 'ignore', windowsHide: true })
  // Without it, the next one starts it.
  child.on('error', () => undefined).unref()
}
