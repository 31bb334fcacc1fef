import type { LeasedThought, QueueThought } from '../native.js'
import type { DuplicatedThought } from './uncertain-deliveries.js'

/** A thought as the engine reads it from the queue. Any tool may have written its line. */
export type StoredThought = QueueThought

/** A statement about a thought: that it is retired, current, in conflict, useful. Rulings are only added; the latest one counts. */
export interface Ruling {
  kind: 'retire' | 'keep' | 'conflict' | 'hold' | 'accept' | 'reject' | 'useful' | 'wrong' | 'withdraw'
  /** The other thought: which retired it, or is held against it. Of a review and of feedback, the session. */
  other?: string
  /** The rule or the author; may be empty. */
  why: string
  at: string
  /** The other fields of its line: who said it. */
  more?: Record<string, unknown>
}

/** A record of the queue with the facts that a store needs to process it. */
export type Delivery = Omit<LeasedThought, 'ruling'> & {
  /** Present only when a ruling is noted. */
  ruling?: Ruling
}

/** The outcome of a delivery. The engine decides what follows from it. */
export interface Outcome {
  key: string
  kind: OutcomeKind
  reason?: string
  /** True when the store was unreachable or accepted nothing. */
  isAway?: boolean
}

/**
 * `delivered` and `gone`: done · `rejected`: this record will never be accepted · `busy`: retried later · `failed`: the
 * store failed on this record but accepted others · `misconfigured`: the store accepts nothing until a person changes
 * something.
 */
export type OutcomeKind = 'delivered' | 'gone' | 'rejected' | 'busy' | 'failed' | 'misconfigured'

export type Backend = 'embedded' | 'postgres' | 'remote'

/** The capabilities of a store, read before the first delivery. */
export interface Capabilities {
  /** The protocol, for example `embedded`, `postgres` or `openbrain-rest`. */
  dialect: string
  batch: boolean
  /** True if thoughts belong to a project and search can be restricted to one. */
  scope: boolean
  supersedes: boolean
  delete: boolean
  /** True if a thought comes back with its own id and fields. */
  provenance: boolean
  /** True if search is semantic as well as lexical. */
  semantic: boolean
  /** How a repeated delivery is prevented from storing a duplicate. */
  idempotent: 'by-id' | 'by-source' | 'by-look-up' | 'by-content'
  /** Features that were requested and are not available, as texts for people. */
  negotiatedAway: string[]
  /** True when nothing can be delivered until a server takes over, and searches work. */
  isWaiting?: boolean
}

export interface ThoughtQuery {
  text: string
  project?: string
  type?: string
  /** ISO 8601. */
  since?: string
  limit: number
  /** ISO 8601. Thoughts that have expired by then are not found. */
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
  /** The relevance score; larger is better. Its unit depends on the store. */
  score: number
  /** The cosine similarity to the query, when it was computed. */
  cosine?: number
  /** The query words that it contains, when the store reports them. */
  matched?: string[]
  /** True when the hit is probably irrelevant. */
  weak?: true
  /** True when its text says of itself that it does not hold. */
  over?: true
  /** Who captured it, when the store says so. */
  createdBy?: string
  /** The project in which it was captured, when it is about another one. */
  from?: string
  /** The author that an agent or a script named: a claim. */
  claimedBy?: string
  /** The ids of thoughts that contradict it and are current themselves. */
  contradictedBy?: string[]
  /** How many sessions found it useful; absent when none did. */
  useful?: number
  /** How many sessions found it wrong since it was last accepted; absent when none did. */
  wrong?: number
}

export interface StoreAnswer {
  thoughts: ThoughtHit[]
  semantic: boolean
  /** True when there are hits, but none is relevant to the query. */
  irrelevant?: true
  /** Why the search was not semantic although an embedder is configured. */
  semanticProblem?: string
}

/** The answer of a search that the caller may have already. */
export interface ConditionalAnswer {
  /** The state of the data that the answer is from; undefined when the store has none. */
  state: string | undefined
  /** Absent when the state is the one that the caller knows. */
  answer: StoreAnswer | undefined
}

/** The newest current thoughts of a project. */
export interface NewestThoughts {
  /** The state of the data that they are from; undefined when the store has none. */
  state: string | undefined
  /** Absent when the state is the one that the caller knows. */
  thoughts?: { thought: StoredThought; contradictedBy: string[] }[]
  /** Of which ids they are the current ones: of all others the caller has what holds. Absent when they are all that there are. */
  among?: string[]
}

/** What was decided about the thoughts of a project. */
export interface Decisions {
  /** Rulings, tombstones, and records that supersede others, as lines of a journal. */
  lines: string[]
  /** Behind which the next call goes on. */
  upto: string
  isMore: boolean
}

/** One test of a set-up. */
export interface Finding {
  /** The subject of the test, for example `extension`. */
  name: string
  /** `good` · `note`: it works, with a restriction · `bad`: something does not work. */
  state: 'good' | 'note' | 'bad'
  /** The result in words. */
  message: string
  /** How to mend it. */
  remedy?: string
}

/** The minimum age, in days, of the records of each kind that a retention removes. A kind that is absent is kept. */
export interface Retention {
  expiredDays?: number
  supersededDays?: number
  forgottenDays?: number
  auditDays?: number
}

/** How many records of each kind a retention removed, or would remove. */
export interface RetentionReport {
  expired: number
  superseded: number
  forgotten: number
  /** Entries of the audit. */
  audit: number
}

/** How many thoughts have a vector of the current embedder. */
export interface VectorState {
  model: string
  done: number
  total: number
  /** Of those without a vector, how many the embedder refused. */
  refused: number
}

export interface VectorProgress extends VectorState {
  /** The number of vectors computed by this call, and the number of texts tried. */
  made: number
  tried: number
}

/** How many vectors an index has that is built, of how many. */
export interface Indexing {
  done: number
  total: number
}

/**
 * A shared memory. Every method may throw `StoreFailure`; `put` and `remove` report failures of single records in their
 * results.
 */
export interface ThoughtStore {
  readonly backend: Backend
  /** Its address for display: without user, password or key. */
  readonly place: string
  /** The maximum number of records per call. */
  readonly batchMax: number
  /** The embedding model; absent when search is lexical, or the store computes its own vectors. */
  readonly model?: string | undefined
  /**
   * A version of the data, which changes with every change that affects an answer, by any client; undefined when the store
   * has none. It is cheap, because it is read before every cached answer. Absent where `searchUnless` says it.
   */
  state?(): Promise<string | undefined>
  handshake(): Promise<Capabilities>
  /** Stores new thoughts. The expiry of a stored one becomes the latest of its deliveries. */
  put(batch: Delivery[]): Promise<Outcome[]>
  remove(batch: Delivery[]): Promise<Outcome[]>
  /** Notes rulings. One that is known changes nothing, and they may arrive before the thought. */
  rule(batch: Delivery[]): Promise<Outcome[]>
  search(query: ThoughtQuery): Promise<StoreAnswer>
  /**
   * Searches in any of these projects, or all, unless the state of their data is still the one that the caller knows, and says which
   * state it is: one request in place of `state` and `search`. Absent when the store cannot do both at once.
   */
  searchUnless?(query: ThoughtQuery, projects: string[] | undefined, known?: string): Promise<ConditionalAnswer>
  /** Reads thoughts as they were stored, also those that no search finds. Absent when the store does not keep them as they were. */
  read?(wanted: Wanted): Promise<KeptThought[]>
  /** Reads the newest current thoughts of a project under any of its names, unless the state of the data is still `known`. */
  newest?(projects: string[], limit: number, known?: string): Promise<NewestThoughts>
  /** Reads the open contradictions of a project: the thoughts, and the rulings, as lines of a journal. Absent when the store does not keep that. */
  contradictions?(projects: string[]): Promise<string[]>
  /** Reads what was decided about the thoughts of a project since an earlier call. Absent when the store does not keep that. */
  decisions?(projects: string[], since: string | undefined): Promise<Decisions>
  /** Counts the thoughts of one project or of all. */
  count(project?: string): Promise<number>
  /** The names of the projects that have thoughts in it, that of the newest first. Absent when the store cannot tell. */
  projects?(): Promise<string[]>
  close(): Promise<void>
  /** Computes vectors for thoughts without one of the current embedder, and says every second how far their index is. Absent when the store computes its own. */
  embedMissing?(limit: number, onIndexing?: (indexing: Indexing) => void): Promise<VectorProgress | undefined>
  /**
   * Deletes duplicates made by requests that were processed after their timeout. With `isOrdered` it checks now, else when
   * a check is due. Returns duplicates that cannot be deleted. Absent when the store keeps ids unique.
   */
  removeDuplicates?(isOrdered: boolean): Promise<DuplicatedThought[]>
  /** Tests everything that a healthy set-up needs, beyond the handshake. */
  check?(): Promise<Finding[]>
  /** Removes thoughts that no search returns any more, page by page; with `isDry` it only counts them. */
  retain?(
    retention: Retention,
    isDry: boolean,
    onProgress?: (report: RetentionReport) => void,
  ): Promise<RetentionReport>
  /** Counts the thoughts with and without a vector. */
  vectors?(): Promise<VectorState | undefined>
  /** Calls back for thoughts of some projects, or all, that others stored, edited and forgot, until the returned function is called. */
  listen?(
    onThought: (thought: StoredThought) => void,
    onForgotten?: (thought: ForgottenThought) => void,
    projects?: string[],
  ): Promise<() => Promise<void>>
  /** How changes of others arrive; undefined before `listen`. */
  readonly feed?: ChangeFeed | undefined
}

/** `notified`: at once · `polled`: after at most half a second, where a pooler or a replica passes no notifications on. */
export type ChangeFeed = 'notified' | 'polled'

/** Which thoughts are read as they were stored. */
export interface Wanted {
  /** These, by their id in any project, or by six or more characters of it in one of `projects`; all of those when absent. */
  ids?: string[]
  /** The names of a project. */
  projects: string[]
  /** Only those of these authors, in a store of several people. */
  createdBy?: string[]
  /** Only those behind this one, in the order in which they are read. */
  after?: string
  limit: number
}

/** A thought as it was stored, with the rulings on it. */
export interface KeptThought {
  thought: StoredThought
  /** The value by which `after` names it. */
  place: string
  state: 'current' | 'superseded' | 'retired'
  /** The rulings on it, as the lines of journals. */
  rulings: string[]
  contradictedBy?: string[]
  useful: number
  wrong: number
}

/** A thought that somebody forgot in the shared store. */
export interface ForgottenThought {
  id: string
  project: string
}
