import type { Command } from 'commander'
import { listAllConflicts, sharedRecords } from '../../api/shared-memory.js'
import {
  type AcceptOptions,
  acceptMemory,
  type ConflictResolution,
  listReview,
  type MemoryConflict,
  type ProjectOptions,
  rejectMemory,
  resolveConflict,
  type WaitingMemory,
} from '../../native.js'
import { commandSpeaker, person } from '../../shared/speaker.js'
import { counted, oneLine } from '../../text/printable.js'
import { takeBackChanges } from '../../undo/back.js'
import { type Change, observed, observedDecision } from '../../undo/changes.js'
import { changed } from '../changed.js'
import { type Answer, asksForJson, type CommandEntry, type Respond } from '../command.js'
import { answered } from '../confirm.js'
import { Failure } from '../failure.js'
import { requirePerson } from '../leave.js'
import { given, optionsOf } from '../options.js'
import { chosenKey } from '../page/key.js'
import { short } from '../page/named.js'
import { write } from '../page/output.js'
import { openPage, type Page } from '../page/page.js'
import { pairs } from '../page/table.js'
import { isTerminal } from '../page/terminal.js'
import { conflictPage, conflictText, waitingPage, waitingText } from '../page/waiting-list.js'
import { isFound, readSessions, turnsOf } from '../turns.js'

export const entry: CommandEntry = {
  group: 'daily',
  summary: 'decide what waits for a person: proposals, requests, contradictions',
  examples: [
    'forge-memory review',
    'forge-memory review --accept 7f3a9c21 5b0d4e88',
    'forge-memory review --resolve 7f3a9c21 5b0d4e88 --holds newer',
  ],
  isList: true,
}

type Deciding = ProjectOptions & Pick<AcceptOptions, 'retiresPersons'>

/** The number of decisions, and the changes that `undo` takes back. */
interface Made {
  decided: number
  changes: Change[]
}

type Choice = 'accept' | 'all' | 'edit' | 'reject' | 'skip' | 'undo' | 'quit' | 'help'
type Holds = ConflictResolution['holds']

interface Flags {
  list?: boolean
  conflicts?: boolean
  accept?: string[]
  retiresPersons?: boolean
  reject?: string[]
  resolve?: string[]
  holds?: Holds
  text?: string
}

const KEYS: Record<string, Choice> = {
  a: 'accept',
  A: 'all',
  y: 'accept',
  e: 'edit',
  r: 'reject',
  s: 'skip',
  u: 'undo',
  q: 'quit',
  '?': 'help',
}
/** A request has no text to edit. */
const { e: _, ...REQUEST_KEYS } = KEYS
const QUESTION = '[a]ccept, [A]ll, [e]dit, [r]eject, [s]kip, [u]ndo, [q]uit, [?]'
const QUESTION_ABOUT_REQUEST = '[a]ccept, [A]ll, [r]eject, [s]kip, [u]ndo, [q]uit, [?]'
const HELP = [
  ['accept', 'agents get it from now on, and what it retires no longer'],
  ['all', 'accept it and all behind it, but for requests and what would retire something'],
  ['edit', 'accept it with another text'],
  ['reject', 'agents do not get it, and the same text is not stored again'],
  ['skip', 'decide later'],
  ['undo', 'take back the last decision, and decide it again'],
  ['quit', 'end here; what was decided holds'],
] as const
/** What a person said is retired only by who was asked twice. */
const SURE_KEYS: Record<string, 'yes' | 'no'> = { y: 'yes', n: 'no', q: 'no' }
const doubtAboutAll = (count: number) => `Accept ${counted(count, 'memory', 'memories')} at once? [y]es, [n]o`
const doubt = (persons: number) =>
  `That retires ${counted(persons, 'memory', 'memories')} that a person said. Accept it all the same? [y]es, [n]o`
const CONFLICT_KEYS: Record<string, Holds | 'skip' | 'quit'> = {
  n: 'newer',
  o: 'older',
  b: 'both',
  m: 'merge',
  s: 'skip',
  q: 'quit',
}
/** How long new sessions may be read before the first question, in milliseconds. */
const UPDATE_MS = 3000
const CONFLICT_QUESTION = 'Which holds? [n]ewer, [o]lder, [b]oth, [m]erge into a new text, [s]kip, [q]uit'

const resolved = optionsOf<ConflictResolution>('ConflictResolution')

export function configure(command: Command, respond: Respond): void {
  command
    .option('--list', 'only list what waits, even on a terminal')
    .option('--conflicts', 'only contradictions')
    .option('--accept <ids...>', 'accept these memories')
    .option('--retires-persons', 'with --accept: also where that retires what a person said')
    .option('--reject <ids...>', 'reject these memories, so that the same texts are not stored again')
    .option('--resolve <ids...>', 'settle the contradiction of these two memories; with --holds')
    .addOption(resolved('holds', '--holds <which>', 'which of them is right, with --resolve'))
    .option('--text <text>', 'the text that replaces both; with --holds merge')
    .action(
      respond(async (project, flags: Flags): Promise<Answer> => {
        const { accept = [], reject = [], retiresPersons } = flags
        if (flags.resolve !== undefined) return resolveOne(flags.resolve, flags, project)
        if (accept.length + reject.length > 0)
          return decideAbout(accept, reject, { ...project, ...given({ retiresPersons }) })
        return whatWaits(project, flags)
      }),
    )
}

async function whatWaits(project: ProjectOptions, { list, conflicts: isOnlyConflicts }: Flags): Promise<Answer> {
  const waiting = isOnlyConflicts ? [] : listReview(project)
  const conflicts = await listAllConflicts(project)
  const isEmpty = waiting.length + conflicts.length === 0
  const document = isOnlyConflicts ? conflicts : { waiting, conflicts }
  if (list || isEmpty || !isTerminal(0) || !isTerminal(1) || asksForJson()) {
    return { document, text: (page) => listed(waiting, conflicts, isOnlyConflicts === true, page) }
  }
  const made: Made = { decided: 0, changes: [] }
  if (waiting.length > 0) requirePerson('accept or reject what agents propose', project)
  if (await askAboutWaiting(waiting, project, made)) await askAboutConflicts(conflicts, project, made)
  const left = (isOnlyConflicts ? 0 : listReview(project).length) + (await listAllConflicts(project)).length
  return {
    document: undefined,
    text: `${made.decided} decided, ${left} left.${made.decided > 0 ? ' forge-memory undo takes all of it back.' : ''}`,
    afterwards: () => changed(project, 'review', made.changes),
  }
}

function listed(waiting: WaitingMemory[], conflicts: MemoryConflict[], isOnlyConflicts: boolean, page: Page): string {
  if (waiting.length + conflicts.length === 0) {
    return isOnlyConflicts ? 'No memories contradict each other.' : 'Nothing waits for a review.'
  }
  const counts = [
    ...(waiting.length > 0 ? [`${counted(waiting.length, 'memory', 'memories')} to review`] : []),
    ...(conflicts.length > 0 ? [counted(conflicts.length, 'conflict')] : []),
  ]
  const parts = [...waiting.map((one) => waitingPage(one, page)), ...conflicts.map((one) => conflictPage(one, page))]
  return [...parts, page.paint('quiet', counts.join(', '))].join('\n\n')
}

function decideAbout(accept: string[], reject: string[], { retiresPersons, ...project }: Deciding): Answer {
  requirePerson('accept or reject what agents propose', project)
  const made: Made = { decided: 0, changes: [] }
  const outcomes = [
    ...accept.map((id) => decide(id, 'accept', project, made, given({ retiresPersons }))),
    ...reject.map((id) => decide(id, 'reject', project, made)),
  ]
  return {
    document: outcomes,
    text: outcomes.flatMap(({ id, state, retired = [] }) => [`${state} ${short(id)}`, ...retired.map(told)]).join('\n'),
    afterwards: () => changed(project, 'review', made.changes),
  }
}

/** A person sees what an acceptance has ended, and how it comes back. */
const told = ({ id, text }: { id: string; text: string }): string =>
  `  no longer current: ${short(id)} ${oneLine(text)} (forge-memory keep ${short(id)} brings it back)`

function decide(
  id: string,
  choice: 'accept' | 'reject',
  project: ProjectOptions,
  made: Made,
  how: Pick<AcceptOptions, 'text' | 'retiresPersons'> = {},
) {
  const options = { ...project, ...person() }
  const { outcome, changes } = observedDecision(id, project, () =>
    choice === 'accept' ? acceptMemory(id, { ...options, ...how }) : rejectMemory(id, options),
  )
  made.decided += 1
  made.changes.push(...changes)
  return outcome
}

/** Shows each and reads one key for it. Returns true if the user went through all of them. */
async function askAboutWaiting(found: WaitingMemory[], project: ProjectOptions, made: Made): Promise<boolean> {
  const page = await openPage(1)
  const decided: { at: number; ids: string[]; changes: Change[] }[] = []
  /** Those that were accepted with others before it was their turn. */
  const early = new Set<string>()
  let at = 0
  if (found.some(isFound)) await readSessions(project, UPDATE_MS)
  for (let record = found[at]; record !== undefined; record = found[at]) {
    if (early.has(record.id)) {
      at += 1
      continue
    }
    write(1, `\n${at + 1} of ${found.length}\n${waitingText(record, page, await turnsOf(record, project))}`)
    const isRequest = record.request !== undefined
    const choice = await chosenKey(isRequest ? QUESTION_ABOUT_REQUEST : QUESTION, isRequest ? REQUEST_KEYS : KEYS)
    if (choice === 'quit') return false
    if (choice === 'help') {
      write(1, `\n${pairs(page, HELP)}\n`)
      continue
    }
    const last = choice === 'undo' ? decided.pop() : undefined
    if (last !== undefined) {
      takeBackChanges(made.changes.splice(-last.changes.length), project)
      made.decided -= last.ids.length
      for (const id of last.ids) early.delete(id)
      at = last.at
    } else if (choice === 'undo') write(1, 'Nothing was decided yet.\n')
    else {
      const before = made.changes.length
      let ids = [record.id]
      if (choice === 'all') {
        ids = await acceptAll(found.slice(at), early, project, made)
        for (const id of ids) early.add(id)
      } else if (choice !== 'skip') await decideOn(record, choice, project, made)
      if (made.changes.length > before) decided.push({ at, ids, changes: made.changes.slice(before) })
      if (choice !== 'all') at += 1
    }
  }
  return true
}

/** Accepts all that retire nothing, when the person says so again. Returns their ids. */
async function acceptAll(
  found: WaitingMemory[],
  early: Set<string>,
  project: ProjectOptions,
  made: Made,
): Promise<string[]> {
  const plain = found.filter(({ id, request, retires = [] }) => !request && retires.length === 0 && !early.has(id))
  if (plain.length === 0) write(1, 'Each of them is a request, or would retire something.\n')
  else if ((await chosenKey(doubtAboutAll(plain.length), SURE_KEYS)) === 'yes') {
    for (const { id } of plain) decide(id, 'accept', project, made)
    return plain.map(({ id }) => id)
  }
  return []
}

/** Decides about one as the key says, after the questions that its text or what it retires asks for. */
async function decideOn(
  record: WaitingMemory,
  choice: 'accept' | 'edit' | 'reject',
  project: ProjectOptions,
  made: Made,
): Promise<void> {
  const persons = record.retires?.filter((one) => one.ofPerson).length ?? 0
  if (choice !== 'reject' && persons > 0 && (await chosenKey(doubt(persons), SURE_KEYS)) === 'no') return
  const text = choice === 'edit' ? await answered('The text to store in its place:') : undefined
  if (text === '') return
  const how = { retiresPersons: persons > 0, ...given({ text }) }
  decide(record.id, choice === 'reject' ? 'reject' : 'accept', project, made, how)
}

async function resolveOne(ids: string[], { holds, text }: Flags, project: ProjectOptions): Promise<Answer> {
  const [id, other, ...rest] = ids
  if (id === undefined || other === undefined || rest.length > 0) {
    throw new Failure('INVALID_INPUT', '--resolve: expected two ids', { hint: 'give two ids after --resolve' })
  }
  if (holds === undefined) {
    throw new Failure('INVALID_INPUT', '--resolve requires --holds', {
      hint: 'add --holds newer, older, both or merge',
    })
  }
  const made: Made = { decided: 0, changes: [] }
  const outcome = await settle(id, other, holds, text, project, made)
  const current = outcome.current.map((one) => short(one)).join(', ')
  return {
    document: outcome,
    text: `Settled: ${current} ${outcome.current.length === 1 ? 'holds' : 'hold'}.`,
    afterwards: () => changed(project, 'review', made.changes),
  }
}

async function settle(
  id: string,
  other: string,
  holds: Holds,
  text: string | undefined,
  project: ProjectOptions,
  made: Made,
) {
  // What a colleague said is fetched: a contradiction is settled on any machine.
  const shared = await sharedRecords([id, other], project)
  const { outcome, changes } = shared.during(() =>
    observed([id, other], project, () =>
      resolveConflict({ id, with: other, holds, ...given({ text }) }, { ...project, ...commandSpeaker() }),
    ),
  )
  made.decided += 1
  made.changes.push(...changes)
  return outcome
}

async function askAboutConflicts(found: MemoryConflict[], project: ProjectOptions, made: Made): Promise<void> {
  const page = await openPage(1)
  for (const [at, conflict] of found.entries()) {
    write(1, `\n${at + 1} of ${found.length}: ${conflictText(conflict, page)}`)
    const choice = await chosenKey(CONFLICT_QUESTION, CONFLICT_KEYS)
    if (choice === 'quit') break
    if (choice === 'skip') continue
    const text = choice === 'merge' ? await answered('The text that replaces both:') : undefined
    if (text !== '') await settle(conflict.newer.id, conflict.older.id, choice, text, project, made)
  }
}
