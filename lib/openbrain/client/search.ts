import { findProject, type ProjectOptions, projectNames, recall, showMemory } from '../../native.js'
import { onlyKnown } from '../../shared/known.js'
import { problem } from '../../shared/problem.js'
import { StoreFailure } from '../failure.js'
import { reach } from '../reach.js'
import { readSettings, type StoreSettings } from '../settings.js'
import type { StoreAnswer, ThoughtHit, ThoughtQuery, ThoughtStore } from '../store.js'
import { requireTrust } from '../trust.js'
import { throughCache } from './cache.js'
import { openStore } from './open.js'
import { instantOf } from './since.js'
import { placeAndAge } from './state.js'

export interface SearchOptions extends ProjectOptions {
  /** Only of this project; of all when absent. */
  project?: string
  type?: string
  /** 10 when absent, 100 at most. */
  limit?: number
  /** ISO 8601, or an age such as `7d`, `2w`. */
  since?: string
}

export interface SearchOutcome {
  thoughts: ThoughtHit[]
  /** Which store answered; `files` when the shared one could not, and the project's own memory did. */
  backend: 'embedded' | 'postgres' | 'remote' | 'files'
  /** Whether the search went by meaning as well as by words. */
  semantic: boolean
  /** Why the answer is less than it could be. */
  message?: string
  /** True when the same question was answered before, and nothing came since that could change the answer. */
  cached?: true
}

const LIMIT = 10
const LIMIT_MAX = 100
/** How long a store that was not there is not asked again. */
const AVOID_MS = 5000

const avoided = new Map<string, { until: number; why: string }>()

/** Searches the shared memory. When it cannot be reached, the project's own files answer, and the outcome says so. */
export async function search(query: string, options: SearchOptions = {}): Promise<SearchOutcome> {
  onlyKnown(options, { projectDir: true, project: true, type: true, limit: true, since: true })
  const limit = checkedLimit(options.limit)
  const since = options.since === undefined ? undefined : instantOf(options.since)
  const projectDir = findProject(options.projectDir === undefined ? {} : { projectDir: options.projectDir })
  const wanted: ThoughtQuery = {
    text: query,
    limit,
    now: new Date().toISOString(),
    ...(options.project === undefined ? {} : { project: options.project }),
    ...(options.type === undefined ? {} : { type: options.type }),
    ...(since === undefined ? {} : { since }),
  }
  try {
    const settings = readSettings(projectDir)
    requireTrust(settings)
    return await searchStore(settings, wanted, options.since)
  } catch (error) {
    if (!(error instanceof StoreFailure)) throw error
    return searchFiles(wanted, projectDir, error.message)
  }
}

async function searchStore(settings: StoreSettings, query: ThoughtQuery, since?: string): Promise<SearchOutcome> {
  const address = 'url' in settings.target ? settings.target.url.href : ''
  const before = avoided.get(address)
  if (before !== undefined && before.until > Date.now()) throw new StoreFailure('busy', before.why)
  let store: ThoughtStore | undefined
  try {
    await reach(settings.target, settings.reachTimeoutMs)
    store = await openStore(settings)
    const outcome = await within(settings.searchTimeoutMs, searchOnce(store, settings, query, since), store.place)
    avoided.delete(address)
    return outcome
  } catch (error) {
    if (error instanceof StoreFailure && settings.target.backend !== 'embedded') {
      avoided.set(address, { until: Date.now() + AVOID_MS, why: error.message })
    }
    throw error
  } finally {
    // The answer does not wait for the farewell.
    store?.close().catch(() => undefined)
  }
}

/** Answers again what was answered before, as long as neither here nor on another machine anything came that could change it. */
async function searchOnce(
  store: ThoughtStore,
  settings: StoreSettings,
  query: ThoughtQuery,
  since?: string,
): Promise<SearchOutcome> {
  const { projectDir } = settings
  const names = namesOf(query, projectDir)
  const ask = async () => {
    const answer = await searchNames(store, { ...query, limit: query.limit + SPARE }, names)
    return outcomeOf(answer, store, projectDir, query.limit)
  }
  // Before the question: what changes while it is asked may be missing in the answer.
  const state = await store.state()
  if (state === undefined) return ask()
  const { text, limit, project, type } = query
  const search = {
    projectDir,
    query: text,
    limit,
    ...(project === undefined ? {} : { project }),
    ...(type === undefined ? {} : { type }),
    ...(since === undefined ? {} : { since }),
    ...(names.length < 2 ? {} : { names }),
    ...placeAndAge(settings, { state, model: store.model }),
  }
  // An answer that is less than it could be is not worth keeping.
  return throughCache<SearchOutcome>(search, ask, ({ message }) => message === undefined)
}

/** The names that records of the wanted project may have: this project's own may have each of its names. */
function namesOf({ project }: ThoughtQuery, projectDir: string): string[] {
  if (project === undefined) return []
  const own = projectNames({ projectDir })
  return own.includes(project) ? own : [project]
}

/** Searches under one name after the other, as a store knows one project a search, and ranks what was found together. */
async function searchNames(store: ThoughtStore, query: ThoughtQuery, names: string[]): Promise<StoreAnswer> {
  if (names.length < 2) return store.search(query)
  const answers: StoreAnswer[] = []
  for (const project of names) answers.push(await store.search({ ...query, project }))
  const remark = answers.find((answer) => answer.remark !== undefined)?.remark
  const thoughts = answers.flatMap((answer) => answer.thoughts).sort((a, b) => b.score - a.score)
  const semantic = answers.every((answer) => answer.semantic)
  return { thoughts, semantic, ...(remark === undefined ? {} : { remark }) }
}

/** So many more are fetched, for those that this machine already knows to be gone. */
const SPARE = 10

function outcomeOf(answer: StoreAnswer, store: ThoughtStore, projectDir: string, limit: number): SearchOutcome {
  const thoughts = answer.thoughts.filter(({ id }) => !isGoneHere(id, projectDir)).slice(0, limit)
  const remark = answer.remark === undefined ? {} : { message: `searched by words only: ${answer.remark}` }
  return { thoughts, backend: store.backend, semantic: answer.semantic, ...remark }
}

/** What was forgotten or replaced here must not be found before the delete reaches the store. */
function isGoneHere(id: string, projectDir: string): boolean {
  try {
    const { entry, state, revisions } = showMemory(id, { projectDir })
    // What was replaced is shown as what took its place.
    if (entry.id !== id) return revisions.some((revision) => revision.id === id)
    return state === 'forgotten' || state === 'superseded'
  } catch {
    // It is of another project.
    return false
  }
}

async function searchFiles(query: ThoughtQuery, projectDir: string, why: string): Promise<SearchOutcome> {
  const message = `answered by the project's own files: ${why}`
  const names = projectNames({ projectDir })
  const projectName = names[0] ?? ''
  if (query.project !== undefined && !names.includes(query.project)) {
    return { thoughts: [], backend: 'files', semantic: false, message }
  }
  const { hits } = recall(query.text, {
    projectDir,
    limit: query.limit,
    scope: 'project',
    ...(query.type === undefined ? {} : { types: [query.type] }),
    ...(query.since === undefined ? {} : { since: query.since }),
  })
  const thoughts = hits.map(({ id, text, type, source, createdAt, expiresAt, tags, score }) => ({
    id,
    content: text,
    project: projectName,
    type,
    source,
    createdAt,
    ...(expiresAt === undefined ? {} : { expiresAt }),
    tags,
    score,
  }))
  return { thoughts, backend: 'files', semantic: false, message }
}

function within<T>(milliseconds: number, work: Promise<T>, place: string): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const tooLate = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new StoreFailure('busy', `${place} did not answer in time`)), milliseconds)
  })
  work.catch(() => undefined)
  return Promise.race([work, tooLate]).finally(() => clearTimeout(timer))
}

function checkedLimit(limit: number | undefined): number {
  if (limit === undefined) return LIMIT
  if (Number.isInteger(limit) && limit >= 1) return Math.min(limit, LIMIT_MAX)
  throw problem('INVALID_INPUT', 'limit: expected a whole number of at least 1')
}
