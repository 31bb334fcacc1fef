// The functions of the older tool's `memory.mjs` that capture, report and prepare, by its names and in its shapes. The engine does
// the work; what is here maps arguments and answers.
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
  type SourceVerdict,
  type Thought,
} from '../native.js'
import { given } from '../shared/given.js'
import { problem } from '../shared/problem.js'
import { readRecords, readText } from './folder.js'
import { type Fields, fieldsIn, listIn, reasonOf, softly, textIn, warn } from './soft.js'

/** Whom captures of this entry name as their author, unless they say so themselves. */
const AUTHOR = 'liveguard-auto'

export interface CaptureInput {
  /** The text, or a thought as the builders of this entry make it. */
  content: unknown
  type?: string
  source?: string
  cwd: string
  project?: string
  created_by?: string
  opts?: { onCapture?: (thought: Thought, deduped: boolean) => void }
}

export interface CaptureAnswer {
  /** True when the thought is in the files now. */
  captured: boolean
  deduped: boolean
  openBrainQueued: boolean
  thought: Thought | null
  /** Why the given source is not the stored one. */
  sourceRejected?: string
  /** Why nothing was captured. */
  error?: Problem
}

const NOTHING = { captured: false, deduped: false, openBrainQueued: false, thought: null }

/** Captures a thought in all tiers. Never throws: an answer without a capture says why. */
export function captureMemory(input: CaptureInput): CaptureAnswer {
  try {
    const outcome = engineCapture(captureOf(fieldsIn(input)), { projectDir: folderIn(input?.cwd) })
    tell(input.opts?.onCapture, outcome)
    return answerOf(outcome)
  } catch (error) {
    return { ...NOTHING, error: reasonOf(error) }
  }
}

/** A thought that a builder made is taken for what it says, not for the object that it is. */
function captureOf({ content, type, source, project, created_by }: Fields): Capture {
  const thought = fieldsIn(content)
  const said = {
    body: typeof content === 'string' ? content : thought.content,
    type: type ?? thought.type ?? (typeof content === 'string' ? undefined : 'lesson'),
    source: source ?? thought.source,
    project: project ?? thought.project,
    createdBy: created_by ?? thought.created_by ?? AUTHOR,
  }
  return given(said) as unknown as Capture
}

/** The folder of the project that is meant. It is never guessed: the older tool's callers always name it. */
export function folderIn(cwd: unknown): string {
  if (typeof cwd === 'string' && cwd !== '') return cwd
  throw problem('INVALID_INPUT', 'cwd: expected the folder of the project')
}

function tell(listener: unknown, { thought, deduped }: CaptureOutcome): void {
  if (typeof listener !== 'function') return
  softly(
    () => listener(thought, deduped),
    ({ message }) => warn(`onCapture failed: ${message}`),
  )
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

/** Types that expire here. The engine has a lifetime for every other type as well, which captures get. */
const EXPIRING = ['lesson', 'decision', 'gotcha']

/** Returns a copy of a thought with its `expiresAt`, unless its type does not expire; what is no thought comes back as it is. */
export function stampThoughtExpiry<T>(
  thought: T,
  { now, overrides }: { now?: number | string | Date; overrides?: Record<string, number | null> } = {},
): T & { expiresAt?: string } {
  const { type } = fieldsIn(thought)
  const isExpiring = EXPIRING.includes(String(type)) || Object.hasOwn(fieldsIn(overrides), String(type))
  if (!isExpiring) return { ...thought } as T & { expiresAt?: string }
  const options = given({ now: momentOf(now), overrides })
  return softly(
    () => engineStamp(fieldsIn(thought), options) as T & { expiresAt?: string },
    () => ({ ...thought }) as T & { expiresAt?: string },
  )
}

/** Returns the thoughts that have not expired. */
export function filterUnexpiredThoughts<T>(thoughts: T[], now?: number | string | Date): T[] {
  const objects = listIn<Fields>(thoughts).filter((thought) => typeof thought === 'object' && thought !== null)
  return softly(
    () => engineUnexpired(objects, momentOf(now)) as T[],
    () => [],
  )
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

/** Makes the entry of a search-result cache; what is missing in `context` is empty in it. */
export function buildCacheEntry(context: Partial<CacheEntry>): CacheEntry {
  const { key, query, project, limit, results, ttlMs } = fieldsIn(context)
  const told = {
    key: String(key ?? ''),
    query: String(query ?? ''),
    project: String(project ?? ''),
    limit: Number(limit ?? 10),
    results: listIn(results),
  }
  return engineCacheEntry({ ...told, ...given({ ttlMs: ttlMs as number | undefined }) })
}

export function isCacheEntryFresh(entry: unknown, now?: number | string | Date): boolean {
  const { cachedAt, ...rest } = fieldsIn(entry)
  const isoOf = (value: unknown) => (typeof value === 'number' ? new Date(value).toISOString() : value)
  return softly(
    () => engineFresh({ ...rest, cachedAt: isoOf(cachedAt) }, momentOf(now)),
    () => false,
  )
}

/** Moments come as milliseconds, as texts and as dates. */
export function momentOf(now: number | string | Date | undefined): number | string | undefined {
  return now instanceof Date ? now.getTime() : now
}

export interface ReportedFile {
  name: string
  exists: boolean
  size: number
  records: number
  versions: Record<string, number>
}

export type MemoryReport = Omit<EngineReport, 'projectDir' | 'files' | 'telemetry'> & {
  cwd: string
  l2Files: ReportedFile[]
  telemetry: { total: number; dedupedCount: number; byTool: Record<string, number>; byType: Record<string, number> }
  /** Files of the older tool that wait to be taken over, and how. */
  unmigrated: string[]
  hint?: string
  error?: Problem
}

const MIGRATE = 'forge-memory migrate-memory'

/** Returns the inventory of a project's memory under the older tool's names. Never throws. */
export function buildMemoryReport(cwd: string = process.cwd()): MemoryReport {
  return softly(
    () => reportOf(cwd),
    (error) => ({ ...emptyReport(cwd), error }),
  )
}

function reportOf(cwd: string): MemoryReport {
  const { projectDir, files, telemetry, ...rest } = engineReport({ projectDir: folderIn(cwd) })
  const { unmigrated } = rest.forgeDirExists ? memoryStatus({ projectDir }) : { unmigrated: [] }
  const { deduped, ...counts } = telemetry
  return {
    ...rest,
    cwd: projectDir,
    l2Files: [
      ...files.map(({ name, exists, size, records, versions }) => ({ name, exists, size, records, versions })),
      ...OLDER_FILES.filter((name) => files.every((file) => file.name !== name)).map((name) =>
        olderFile(projectDir, name),
      ),
    ],
    telemetry: { ...counts, dedupedCount: deduped },
    unmigrated,
    ...(unmigrated.length === 0 ? {} : { hint: `${MIGRATE} imports ${unmigrated.join(', ')}` }),
  }
}

/** Files of the older tool that its report lists and the engine's does not. */
const OLDER_FILES = ['liveguard-memories.jsonl']

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
