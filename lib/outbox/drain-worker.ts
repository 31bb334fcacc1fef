import type { Handshake } from '../openbrain/handshakes.js'
import type { ForgottenThought, StoredThought, VectorProgress, VectorState } from '../openbrain/store.js'
import type { PassReport } from './pass.js'

export interface DrainWorkerOptions {
  projectDir?: string
  /** The polling interval. */
  intervalMs?: number
  maxBatch?: number
}

/**
 * `stopped` · `standby`: another process drains this project · `idle`: nothing is due · `draining` · `waiting`: the store is
 * busy · `paused`: the store is misconfigured.
 */
export type DrainState = 'stopped' | 'standby' | 'idle' | 'draining' | 'waiting' | 'paused'

export interface DrainEvents {
  state: [state: DrainState, reason?: string]
  /** A pass that had something to do has ended. */
  pass: [report: PassReport & { source: string }]
  /** A batch of a pass is settled. */
  progress: [report: PassReport]
  /** The store has answered a handshake. */
  handshake: [handshake: Handshake]
  /** Another machine stored a thought in the shared memory, or a revision of one. */
  thought: [thought: StoredThought]
  /** Another machine forgot a thought of the shared memory. */
  forgotten: [thought: ForgottenThought]
  /** Vectors of the current embedder were computed for thoughts without one. */
  embedding: [progress: VectorProgress]
  /** It was counted how many thoughts have a vector, whether some were missing or not. */
  vectors: [state: VectorState]
}

type Listener<Name extends keyof DrainEvents> = (...args: DrainEvents[Name]) => void

/** Keeps a project's queue empty. It does nothing before `start`, and keeps no process alive. */
export interface DrainWorker {
  readonly state: DrainState
  /** Why it is waiting or paused. */
  readonly reason: string | undefined
  /** The capabilities of the store at the last handshake. */
  readonly handshake: Handshake | undefined
  start(): this
  /** Checks the queue now. May be called at any time. */
  wake(): void
  /** Has the store that is open say what a team stored, for hooks; false when none is open, as where another process delivers. */
  refreshReplica(): Promise<boolean>
  /** Stops after the current batch; the rest stays in the queue. */
  stop(): Promise<void>
  on<Name extends keyof DrainEvents>(name: Name, listener: Listener<Name>): unknown
  once<Name extends keyof DrainEvents>(name: Name, listener: Listener<Name>): unknown
  off<Name extends keyof DrainEvents>(name: Name, listener: Listener<Name>): unknown
}
