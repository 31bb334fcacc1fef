// What the server answers. Where the library has the type, it is the library's.
import type { Hallmark, MemoryDetail, RecallHit, Thought } from '../../native.js'

export type {
  Capture,
  CaptureOutcome,
  Edit,
  LatticeStat,
  MemoryList,
  MemoryReport,
  MemoryRevision,
  ProjectStatus,
  RecallHit,
  RecallOutcome,
  ReportFile,
  Thought,
} from '../../native.js'

export interface HubEvent {
  type: string
  seq: number
  timestamp: string
  [field: string]: unknown
}

export interface CaptureEvent extends HubEvent {
  type: 'memory-captured' | 'memory-edited'
  captured: boolean
  deduped: boolean
  thought: Thought
}

export interface Entry extends MemoryDetail {
  hallmark?: { state: 'verified' | 'changed' | 'absent'; stamp?: Hallmark }
  delivery?: { state: 'queued' | 'deferred' | 'dead' | 'delivered' | 'unknown'; attempts?: number; reason?: string }
}

export interface SeriesPoint {
  at: string
  total: number
  deduped: number
  counts: Record<string, number>
}

export interface Series {
  by: 'type' | 'tool'
  bucket: 'hour' | 'day' | 'week'
  since: string
  until: string
  completeFrom?: string
  keys: string[]
  points: SeriesPoint[]
}

export interface DrainPass {
  at: string
  attempted: number
  delivered: number
  deferred: number
  dlq: number
  durationMs: number
  source?: string
  error?: string
}

export interface HallmarkCoverage {
  total: number
  stamped: number
  verified: number
  changed: number
  absent: number
  coverage: number
  byTool: { tool: string; total: number; stamped: number }[]
  changedIds: string[]
  checkedAt: string
}

export interface NameCounts {
  types: { type: string; count: number }[]
  tools: { tool: string; count: number }[]
}

export interface AnvilStatus {
  available: boolean
  backend?: string | null
  reachable?: boolean
  /** Where it is, without user, password or key. */
  place?: string
  capabilities?: unknown
  /** How many thoughts it holds of all projects. */
  stored?: number | null
  /** Why it could not be asked. */
  problem?: string
  queued: number
  due?: number
  deadLetters: number
  paused?: { reason: string; since: string }
  /** Until when the drain waits because the store took nothing. */
  backOffUntil?: string
  lastError?: { message: string; at: string }
  lastDrain?: Omit<DrainPass, 'source' | 'error'> | null
  nextDueAt?: string | null
}

export interface DeadLetter {
  id: string
  action: 'store' | 'delete'
  content?: string
  type?: string
  source?: string
  attempts: number
  failedAt?: string
  reason: string
}

export interface Health {
  ok: boolean
  version: string
  pid: number
  uptimeMs: number
  projectDir?: string
  projectName?: string
  hub?: { clients: number; lastSeq: number; eventsPerSecond: number }
  watcher?: { running: boolean; rules: number; standby: boolean }
  drain?: { running: boolean; standby: boolean; lastError?: string }
}

export type { RecallHit as Hit }
