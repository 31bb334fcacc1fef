import type { DuplicatedThought } from './doubtful.js'

/** A thought as the engine reads it from the queue; its line may come from any tool. */
export interface StoredThought {
  id: string
  content: string
  project: string
  type: string
  source: string
  createdBy: string
  /** ISO 8601, as all times here. */
  capturedAt: string
  expiresAt?: string
  tags: string[]
  confidence: number
  /** The id of the thought that this one supersedes. */
  supersedes?: string
  /** JSON text of an object: every other field of the line. */
  metadata: string
}

/** One record of the queue on its way to a store. */
export interface Delivery {
  /** Names the record of the queue. */
  key: string
  action: 'store' | 'delete'
  /** The thought's id, which makes a second delivery do nothing. */
  id: string
  /** Every thought that a delete means. */
  ids: string[]
  /** The projects whose thoughts it may touch: its own, under every name that it had. */
  projects: string[]
  /** Only where something is to be stored. */
  thought?: StoredThought
  /** How often the store failed on it alone. */
  attempts: number
  /** Why the last attempt failed; set once it was tried. */
  lastError?: string
  enqueuedAt: string
  /** When the thought was captured again: the store has it already, and its life is to last longer. */
  confirmedAt?: string
}

/** The outcome of a delivery; the engine decides what follows from it. */
export interface Outcome {
  key: string
  kind: OutcomeKind
  reason?: string
  /** True where the store was not reached at all, or said that it takes nothing at present. */
  isAway?: boolean
}

/**
 * `delivered` and `gone`: done · `rejected`: this record will never be taken · `busy`: later · `failed`: the store failed on
 * this one and took others · `misconfigured`: nothing will be taken until a person changes something.
 */
export type OutcomeKind = 'delivered' | 'gone' | 'rejected' | 'busy' | 'failed' | 'misconfigured'

export type Backend = 'embedded' | 'postgres' | 'remote'

/** What a store can do, asked before the first delivery. */
export interface Capabilities {
  /** Which protocol is spoken, for example `embedded`, `postgres`, `openbrain-rest`. */
  dialect: string
  batch: boolean
  /** Thoughts belong to a project, and search can be held to one. */
  scope: boolean
  supersedes: boolean
  delete: boolean
  /** The thought's own id and fields come back as they were sent. */
  provenance: boolean
  /** Search is semantic as well as lexical. */
  semantic: boolean
  /** How a second delivery of a thought is kept from doubling it. */
  idempotent: 'by-id' | 'by-source' | 'by-look-up' | 'by-content'
  /** What was asked for and cannot be had, in plain words. */
  negotiatedAway: string[]
}

export interface ThoughtQuery {
  text: string
  project?: string
  type?: string
  /** ISO 8601. */
  since?: string
  limit: number
  /** ISO 8601. What has expired by then is not found. */
  now: string
}

export interface ThoughtHit {
  id: string
  content: string
  project: string
  type: string
  source: string
  createdAt: string
  expiresAt?: string
  tags: string[]
  score: number
}

export interface StoreAnswer {
  thoughts: ThoughtHit[]
  semantic: boolean
  /** Why the search did not go by meaning although an embedder is set. */
  remark?: string
}

/** How many thoughts have a vector of the present embedder. */
export interface VectorState {
  model: string
  done: number
  total: number
  /** Of those without one, how many the embedder has refused. */
  refused: number
}

export interface VectorProgress extends VectorState {
  /** By this call; and how many were tried. */
  made: number
  tried: number
}

/** A shared memory. Every method may throw a `StoreFailure`; `put` and `remove` tell of single records in their answer. */
export interface ThoughtStore {
  readonly backend: Backend
  /** Where it is, fit to be shown: without user, password or key. */
  readonly place: string
  /** How many records one call takes at most. */
  readonly batchMax: number
  /** What makes the vectors; absent where search goes by words, or the store makes its own. */
  readonly model?: string | undefined
  /**
   * A version of the data: it differs after every change that affects an answer, by any client; undefined where the store has
   * none. Cheap: it is read before every cached answer.
   */
  state(): Promise<string | undefined>
  handshake(): Promise<Capabilities>
  /** Stores what is not there. A thought that is there lives as long as the longest of its deliveries says. */
  put(batch: Delivery[]): Promise<Outcome[]>
  remove(batch: Delivery[]): Promise<Outcome[]>
  search(query: ThoughtQuery): Promise<StoreAnswer>
  /** How many thoughts are stored, of one project or of all. */
  count(project?: string): Promise<number>
  close(): Promise<void>
  /** Makes vectors for thoughts that have none of the present embedder. Absent where the store makes its own. */
  embedMissing?(limit: number): Promise<VectorProgress | undefined>
  /**
   * Looks for copies that requests made which arrived after their time-out, and takes them away; `isOrdered`: now, else when
   * it is time. Returns what is there twice and cannot be taken away. Absent where an id is stored once.
   */
  removeDuplicates?(isOrdered: boolean): Promise<DuplicatedThought[]>
  /** Tells how many have one. */
  vectors?(): Promise<VectorState | undefined>
  /** Calls back for thoughts that others stored, until the returned function is called. */
  listen?(onThought: (thought: StoredThought) => void): Promise<() => Promise<void>>
}
