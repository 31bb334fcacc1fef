import { findProject, placesAmong, type SearchOptions } from '../../native.js'
import { momentOf } from '../../shared/age.js'
import { given } from '../../shared/given.js'
import { onlyKnown } from '../../shared/known.js'
import { problem } from '../../shared/problem.js'
import { StoreFailure, within } from '../failure.js'
import { reach } from '../reach.js'
import { readSettings, type StoreSettings } from '../settings.js'
import type { StoreAnswer, ThoughtHit, ThoughtQuery, ThoughtStore } from '../store.js'
import { requireTrust } from '../trust.js'
import { type CacheableSearch, findAnswer, keepAnswer, stampOf, throughCache } from './cache.js'
import { cacheKeyOf } from './cache-key.js'
import { heldHere, isGoneIn } from './judged-here.js'
import { searchOwn, withWaiting } from './own-thoughts.js'
import { namesMeant, otherNames } from './project-names.js'
import { receiveFrom } from './receive.js'
import { noteSearch } from './search-metrics.js'
import { type Borrowed, borrowStore } from './store-pool.js'

export interface SearchOutcome {
  thoughts: ThoughtHit[]
  /** Which store answered; `files` when the shared one could not be reached and the project's own memory was searched. */
  backend: 'embedded' | 'postgres' | 'remote' | 'files'
  /** True if the search was semantic as well as lexical. */
  semantic: boolean
  /** Why the answer may be incomplete. */
  message?: string
  /** True when the answer came from the cache. */
  cached?: true
}

const LIMIT = 10
const LIMIT_MAX = 100
/** Of a longer query, as in `recall`, only the beginning counts. */
const QUERY_CHARACTERS_MAX = 16 * 1024
/** How long an unreachable store is not tried again. */
const AVOID_MS = 2000

const avoided = new Map<string, { until: number; why: string }>()

/**
 * Searches the shared memory by the first 16 Ki characters of a query; a query that is not a string has no words. When it cannot be
 * reached, the project's own files are searched, and the outcome says so.
 */
export async function search(query: string, options: SearchOptions = {}): Promise<SearchOutcome> {
  onlyKnown(options, { projectDir: true, project: true, type: true, limit: true, since: true })
  const limit = checkedLimit(options.limit)
  const since = options.since === undefined ? undefined : instantOf(options.since)
  const projectDir = findProject(options.projectDir === undefined ? {} : { projectDir: options.projectDir })
  const wanted: ThoughtQuery = {
    text: typeof query === 'string' ? query.slice(0, QUERY_CHARACTERS_MAX) : '',
    limit,
    now: new Date().toISOString(),
    ...given({ project: options.project, type: options.type, since }),
  }
  const started = performance.now()
  const outcome = await searchFor(wanted, projectDir, options.since)
  noteSearch(outcome.backend, performance.now() - started)
  return outcome
}

async function searchFor(wanted: ThoughtQuery, projectDir: string, since?: string): Promise<SearchOutcome> {
  try {
    const settings = readSettings(projectDir)
    requireTrust(settings)
    return withOwn(await searchShared(settings, wanted, since), wanted, projectDir)
  } catch (error) {
    if (!(error instanceof StoreFailure)) throw error
    const message = `answered by the project's own files: ${error.message}`
    return { ...searchOwn(wanted, projectDir), backend: 'files', message }
  }
}

/** Searches the shared store alone. Throws `StoreFailure` when it cannot be reached, also for a while after it could not. */
export async function searchShared(
  settings: StoreSettings,
  query: ThoughtQuery,
  since?: string,
): Promise<SearchOutcome> {
  const outcome = await answered(settings, query, since)
  // After the cache, which knows nothing of the changes of other folders.
  return { ...outcome, thoughts: heldHere(outcome.thoughts, settings.projectDir) }
}

function answered(settings: StoreSettings, query: ThoughtQuery, since?: string): Promise<SearchOutcome> {
  return withStore(settings, async (store) => {
    const outcome = await searchOnce(store, settings, query, since)
    if (outcome.thoughts.length > 0 || query.project === undefined) return outcome
    const others = await otherNames(query.project, store, settings.projectDir)
    const isSearched = others.every((name) => namesOf(query, settings.projectDir).includes(name))
    if (isSearched) return outcome
    const answer = await searchNames(store, { ...query, limit: query.limit + SPARE }, others)
    return outcomeOf(answer, store, settings, query)
  })
}

/** Asks the store of some settings something. Throws `StoreFailure` when it does not answer, also for a while after it did not. */
export async function withStore<T>(settings: StoreSettings, ask: (store: ThoughtStore) => Promise<T>): Promise<T> {
  const address = 'url' in settings.target ? settings.target.url.href : ''
  const before = avoided.get(address)
  if (before !== undefined && before.until > Date.now()) throw new StoreFailure('busy', before.why)
  let borrowed: Borrowed | undefined
  let hasFailed = true
  try {
    const isKept = settings.target.backend === 'postgres'
    if (!isKept) await reach(settings.target, settings.reachTimeoutMs)
    borrowed = await borrowStore(settings)
    const { store, isWarm } = borrowed
    const work = ask(store)
    if (isKept && !isWarm) await reachBeside(work, settings)
    const outcome = await within(settings.searchTimeoutMs, work, `${store.place} did not answer in time`)
    avoided.delete(address)
    hasFailed = false
    return outcome
  } catch (error) {
    if (error instanceof StoreFailure && settings.target.backend !== 'embedded') {
      avoided.set(address, { until: Date.now() + AVOID_MS, why: error.message })
    }
    throw error
  } finally {
    borrowed?.release(hasFailed)
  }
}

/** Fails as soon as nobody answers at the address, without making the search wait for that check. */
async function reachBeside(work: Promise<unknown>, { target, reachTimeoutMs }: StoreSettings): Promise<void> {
  const reached = reach(target, reachTimeoutMs)
  reached.catch(() => undefined)
  try {
    await Promise.race([reached, work])
  } catch (error) {
    // The check says more about an address at which nobody listens.
    if (error instanceof StoreFailure && error.isAway) await reached
    throw error
  }
}

/**
 * Searches through the cache: an answer is reused while nothing was stored, here or on another machine, that could change
 * it.
 */
async function searchOnce(
  store: ThoughtStore,
  settings: StoreSettings,
  asked: ThoughtQuery,
  since?: string,
): Promise<SearchOutcome> {
  const { projectDir } = settings
  const names = namesOf(asked, projectDir)
  // A capture under the full name makes a cached answer out of date.
  const query = names[0] === undefined ? asked : { ...asked, project: names[0] }
  const wanted = { ...query, limit: query.limit + SPARE }
  if (store.searchUnless === undefined) {
    // Read before the search, whose answer may lack changes made meanwhile.
    const state = await store.state?.()
    const ask = async () => outcomeOf(await searchNames(store, wanted, names), store, settings, query)
    const question = cacheableSearch(settings, store, { query, since, names, state })
    return state === undefined ? ask() : throughCache<SearchOutcome>(question, ask, isComplete)
  }
  // The store says whether the state that the answer is from still holds.
  const question = cacheableSearch(settings, store, { query, since, names, state: undefined })
  const { state, ...cached } = findAnswer<SearchOutcome & { state?: string }>(question) ?? {}
  const stamp = stampOf(projectDir)
  const reply = await store.searchUnless(wanted, names.length === 0 ? undefined : names, state)
  if (reply.answer === undefined && 'backend' in cached) return cached
  const outcome = await outcomeOf(reply.answer ?? NOTHING, store, settings, query)
  if (reply.state !== undefined && isComplete(outcome)) keepAnswer(question, stamp, { ...outcome, state: reply.state })
  return outcome
}

const NOTHING: StoreAnswer = { thoughts: [], semantic: false }

/** An incomplete answer is not cached. */
const isComplete = ({ message }: SearchOutcome) => message === undefined

interface Question {
  query: ThoughtQuery
  since: string | undefined
  names: string[]
  /** The state of the store that an answer belongs to, where it is part of the key. */
  state: string | undefined
}

function cacheableSearch(settings: StoreSettings, store: ThoughtStore, question: Question): CacheableSearch {
  const { query, since, names, state } = question
  const { text, limit, project, type } = query
  return {
    projectDir: settings.projectDir,
    query: text,
    limit,
    ...given({ project, type, since }),
    ...(names.length < 2 ? {} : { names }),
    ...cacheKeyOf(settings, { state, model: store.model }),
  }
}

function namesOf({ project }: ThoughtQuery, projectDir: string): string[] {
  return project === undefined ? [] : namesMeant(project, projectDir)
}

/** Searches each name of a project, because a store accepts one per search, and merges the hits by score. */
async function searchNames(store: ThoughtStore, query: ThoughtQuery, names: string[]): Promise<StoreAnswer> {
  if (names.length < 2) return store.search({ ...query, ...given({ project: names[0] ?? query.project }) })
  const answers: StoreAnswer[] = []
  for (const project of names) answers.push(await store.search({ ...query, project }))
  const semanticProblem = answers.find((answer) => answer.semanticProblem !== undefined)?.semanticProblem
  const thoughts = answers.flatMap((answer) => answer.thoughts).sort((a, b) => b.score - a.score)
  const semantic = answers.every((answer) => answer.semantic)
  const irrelevant = thoughts.length === 0 && answers.some((answer) => answer.irrelevant)
  return {
    thoughts,
    semantic,
    ...(irrelevant ? { irrelevant: true as const } : {}),
    ...given({ semanticProblem }),
  }
}

const NO_MATCH = 'no match: the nearest records are about something else; try a name, an error code or other words'

/** How many extra hits are fetched to replace those that this machine knows to be deleted. */
const SPARE = 10

async function outcomeOf(
  answer: StoreAnswer,
  store: ThoughtStore,
  settings: StoreSettings,
  { text, limit }: ThoughtQuery,
): Promise<SearchOutcome> {
  const { projectDir } = settings
  const isGone = (hit: ThoughtHit) => isGoneIn(projectDir, hit)
  // A colleague may have kept what was retired here. A memory that nobody may write stays as it is.
  if (answer.thoughts.some(isGone)) await receiveFrom(store, settings).catch(() => undefined)
  // The embedded store has put them there itself.
  const found = store.backend === 'embedded' ? answer.thoughts : inPlaces(answer.thoughts, text)
  const thoughts = found.filter((hit) => !isGone(hit)).slice(0, limit)
  const warnings = [
    ...(answer.semanticProblem === undefined ? [] : [`searched by words only: ${answer.semanticProblem}`]),
    ...(answer.irrelevant ? [NO_MATCH] : []),
  ]
  const message = warnings.length === 0 ? {} : { message: warnings.join('; ') }
  return { thoughts, backend: store.backend, semantic: answer.semantic, ...message }
}

/** Puts what is found in its places, as recall does: a database knows nothing of what a text says of itself. */
function inPlaces(thoughts: ThoughtHit[], query: string): ThoughtHit[] {
  const places = placesAmong(
    query,
    thoughts.map(({ content, score }) => ({ text: content, score })),
  )
  const placed = thoughts.map((hit, at): ThoughtHit => {
    const { over, score } = places[at] ?? { over: false, score: hit.score }
    return { ...hit, ...(over && { over }), score }
  })
  return placed.sort((a, b) => b.score - a.score)
}

/** Adds what is captured here and not delivered yet: whoever writes something finds it. */
function withOwn({ message, ...outcome }: SearchOutcome, query: ThoughtQuery, projectDir: string): SearchOutcome {
  const thoughts = withWaiting(outcome.thoughts, query, projectDir)
  const isAnswered = message === NO_MATCH && thoughts.length > 0
  return { ...outcome, thoughts, ...given({ message: isAnswered ? undefined : message }) }
}

function checkedLimit(limit: number | undefined): number {
  if (limit === undefined) return LIMIT
  if (Number.isInteger(limit) && limit >= 1) return Math.min(limit, LIMIT_MAX)
  throw problem('INVALID_INPUT', 'limit: expected a whole number of at least 1')
}

/** Parses a time: ISO 8601, or an age such as `30m`, `12h`, `7d`, `2w`. Throws `INVALID_INPUT`. */
function instantOf(text: string): string {
  const date = new Date(momentOf(text.trim()))
  if (Number.isNaN(date.getTime())) {
    throw problem('INVALID_INPUT', 'since: expected an ISO date or an age such as 7d')
  }
  return date.toISOString()
}
