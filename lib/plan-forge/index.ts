/**
 * `forge-memory/plan-forge`: the functions of Plan Forge's `memory.mjs`, `hub.mjs`, `lattice.mjs` and related modules,
 * with the same names and results. A program that imports those modules migrates by changing the import path.
 */
export {
  buildMemoryCaptureBlock,
  buildMemorySearchBlock,
  buildPlanBootContext,
  buildWatcherSearchPrompt,
  isOpenBrainConfigured,
  type KeywordSearch,
  loadKeywordSearchMap,
  loadProjectContext,
  type PlanBootContext,
} from './context.js'
export { type AutoDrainAnswer, type AutoDrainOptions, autoDrainOpenBrainQueue } from './drain.js'
export * from './hallmark.js'
export { createHub, Hub, type HubOptions, readHubPort, type SocketServer } from './hub.js'
export * from './lattice.js'
export * from './local-recall.js'
export {
  buildCacheEntry,
  buildMemoryReport,
  type CacheEntry,
  type CaptureAnswer,
  type CaptureInput,
  captureMemory,
  filterUnexpiredThoughts,
  isCacheEntryFresh,
  type MemoryReport,
  type ReportedFile,
  stampThoughtExpiry,
  validateSourceFormat,
} from './memory.js'
export {
  applyDeliveryFailure,
  buildDrainStatsRecord,
  type DeliveryFailure,
  type Dispatcher,
  type DispatchOutcome,
  type DrainStatsRecord,
  drainOpenBrainQueue,
  nextBackoffTimestamp,
  partitionByBackoff,
  type QueuePass,
  shapeQueueRecord,
} from './queue.js'
export { cosineSimilarity, dedupeThoughtsBySimilarity, type SimilarThoughts, tokenize } from './similarity.js'
export * from './sync.js'
export * from './thoughts.js'
