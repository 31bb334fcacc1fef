/**
 * The functions of the shared memory. What each of them needs is loaded by its first call.
 */

import { captureMemory, type ProjectOptions } from '../native.js'
import type { SearchOptions, SearchOutcome } from '../openbrain/client/search.js'
import type { OpenBrainStatus } from '../openbrain/client/status.js'
import type { DrainReport } from '../outbox/drain.js'
import type { DrainWorker, DrainWorkerOptions } from '../outbox/drain-worker.js'
import type { DrainOptions } from '../outbox/running.js'
import { fieldsOf } from '../shared/fields.js'

/**
 * Searches the shared memory of all projects, by words and, where an embedder is set, by meaning. When it cannot be reached
 * the project's own files answer, and `backend` and `message` say so.
 */
export async function searchThoughts(query: string, options?: SearchOptions): Promise<SearchOutcome> {
  return (await import('../openbrain/client/search.js')).search(query, options)
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
 * Captures a thought; the drain brings it to the shared memory. `sourceRejected` says why `unknown` is stored in place of a source.
 * Rejects as `captureMemory` throws.
 */
export async function captureThought(
  input: ThoughtInput,
  options?: ProjectOptions,
): Promise<{ id: string; queued: boolean; sourceRejected?: string }> {
  const outcome = captureMemory({ type: 'lesson', ...fieldsOf('input', input) }, options)
  const { id, tiers, deduped, sourceRejected } = outcome
  return { id, queued: tiers.openbrain.ok && !deduped, ...(sourceRejected === undefined ? {} : { sourceRejected }) }
}

/** Delivers everything that waits for the shared memory, once. Rejects with `LOCKED` while another process does. */
export async function drainOpenBrain(options?: DrainOptions): Promise<DrainReport> {
  return (await import('../outbox/drain.js')).drainOnce(options)
}

/** Tells how the shared memory is doing: what it can do, and what waits for it. */
export async function openBrainStatus(options?: ProjectOptions): Promise<OpenBrainStatus> {
  return (await import('../openbrain/client/status.js')).status(options)
}

/** Returns the addresses that the project's files name and that are not approved on this machine. Nothing is sent there. */
export async function untrustedOpenBrain(options?: ProjectOptions): Promise<string[]> {
  return (await import('../openbrain/client/approval.js')).pending(options)
}

/** Approves, for this user on this machine, all addresses that the project's files name now. Returns the new ones. */
export async function trustOpenBrain(options?: ProjectOptions): Promise<string[]> {
  return (await import('../openbrain/client/approval.js')).approveAll(options)
}

/** Makes a worker that keeps a project's queue empty: it wakes on a capture, on a timer, and at its start. */
export async function createDrainWorker(options?: DrainWorkerOptions): Promise<DrainWorker> {
  return (await import('../outbox/worker.js')).createDrainWorker(options)
}
