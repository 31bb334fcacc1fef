// The types of the server's answers, taken from the library and from the server where they have them.
import type { CaptureSeries, DrainPass, Hallmark, MemoryDetail, QueueStatus, Thought } from '../../types.js'

export type {
  Check,
  InjectedNote,
  InjectedNotes,
  MapFile,
  MemoryMap,
  OtherProject,
  PastSession,
  Settings,
} from '../../http/shapes.js'
export type {
  BackfillFinding,
  BackfillReport,
  Capture,
  CaptureOutcome,
  DeadLetter,
  DrainPass,
  Edit,
  HallmarkCoverage,
  LatticeAnswer,
  LatticeChunk,
  LatticeIndexOutcome,
  LatticeStat,
  MemoryConflict,
  MemoryList,
  MemoryReport,
  MemoryRevision,
  NoteStats,
  ProjectStatus,
  RecallHit as Hit,
  RecallOutcome,
  RetiredMemory,
  SessionIndexStatus,
  SessionSearchReport,
  Thought,
  Verification,
  WaitingMemory,
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

export interface Series extends CaptureSeries {
  by: 'type' | 'tool'
  bucket: 'hour' | 'day' | 'week'
}

export interface NameCounts {
  types: { type: string; count: number }[]
  tools: { tool: string; count: number }[]
}

export interface AnvilStatus extends Omit<QueueStatus, 'lastDrain'> {
  backend: string | null
  reachable: boolean
  /** How many thoughts have a vector of the embedder; null without one. */
  vectors: { model: string; done: number; total: number; refused: number } | null
  /** Its address, without user, password or key. */
  place: string
  capabilities: unknown
  /** The number of thoughts in it, of all projects. */
  stored: number | null
  /** Why it could not be reached. */
  problem?: string
  lastDrain: DrainPass | null
}

/** A part of the server's work. */
export interface PartState {
  running?: boolean
  standby?: boolean
  lastError?: string
}

export interface Health {
  version: string
  uptimeMs: number
  hub?: { clients: number }
  watcher?: PartState
  drain?: PartState
  vectors?: PartState
  lattice?: PartState
}
