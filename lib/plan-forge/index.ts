/**
 * `forge-memory/plan-forge`: this package by the names and shapes of Plan Forge's `memory.mjs`, `hub.mjs`, `lattice.mjs` and their
 * neighbours. A program that imports those runs on this one by changing the path.
 */
export * from './context.js'
export * from './drain.js'
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
export * from './queue.js'
export { cosineSimilarity, dedupeThoughtsBySimilarity, type SimilarThoughts, tokenize } from './similarity.js'
export * from './sync.js'
export * from './thoughts.js'
