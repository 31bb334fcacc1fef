/// <reference types="node" preserve="true" />
/**
 * The package's main entry: everything the native engine exports, and the functions of the shared memory.
 *
 * The binding (`index.js` and `index.d.ts` in the package root) is generated from `src/`; this file hands it on. What the
 * shared memory needs is loaded by the first call of a function that needs it.
 */

import type { DrainOptions, DrainReport } from './anvil/drain.js'
import type { DrainWorker, DrainWorkerOptions } from './anvil/drain-worker.js'
import { captureMemory, latticeWords, type ProjectOptions } from './native.js'
import type { SearchOptions, SearchOutcome } from './openbrain/search.js'
import type { OpenBrainStatus } from './openbrain/status.js'
import { fieldsOf } from './shared/fields.js'

export type { DrainOptions, DrainReport } from './anvil/drain.js'
export type { DrainEvents, DrainState, DrainWorker, DrainWorkerOptions } from './anvil/drain-worker.js'
export type { PassReport } from './anvil/pass.js'
export { buildHallmark, hallmark, type RecordOrLine, verifyHallmark } from './hallmark.js'
export { LatticeQueryBuilder } from './lattice/query-builder.js'
export * from './native.js'
export type { SearchOptions, SearchOutcome } from './openbrain/search.js'
export type { OpenBrainStatus } from './openbrain/status.js'
export type { Capabilities, StoredThought as SharedThought, ThoughtHit } from './openbrain/store.js'
export { type PlanPreload, type PreloadOptions, type PreloadPlan, preloadPlan } from './preload/preload.js'

/**
 * Searches the shared memory of all projects, by words and, where an embedder is set, by meaning. When it cannot be reached
 * the project's own files answer, and `backend` and `message` say so.
 */
export async function searchThoughts(query: string, options?: SearchOptions): Promise<SearchOutcome> {
  return (await import('./openbrain/search.js')).search(query, options)
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
  return (await import('./anvil/drain.js')).drainOnce(options)
}

/** Tells how the shared memory is doing: what it can do, and what waits for it. */
export async function openBrainStatus(options?: ProjectOptions): Promise<OpenBrainStatus> {
  return (await import('./openbrain/status.js')).status(options)
}

/** Returns the addresses that the project's files name and nobody has approved on this machine. Nothing is sent there. */
export async function untrustedOpenBrain(options?: ProjectOptions): Promise<string[]> {
  return (await import('./openbrain/approval.js')).pending(options)
}

/** Approves, for this user on this machine, all addresses that the project's files name now. Returns the new ones. */
export async function trustOpenBrain(options?: ProjectOptions): Promise<string[]> {
  return (await import('./openbrain/approval.js')).approveAll(options)
}

/** Makes a worker that keeps a project's queue empty: it wakes on a capture, on a timer, and at its start. */
export async function createDrainWorker(options?: DrainWorkerOptions): Promise<DrainWorker> {
  return (await import('./anvil/worker.js')).createDrainWorker(options)
}

/** Splits a text into lower-case words, identifiers into their parts, with counts. */
export function tokenizeForSearch(text: string): Map<string, number> {
  return new Map(latticeWords(text).map(({ word, count }) => [word, count]))
}
