// The types of the server's answers, taken from the library where it has them.
import type { AgentStanding, Finding, Hallmark, MemoryDetail, ModelStatus, RecallHit, Thought } from '../../types.js'

export type {
  BackfillFinding,
  BackfillReport,
  Capture,
  CaptureOutcome,
  Edit,
  LatticeStat,
  MemoryConflict,
  MemoryList,
  MemoryReport,
  MemoryRevision,
  ProjectStatus,
  RecallHit,
  RecallOutcome,
  ReportFile,
  RetiredMemory,
  SessionHit,
  SessionIndexStatus,
  SessionSearchReport,
  Thought,
  Verification,
  WaitingMemory as WaitingRecord,
} from '../../types.js'

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

interface InjectionCount {
  injected: number
  used: number
  wasted: number
  tokens: number
}

export interface InjectionStats extends InjectionCount {
  msP50: number
  msP99: number
  byHook: (InjectionCount & { hook: string })[]
  byWeek: (InjectionCount & { week: string })[]
  faults: number
}

/** A note that an agent was given. */
export interface InjectedNote {
  at: string
  id: string
  hook: string
  host: string
  session: string
  why?: string
  used?: string
  text?: string
  type?: string
  state?: string
}

export interface InjectedNotes {
  notes: InjectedNote[]
  total: number
}

/** A project of this user. */
export interface OtherProject {
  key: string
  folder: string
  name: string
  isThis?: boolean
  memories?: number
  waiting?: number
  newest?: string
}

export interface Settings {
  agents: AgentStanding
  review: 'off' | 'agents' | 'all'
  models: (Pick<ModelStatus, 'name' | 'state' | 'isDefault' | 'bytes'> & { problem?: string })[]
  vectors?: { covered: number; total: number }
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
  /** How many thoughts have a vector of the embedder; null without one. */
  vectors?: { model: string; done: number; total: number; refused: number } | null
  /** Its address, without user, password or key. */
  place?: string
  capabilities?: unknown
  /** The number of thoughts in it, of all projects. */
  stored?: number | null
  /** Why it could not be reached. */
  problem?: string
  queued: number
  due?: number
  deadLetters: number
  paused?: { reason: string; since: string }
  /** The end of the back-off after a pass in which the store accepted nothing. */
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

/** A finding of the checks; `fix` names a lossless repair, if there is one. */
export interface Check extends Finding {
  fix?: { name: string; label: string }
}

export type { RecallHit as Hit }
