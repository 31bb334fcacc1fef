// The thoughts of colleagues, for a recall of this project's own memory: nobody asks a second tool for them. It may take a moment and no more; a
// store that is offline, slow or refused costs nothing, and is said once.
import { join } from 'node:path'
import { findProject, findRelatedAmong, type ProjectOptions, projectNames, showMemory } from '../../native.js'
import { given } from '../../shared/given.js'
import { forgeHome } from '../../shared/home.js'
import { readPrivateMap, writePrivateMap } from '../../shared/private-file.js'
import { StoreFailure, within } from '../failure.js'
import { placeOf, type StoreSettings, validSettings } from '../settings.js'
import type { ThoughtHit } from '../store.js'
import { untrusted } from '../trust.js'

/** How long a store that did not answer in time is left alone by further commands, and by a process in which its connection gets ready meanwhile. */
const LEFT_ALONE_MS = 60_000
const LEFT_ALONE_HERE_MS = 3000
const LIMIT = 5

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
  /** Why there is none; said once while a store is away. */
  message?: string
}

const NOTHING: TeamAnswer = { thoughts: [] }

/** Begins to ask. When the answer is wanted, it is waited for as long as the settings say. */
export function askTeam(query: string, options: TeamOptions = {}): () => Promise<TeamAnswer> {
  const projectDir = findProject(options.projectDir === undefined ? {} : { projectDir: options.projectDir })
  const settings = settingsOf(projectDir, options)
  const isLasting = options.isLasting === true
  if (settings === undefined || isLeftAlone(settings, isLasting)) return async () => NOTHING
  const { recallTimeoutMs } = settings
  const asked = ask(query, settings, options)
  asked.catch(() => undefined)
  return async () => {
    try {
      const thoughts = await within(recallTimeoutMs, asked, `it did not answer within ${recallTimeoutMs} ms`)
      return { thoughts: thoughts.filter(({ id }) => !isOwn(id, projectDir)).slice(0, options.limit ?? LIMIT) }
    } catch (error) {
      if (!(error instanceof StoreFailure)) throw error
      return leaveAlone(settings, isLasting)
        ? { thoughts: [], message: `without the shared store: ${error.message}` }
        : NOTHING
    }
  }
}

/** How many near thoughts are compared with a new text, and how many are offered. */
const COMPARED = 20
const OFFERED = 3

/** Begins to ask for thoughts that a new text may replace. It is compared when it is stored, as the own records are. */
export function askOffers(text: string, options: TeamOptions = {}): () => Promise<ThoughtHit[]> {
  const asked = askTeam(text, { ...options, limit: COMPARED })
  return async () => {
    const { thoughts } = await asked()
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
  const hurried = { timeoutMs, reachTimeoutMs: timeoutMs, searchTimeoutMs: timeoutMs }
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
  if (isLasting) {
    const isKnown = isWithin(awayHere.get(name), LEFT_ALONE_MS)
    awayHere.set(name, Date.now())
    return !isKnown
  }
  const away = [...readPrivateMap<number>(awayFile())].filter(([, at]) => isWithin(at, LEFT_ALONE_MS))
  try {
    writePrivateMap(awayFile(), new Map([...away, [name, Date.now()]]))
  } catch {
    // Without the note, the next recall waits as well.
  }
  return true
}

const isWithin = (at: number | undefined, milliseconds: number) =>
  at !== undefined && Math.abs(Date.now() - at) < milliseconds
const awayFile = () => join(forgeHome(), 'stores-away.json')
const nameOf = (target: StoreSettings['target']) => ('url' in target ? placeOf(target.url) : 'file')
