/// <reference types="node" preserve="true" />
/**
 * The main entry of the package: all exports of the native engine, and the functions that TypeScript adds. No other file of
 * the package imports this one, so that there are no import cycles.
 */

export { buildHallmark, hallmark, type RecordOrLine, verifyHallmark } from './api/hallmark.js'
export { type PlanPreload, type PreloadOptions, type PreloadPlan, preloadPlan } from './api/preload.js'
export { LatticeQueryBuilder } from './api/query-builder.js'
export { queueAgain, trustForeignRecords } from './api/queue.js'
export {
  captureThought,
  createDrainWorker,
  drainOpenBrain,
  openBrainStatus,
  searchThoughts,
  type ThoughtInput,
  trustOpenBrain,
  untrustedOpenBrain,
} from './api/shared-memory.js'
export { tokenizeForSearch } from './api/words.js'
export * from './native.js'
export type { SearchOptions, SearchOutcome } from './openbrain/client/search.js'
export type { OpenBrainStatus } from './openbrain/client/status.js'
export type { Capabilities, StoredThought as SharedThought, ThoughtHit } from './openbrain/store.js'
export type { DrainReport } from './outbox/drain.js'
export type { DrainEvents, DrainState, DrainWorker, DrainWorkerOptions } from './outbox/drain-worker.js'
export type { PassReport } from './outbox/pass.js'
export type { DrainOptions } from './outbox/running.js'
