// The thoughts of colleagues, for a recall of this project's own memory: nobody asks a second tool for them. It may take a moment and no more. Where
// the store does not answer in time, what it said last is shown with its age, and that it was not asked.
import { statSync } from 'node:fs'
import { join } from 'node:path'
import {
  findProject,
  findRelatedAmong,
  keepReplica,
  type ProjectOptions,
  projectNames,
  recallReplica,
  showMemory,
} from '../../native.js'
import { ageOf } from '../../shared/age.js'
import { given } from '../../shared/given.js'
import { forgeHome } from '../../shared/home.js'
import { readPrivateMap, tryToWriteMap } from '../../shared/private-file.js'
import { StoreFailure, within } from '../failure.js'
import { placeOf, type StoreSettings, validSettings } from '../settings.js'
import type { ThoughtHit } from '../store.js'
import { untrusted } from '../trust.js'
import { replicaFolder } from './replica-folder.js'

/** How old what the store said last may be while it answers. */
const REPLICA_MS = 3600_000
/** How long a store that did not answer in time is left alone by further commands, and by a process in which its connection gets ready meanwhile. */
const LEFT_ALONE_MS = 60_000
const LEFT_ALONE_HERE_MS = 3000
const LIMIT = 5
/** How long a question of a command may be under way at all: it is given up before, by the time that the command was given. */
const HURRIED_MS = 3000

export interface TeamOptions extends ProjectOptions {
  /** True for thoughts of all projects; absent for those of this one, from a store that is for several people. */
  everywhere?: boolean
  /**
   * True in a process that goes on: a first connection or an embedder that is late this time is ready the next time. A single command ends, and does
   * without.
   */
  isLasting?: boolean
  limit?: number
  type?: string
}

export interface TeamAnswer {
  /** Best first, without those that the own files have. */
  thoughts: ThoughtHit[]
  /** Why there is none of now. */
  message?: string
  /** True if the replica is to be made anew, in a process for which nobody waits: said to one command a minute. */
  isReplicaOld?: true
}

const NOTHING: TeamAnswer = { thoughts: [] }

/** Begins to ask. When the answer is wanted, it is waited for as long as the settings say. */
export function askTeam(query: string, options: TeamOptions = {}): () => Promise<TeamAnswer> {
  const projectDir = findProject(options.projectDir === undefined ? {} : { projectDir: options.projectDir })
  const settings = settingsOf(projectDir, options)
  const isLasting = options.isLasting === true
  if (settings === undefined) return async () => NOTHING
  const away = 'it did not answer a moment ago'
  if (isLeftAlone(settings, isLasting))
    return async () => (isLasting ? NOTHING : lastKnown(query, projectDir, away, options))
  const { recallTimeoutMs } = settings
  const asked = ask(query, settings, options)
  asked.catch(() => undefined)
  return async () => {
    try {
      const late = `it did not answer within ${recallTimeoutMs} ms`
      const thoughts = await (isLasting ? within : withinOwnTime)(recallTimeoutMs, asked, late)
      const others = thoughts.filter(({ id }) => !isOwn(id, projectDir)).slice(0, options.limit ?? LIMIT)
      return { thoughts: others, ...(isLasting ? {} : oldReplica(settings, REPLICA_MS)) }
    } catch (error) {
      if (!(error instanceof StoreFailure)) throw error
      const isSaid = leaveAlone(settings, isLasting)
      const without = `without the shared store: ${error.message}`
      if (isLasting) return isSaid ? { thoughts: [], message: without } : NOTHING
      if (error.kind === 'misconfigured') return { thoughts: withoutReplica(projectDir), message: without }
      return { ...lastKnown(query, projectDir, error.message, options), ...oldReplica(settings, LEFT_ALONE_MS) }
    }
  }
}

/** Who is refused is not shown what the store said before that: neither now nor while it is left alone. */
function withoutReplica(projectDir: string): ThoughtHit[] {
  try {
    keepReplica({ problem: 'refused' }, { projectDir })
  } catch {
    // Whoever asks the store next removes it.
  }
  return []
}

/** What the store said last, where there is a replica for this user: with its age, and how to have an answer of now. */
function lastKnown(query: string, projectDir: string, why: string, { limit = LIMIT, type }: TeamOptions): TeamAnswer {
  const found = recallReplica(query, limit * 2, { projectDir })
  const isWanted = (kind: string) => type === undefined || kind === type
  const hits = (found?.hits ?? []).filter(
    ({ id, type: kind, weaker }) => !weaker && isWanted(kind) && !isOwn(id, projectDir),
  )
  const [project = ''] = projectNames({ projectDir })
  const thoughts = hits.slice(0, limit).map(({ id, text, type: kind, source, createdAt, tags, score }) => {
    return { id, content: text, project, type: kind, source, createdBy: source, createdAt, tags, score }
  })
  const age = ageOf(found?.at ?? '')
  const shown =
    thoughts.length === 0 ? '' : `; shown is what it said ${age === 'new' ? 'within the last hour' : `${age} ago`}`
  return { thoughts, message: `without the shared store: ${why}${shown}; find --shared waits for it` }
}

/** How often the time that this process was given is counted. */
const TICK_MS = 10

/**
 * Waits for some work as long as it may take, by the time that this process was given: on a busy machine, a command that waits for the processor does not
 * count that as time in which the store said nothing.
 */
function withinOwnTime<T>(milliseconds: number, work: Promise<T>, late: string): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const tooLate = new Promise<never>((_, reject) => {
    let left = milliseconds
    timer = setInterval(() => {
      left -= TICK_MS
      if (left <= 0) reject(new StoreFailure('busy', late))
    }, TICK_MS)
  })
  return Promise.race([work, tooLate]).finally(() => clearInterval(timer))
}

/** How many near thoughts are compared with a new text, and how many are offered. */
const COMPARED = 20
const OFFERED = 3

/** Begins to ask for thoughts that a new text may replace. It is compared when it is stored, as the own records are. */
export function askOffers(text: string, options: TeamOptions = {}): () => Promise<ThoughtHit[]> {
  const asked = askTeam(text, { ...options, limit: COMPARED })
  return async () => {
    const { thoughts, message } = await asked()
    // Nothing is replaced by what the store said some time ago.
    if (message !== undefined) return []
    const { projectDir } = options
    const contents = thoughts.map(({ content }) => content)
    const near = contents.length === 0 ? [] : findRelatedAmong(text, contents, given({ projectDir }))
    return near.flatMap((place) => thoughts[place] ?? []).slice(0, OFFERED)
  }
}

/** The store to ask, hurried; undefined when there is none, when it is not approved, and when the user does not want it. */
function settingsOf(projectDir: string, { everywhere, isLasting }: TeamOptions): StoreSettings | undefined {
  const settings = validSettings(projectDir)
  if (settings === undefined) return undefined
  const isPrivate = settings.target.backend === 'embedded'
  if ((isPrivate && !everywhere) || (!settings.isAskedByRecall && !everywhere)) return undefined
  if (untrusted(settings).length > 0) return undefined
  const { recallTimeoutMs: timeoutMs } = settings
  const hurried = { timeoutMs: HURRIED_MS, reachTimeoutMs: timeoutMs, searchTimeoutMs: HURRIED_MS }
  return isLasting ? settings : { ...settings, ...hurried, embedder: { kind: 'none' } }
}

async function ask(query: string, settings: StoreSettings, options: TeamOptions): Promise<ThoughtHit[]> {
  // Only users of a team's store pay for loading its search.
  const { searchShared } = await import('./search.js')
  const [project] = projectNames({ projectDir: settings.projectDir })
  const { type, limit = LIMIT } = options
  const { thoughts } = await searchShared(settings, {
    text: query,
    limit: limit * 2,
    now: new Date().toISOString(),
    ...(options.everywhere || project === undefined ? {} : { project }),
    ...given({ type }),
  })
  return thoughts.filter(({ weak }) => !weak)
}

/** True if the own files have, or had, a record: they know its state better. */
function isOwn(id: string, projectDir: string): boolean {
  try {
    showMemory(id, { projectDir, includeProposed: true })
    return true
  } catch {
    return false
  }
}

/** Since when stores are away, in this process. */
const awayHere = new Map<string, number>()

function isLeftAlone({ target }: StoreSettings, isLasting: boolean): boolean {
  const name = nameOf(target)
  if (isLasting) return isWithin(awayHere.get(name), LEFT_ALONE_HERE_MS)
  return isWithin(readPrivateMap<number>(awayFile()).get(name), LEFT_ALONE_MS)
}

/** Notes that a store is away. Returns true if that is to be said: once while it stays away. */
function leaveAlone({ target }: StoreSettings, isLasting: boolean): boolean {
  const name = nameOf(target)
  if (!isLasting) return note(name)
  const isKnown = isWithin(awayHere.get(name), LEFT_ALONE_MS)
  awayHere.set(name, Date.now())
  return !isKnown
}

/** Says that the replica of a store is older than it may be, to one command a minute. */
function oldReplica({ projectDir, target }: StoreSettings, milliseconds: number): Pick<TeamAnswer, 'isReplicaOld'> {
  const folder = replicaFolder(projectDir)
  const at = statSync(join(folder, 'replica.json'), { throwIfNoEntry: false })?.mtimeMs
  const isOld = target.backend === 'postgres' && !isWithin(at, milliseconds) && note(folder)
  return isOld ? { isReplicaOld: true } : {}
}

/** Notes a name for a minute. Returns false if it is noted already, or if that cannot be written. */
function note(name: string): boolean {
  const noted = [...readPrivateMap<number>(awayFile())].filter(([, at]) => isWithin(at, LEFT_ALONE_MS))
  if (noted.some(([other]) => other === name)) return false
  return tryToWriteMap(awayFile(), new Map([...noted, [name, Date.now()]]))
}

const isWithin = (at: number | undefined, milliseconds: number) =>
  at !== undefined && Math.abs(Date.now() - at) < milliseconds
const awayFile = () => join(forgeHome(), 'stores-away.json')
const nameOf = (target: StoreSettings['target']) => ('url' in target ? placeOf(target.url) : 'file')
