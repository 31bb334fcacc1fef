// The functions of Plan Forge's `memory.mjs` that capture thoughts and report on the memory. The engine does the work;
// this module converts arguments and results.
import {
  type Capture,
  type CaptureOutcome,
  type MemoryReport as EngineReport,
  buildCacheEntry as engineCacheEntry,
  captureMemory as engineCapture,
  isCacheEntryFresh as engineFresh,
  buildMemoryReport as engineReport,
  stampThoughtExpiry as engineStamp,
  filterUnexpiredThoughts as engineUnexpired,
  validateSourceFormat as engineVerdict,
  memoryStatus,
  type Problem,
  queueStatus,
  type SourceVerdict,
  type Thought,
} from '../native.js'
import { given } from '../shared/given.js'
import { wholeCharacters } from '../shared/line.js'
import { problem } from '../shared/problem.js'
import { planForgeRecords, readRecords, readText } from './folder.js'
import { noteInOlderLog, OLDER_LOG } from './older-log.js'
import { partitionByBackoff } from './queue.js'
import { type Fields, fieldsIn, listIn, momentOf, numberIn, optionsIn, reasonOf, softly, textIn, warn } from './soft.js'

/** The author of captures that name none. */
const AUTHOR = 'liveguard-auto'

export interface CaptureInput {
  /** The text, or a thought that one of the builders of this module returned. */
  content: unknown
  type?: string
  source?: string
  cwd: string
  project?: string
  created_by?: string
  opts?: { onCapture?: (thought: Thought, deduped: boolean) => void }
}

export interface CaptureAnswer {
  /** True when the thought is stored in the files. */
  captured: boolean
  deduped: boolean
  openBrainQueued: boolean
  thought: Thought | null
  /** Why the given source was replaced. */
  sourceRejected?: string
  /** Why nothing was captured. */
  error?: Problem
}

const NOTHING = { captured: false, deduped: false, openBrainQueued: false, thought: null }

/** Captures a thought in all tiers. Never throws: when nothing was captured, `error` says why. */
export function captureMemory(input: CaptureInput): CaptureAnswer {
  try {
    const projectDir = folderIn(input?.cwd)
    const listener = input.opts?.onCapture
    // A listener publishes the event: two would show one capture twice.
    const options = given({ projectDir, unannounced: typeof listener === 'function' ? true : undefined })
    const outcome = engineCapture(captureOf(fieldsIn(input)), options)
    if (outcome.captured) noteInOlderLog(projectDir, outcome)
    notifyListener(listener, outcome)
    return answerOf(outcome)
  } catch (error) {
    return { ...NOTHING, error: reasonOf(error) }
  }
}

/** Unpacks a thought that a builder returned, so that its content is stored and not the object itself. */
function captureOf({ content, type, source, project, created_by }: Fields): Capture {
  const thought = fieldsIn(content)
  const fields = {
    body: typeof content === 'string' ? content : thought.content,
    type: type ?? thought.type ?? (typeof content === 'string' ? undefined : 'lesson'),
    source: source ?? thought.source,
    project: project ?? thought.project,
    createdBy: created_by ?? thought.created_by ?? AUTHOR,
  }
  return given(fields) as unknown as Capture
}

/**
 * Requires a project folder. It is not inferred from the working directory, because Plan Forge's callers always pass
 * it.
 */
export function folderIn(cwd: unknown): string {
  if (typeof cwd === 'string' && cwd !== '') return cwd
  throw problem('INVALID_INPUT', 'cwd: expected the folder of the project')
}

function notifyListener(listener: unknown, { thought, deduped }: CaptureOutcome): void {
  if (typeof listener !== 'function') return
  const failed = (error: unknown) => warn(`onCapture failed: ${reasonOf(error).message}`)
  try {
    // An asynchronous listener is not awaited. Its rejection must be handled, because an unhandled one would end the
    // process.
    Promise.resolve(listener(thought, deduped)).catch(failed)
  } catch (error) {
    failed(error)
  }
}

function answerOf({ captured, deduped, tiers, thought, sourceRejected }: CaptureOutcome): CaptureAnswer {
  const failed = captured || deduped ? undefined : tiers.files.error
  return {
    captured,
    deduped,
    openBrainQueued: captured && tiers.openbrain.ok,
    thought,
    ...given({ sourceRejected, error: failed }),
  }
}

export function validateSourceFormat(source: unknown): SourceVerdict {
  return engineVerdict(source as string)
}

/**
 * The types that expire through this function, as in Plan Forge. The engine gives captures of other types a lifetime
 * too.
 */
const EXPIRING = ['lesson', 'decision', 'gotcha']

/**
 * Returns a copy of a thought with `expiresAt`, unless its type does not expire. Returns anything but a thought
 * unchanged.
 */
export function stampThoughtExpiry<T>(
  thought: T,
  options: { now?: number | string | Date; overrides?: Record<string, number | null> } = {},
): T & { expiresAt?: string } {
  const { now, overrides } = optionsIn(options)
  const type = textIn(fieldsIn(thought).type) ?? ''
  const isExpiring = EXPIRING.includes(type) || Object.hasOwn(fieldsIn(overrides), type)
  if (!isExpiring) return { ...thought } as T & { expiresAt?: string }
  const lifetimes = given({ now: momentOf(now), overrides })
  return softly(() => engineStamp(fieldsIn(thought), lifetimes) as T & { expiresAt?: string }, { ...thought } as T & {
    expiresAt?: string
  })
}

/** Returns the thoughts that have not expired. */
export function filterUnexpiredThoughts<T>(thoughts: T[], now?: number | string | Date): T[] {
  const objects = listIn<Fields>(thoughts).filter((thought) => typeof thought === 'object' && thought !== null)
  return softly(() => engineUnexpired(objects, momentOf(now)) as T[], [])
}

export interface CacheEntry {
  _v: number
  key: string
  query: string
  project: string
  limit: number
  results: unknown[]
  cachedAt: string
  ttlMs: number
}

/** Creates an entry of the search-result cache. Fields missing in `context` are empty. */
export function buildCacheEntry(context: Partial<CacheEntry>): CacheEntry {
  const { key, query, project, limit, results, ttlMs } = fieldsIn(context)
  const clean = (value: unknown) => wholeCharacters(textIn(value) ?? '')
  const texts = { key: clean(key), query: clean(query), project: clean(project) }
  const bounds = { limit: numberIn(limit) ?? 10, ttlMs: numberIn(ttlMs) }
  return softly(
    () => engineCacheEntry({ ...texts, results: listIn(results), ...given(bounds) } as CacheEntry),
    // The engine refused a number that is not finite, or results that cannot be serialized.
    () => engineCacheEntry({ ...texts, results: [], limit: 10 }),
  )
}

export function isCacheEntryFresh(entry: unknown, now?: number | string | Date): boolean {
  const { cachedAt, ...rest } = fieldsIn(entry)
  const isoOf = (value: unknown) => (typeof value === 'number' ? new Date(value).toISOString() : value)
  return softly(() => engineFresh({ ...rest, cachedAt: isoOf(cachedAt) }, momentOf(now)), false)
}

export interface ReportedFile {
  name: string
  exists: boolean
  size: number
  records: number
  versions: Record<string, number>
}

export type MemoryReport = Omit<EngineReport, 'projectDir' | 'files' | 'telemetry' | 'counts'> & {
  cwd: string
  l2Files: ReportedFile[]
  telemetry: { total: number; dedupedCount: number; byTool: Record<string, number>; byType: Record<string, number> }
  /** Files of Plan Forge that have not been migrated, and how to migrate them. */
  unmigrated: string[]
  hint?: string
  error?: Problem
}

const MIGRATE = 'forge-memory migrate-memory'

/** Returns the inventory of a project's memory under Plan Forge's names. Never throws. */
export function buildMemoryReport(cwd: string = process.cwd()): MemoryReport {
  return softly(
    () => reportOf(cwd),
    (error) => ({ ...emptyReport(cwd), error }),
  )
}

function reportOf(cwd: string): MemoryReport {
  const { projectDir, files, telemetry, queue, counts: _counts, ...rest } = engineReport({ projectDir: folderIn(cwd) })
  const { unmigrated } = rest.forgeDirExists ? memoryStatus({ projectDir }) : { unmigrated: [] }
  const { deduped, ...sums } = telemetry
  return {
    ...rest,
    cwd: projectDir,
    queue: queueOf(projectDir, queue),
    l2Files: [
      ...files.map(({ name, exists, size, records, versions }) => ({ name, exists, size, records, versions })),
      ...OLDER_FILES.filter((name) => files.every((file) => file.name !== name)).map((name) =>
        olderFile(projectDir, name),
      ),
    ],
    telemetry: { ...sums, dedupedCount: deduped },
    unmigrated,
    ...(unmigrated.length === 0 ? {} : { hint: `${MIGRATE} imports ${unmigrated.join(', ')}` }),
  }
}

/**
 * Counts queued records as Plan Forge does. The engine counts records in back-off as pending, and does not count
 * records of Plan Forge that nobody has approved; here, both are reported separately.
 */
function queueOf(
  projectDir: string,
  { pending, deferred, dlq, ...rest }: EngineReport['queue'],
): EngineReport['queue'] {
  const own = { ...rest, pending: pending - deferred, deferred, dlq }
  if (queueStatus({ projectDir }).foreign === 0) return own
  const records = planForgeRecords(projectDir, 'openbrain-queue.jsonl')
  const { ready, deferred: waiting } = partitionByBackoff(records)
  const countOf = (status: string) => records.filter(({ _status }) => _status === status).length
  return {
    ...own,
    pending: own.pending + ready.length,
    deferred: deferred + waiting.length,
    delivered: own.delivered + countOf('delivered'),
    failed: own.failed + countOf('failed'),
    dlq: dlq + planForgeRecords(projectDir, 'openbrain-dlq.jsonl').length,
  }
}

/** Files that Plan Forge's report lists and the engine's does not. */
const OLDER_FILES = [
  OLDER_LOG,
  'drift-history.jsonl',
  'incidents.jsonl',
  'regression-history.jsonl',
  'env-diff-history.jsonl',
]

function olderFile(projectDir: string, name: string): ReportedFile {
  const text = readText(projectDir, '.forge', name)
  const records = readRecords(projectDir, '.forge', name)
  const versions: Record<string, number> = {}
  for (const { _v } of records) versions[String(_v ?? 'none')] = (versions[String(_v ?? 'none')] ?? 0) + 1
  return { name, exists: text !== undefined, size: Buffer.byteLength(text ?? ''), records: records.length, versions }
}

function emptyReport(cwd: unknown): MemoryReport {
  return {
    _v: 1,
    timestamp: new Date().toISOString(),
    cwd: textIn(cwd) ?? '',
    forgeDirExists: false,
    l2Files: [],
    queue: { pending: 0, delivered: 0, failed: 0, deferred: 0, dlq: 0 },
    drainTrend: {
      passes: 0,
      lastAttempted: 0,
      lastDelivered: 0,
      totalDelivered: 0,
      totalDeferred: 0,
      totalFailed: 0,
      totalDead: 0,
    },
    telemetry: { total: 0, dedupedCount: 0, byTool: {}, byType: {} },
    cache: { totalEntries: 0, uniqueKeys: 0, freshEntries: 0 },
    orphans: [],
    unmigrated: [],
  }
}
