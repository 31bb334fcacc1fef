/** The functions of the shared memory. Each loads its dependencies when it is first called. */

import {
  captureMemory,
  type MemoryConflict,
  type MemoryDetail,
  type ProjectOptions,
  type SearchOptions,
  type ShowOptions,
  showMemory,
  type WriteOptions,
} from '../native.js'
import type { Backlog } from '../openbrain/backlog.js'
import type { Purpose, SharedRecords } from '../openbrain/client/kept.js'
import type { RestoreOptions, RestoreOutcome } from '../openbrain/client/restore.js'
import type { SearchOutcome } from '../openbrain/client/search.js'
import type { OpenBrainStatus } from '../openbrain/client/status.js'
import type { TeamAnswer, TeamOptions } from '../openbrain/client/team.js'
import type { ThoughtHit } from '../openbrain/store.js'
import type { DrainReport } from '../outbox/drain.js'
import type { DrainWorker, DrainWorkerOptions } from '../outbox/drain-worker.js'
import type { DrainOptions } from '../outbox/running.js'
import { fieldsOf } from '../shared/fields.js'
import { given } from '../shared/given.js'
import { mayNameStore } from '../shared/named-store.js'
import { hasCode } from '../shared/problem.js'

/**
 * Searches the shared memory of all projects by words and, when an embedder is configured, by meaning. When the shared
 * memory cannot be reached, the project's own files are searched instead, and `backend` and `message` say so.
 */
export async function searchThoughts(query: string, options?: SearchOptions): Promise<SearchOutcome> {
  return (await import('../openbrain/client/search.js')).search(query, options)
}

/**
 * Begins to ask the shared store for thoughts of colleagues about a query; the returned function waits a moment for the answer, which is empty when
 * there is none.
 */
export async function askTeam(query: string, options: TeamOptions = {}): Promise<() => Promise<TeamAnswer>> {
  if (!mayBeAsked(options)) return async () => ({ thoughts: [] })
  return (await import('../openbrain/client/team.js')).askTeam(query, options)
}

/**
 * Begins to ask the shared store for thoughts of colleagues about the subject of a new text; the returned function waits a moment, and says which
 * of them the text, which is stored by then, may replace.
 */
export async function askOffers(text: string, options: TeamOptions = {}): Promise<() => Promise<ThoughtHit[]>> {
  if (!mayBeAsked(options)) return async () => []
  return (await import('../openbrain/client/team.js')).askOffers(text, options)
}

/** The private store is asked only for thoughts of all projects. */
function mayBeAsked({ everywhere, projectDir }: TeamOptions): boolean {
  return everywhere === true || mayNameStore(given({ projectDir }))
}

/**
 * Loads what the first searches would load, for a process that waits for them: a part when nothing has come for a turn, so that requests are answered
 * first. Nothing is opened or asked.
 */
export async function loadSearches(): Promise<void> {
  const parts = [() => import('../openbrain/client/team.js'), () => import('../openbrain/client/search.js')]
  for (const load of parts) {
    // The first one ends this turn, and the next turn begins with what has come.
    await new Promise((resolve) => setImmediate(() => setImmediate(resolve)))
    await load()
  }
}

/** How often a process that goes on has the shared store say whether a replica is still right; hooks use one for a minute after that. */
const CONFIRM_MS = 25_000
/** The delay of the first time: it would delay the first answer to a client. */
const FIRST_CONFIRM_MS = 1000

/**
 * Keeps what hooks tell of a team up to date while a process runs, through the connections of its worker while that has some. Returns a function that
 * stops it.
 */
export function keepReplicaFresh(options: ProjectOptions, worker?: DrainWorker): () => void {
  const confirm = async () => {
    const isDone = await worker?.refreshReplica().catch(() => false)
    // `status` and `doctor` report what is wrong with the store; hooks do without it.
    if (isDone !== true) await refreshReplica(options).catch(() => undefined)
  }
  const first = setTimeout(confirm, FIRST_CONFIRM_MS)
  const timer = setInterval(confirm, CONFIRM_MS)
  first.unref()
  timer.unref()
  return () => {
    clearTimeout(first)
    clearInterval(timer)
  }
}

/** Has the shared store say what a team stored about the project, for hooks. */
export async function refreshReplica(options: ProjectOptions = {}): Promise<void> {
  return (await import('../openbrain/client/replica.js')).refreshReplica(options)
}

/**
 * Makes records known by their ids, or pieces of them: those that no file here has are fetched from the shared store, and known during the action
 * on them.
 */
export async function sharedRecords(
  ids: string[],
  options: ProjectOptions,
  purpose: Purpose = 'change',
): Promise<SharedRecords> {
  const { projectDir } = options
  const away = ids.filter((id) => !isHere(id, given({ projectDir })))
  // Of an own record, the store may know that a colleague has retired it.
  const asked = purpose === 'keep' ? ids : away
  if (asked.length === 0) return { kept: [], during: (act) => act() }
  return (await import('../openbrain/client/kept.js')).fetchRecords(
    { ids: asked, away },
    given({ projectDir }),
    purpose,
  )
}

/** Lists the contradictions of a project with those that only the shared store knows. */
export async function listAllConflicts(options: ProjectOptions = {}): Promise<MemoryConflict[]> {
  return (await import('../openbrain/client/kept.js')).listAllConflicts(options)
}

function isHere(id: string, project: ProjectOptions): boolean {
  try {
    showMemory(id, { ...project, includeProposed: true })
    return true
  } catch (error) {
    return !hasCode(error, 'NOT_FOUND')
  }
}

/** Brings records of this project back that only the shared store has, with the rulings on them: one's own, or everybody's. */
export async function restoreFromStore(options: RestoreOptions = {}): Promise<RestoreOutcome> {
  return (await import('../openbrain/client/restore.js')).restoreFromStore(options)
}

/** A record as it is shown: as the files here have it, or as the shared store does when only that has it. */
export interface ShownRecord extends MemoryDetail {
  /** Of a record that only the shared store has: who captured it, and the records that contradict it there. */
  shared?: { createdBy: string; project: string; contradictedBy?: string[] }
}

/** Shows a record by its id, or a piece of it. */
export function shownRecord(id: string, options: ShowOptions, { kept, during }: SharedRecords): ShownRecord {
  const shown = during(() => showMemory(id, options))
  const found = kept.find(({ thought }) => thought.id === shown.entry.id)
  if (found === undefined) return shown
  const { thought, contradictedBy, useful, wrong } = found
  const verdicts = {
    useful: Math.max(useful, shown.verdicts?.useful ?? 0),
    wrong: Math.max(wrong, shown.verdicts?.wrong ?? 0),
  }
  return {
    ...shown,
    // A ruling made here may not have reached the store yet.
    state: shown.state === 'current' ? found.state : shown.state,
    ...(verdicts.useful + verdicts.wrong > 0 ? { verdicts } : {}),
    shared: { createdBy: thought.createdBy, project: thought.project, ...given({ contradictedBy }) },
  }
}

/** A thought for the shared memory. */
export interface ThoughtInput {
  content: string
  project?: string
  source?: string
  /** `lesson` when absent. */
  type?: string
  tags?: string[]
}

/**
 * Captures a thought, which the drain delivers to the shared memory. When an invalid source is replaced by `unknown`,
 * `sourceRejected` says why. Rejects with the errors of `captureMemory`.
 */
export async function captureThought(
  input: ThoughtInput,
  options?: WriteOptions,
): Promise<{ id: string; queued: boolean; sourceRejected?: string }> {
  const outcome = captureMemory({ type: 'lesson', ...fieldsOf('input', input) }, options)
  const { id, tiers, deduped, sourceRejected } = outcome
  return { id, queued: tiers.openbrain.ok && !deduped, ...(sourceRejected === undefined ? {} : { sourceRejected }) }
}

/** Delivers everything that is due for the shared memory, once. Rejects with `LOCKED` while another process delivers. */
export async function drainOpenBrain(options?: DrainOptions): Promise<DrainReport> {
  return (await import('../outbox/drain.js')).drainOnce(options)
}

/** Reports the status of the shared memory: its capabilities, and the records that wait to be delivered to it. */
export async function openBrainStatus(options?: ProjectOptions): Promise<OpenBrainStatus> {
  return (await import('../openbrain/client/status.js')).status(options)
}

/** The store of this machine takes part by itself: without another one, and before it has received anything, nobody asked for it. */
export function isStoreUsed({
  backend,
  stored,
  lastDrain,
  deadLetters,
  foreign,
  untrusted,
  paused,
  lastError,
}: OpenBrainStatus): boolean {
  const faults = deadLetters + foreign + untrusted.length
  return backend !== 'embedded' || Boolean(stored || lastDrain || faults || paused || lastError)
}

/** Counts the records that an earlier store of the project has and the store of the settings lacks; undefined when it lacks none. */
export async function storeBacklog(options: ProjectOptions = {}): Promise<Backlog | undefined> {
  return (await import('../openbrain/client/approval.js')).backlog(options)
}

/**
 * Returns the addresses that the project's files name and the user has not approved on this machine. Nothing is sent to
 * them.
 */
export async function untrustedOpenBrain(options?: ProjectOptions): Promise<string[]> {
  return (await import('../openbrain/client/approval.js')).pending(options)
}

/**
 * Approves, for this user on this machine, every address that the project's files name now. Returns the newly approved ones.
 */
export async function trustOpenBrain(options?: ProjectOptions): Promise<string[]> {
  return (await import('../openbrain/client/approval.js')).approveAll(options)
}

/** Creates a worker that drains a project's queue. It wakes up when it starts, after each capture, and on a timer. */
export async function createDrainWorker(options?: DrainWorkerOptions): Promise<DrainWorker> {
  return (await import('../outbox/worker.js')).createDrainWorker(options)
}
