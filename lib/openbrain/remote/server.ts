import { given } from '../../shared/given.js'
import type { Capabilities } from '../store.js'

/** How many thoughts a server that answers in JSON accepts at a time. */
export const BATCH_MAX = 20
/** The similarity threshold. The default of servers drops more than half of the relevant results. */
const THRESHOLD = 0.1

/** The limitations of a server that cannot delete, and of one that takes no batches. */
export const WITHOUT_DELETES = [
  'deletes: what is forgotten here stays there',
  'revisions: the old text stays there',
  'expiry: a memory that is captured again expires there as it was first captured',
]
export const WITHOUT_BATCHES = 'batches: thoughts are sent one at a time'

/** The fields that an OpenBrain server stores of a thought. All other fields travel in `metadata`. */
export interface Fields {
  content: string
  project: string
  source: string
  created_by: string
  metadata: Record<string, unknown>
}

/** One thought of a server's response. */
export interface Found {
  /** The server's own id, if it returns one. */
  serverId?: string
  content: string
  metadata: Record<string, unknown>
  project?: string
  createdAt?: string
}

export interface ServerQuery {
  text: string
  project?: string
  type?: string
  limit: number
}

/** What a server that answers in JSON is asked for a search. */
export function searchArguments({ text, project, type, limit }: ServerQuery): object {
  return { query: text, limit, threshold: THRESHOLD, ...given({ project, type }) }
}

/** The number of thoughts in the statistics of such a server. */
export function totalIn(statistics: object): number | undefined {
  const { total_thoughts: total } = statistics as { total_thoughts?: unknown }
  return total === undefined ? undefined : Number(total)
}

/** One dialect of OpenBrain servers. Methods throw `StoreFailure`. */
export interface Server {
  readonly capabilities: Capabilities
  /** The maximum number of thoughts of `captureMany`; absent when they are sent one by one. */
  readonly batchMax?: number
  /**
   * Returns the thoughts that are stored under one of our ids. The text is needed where ids cannot be queried. `isRetry`
   * makes the search exhaustive.
   */
  find(id: string, content: string | undefined, isRetry: boolean): Promise<Found[]>
  capture(fields: Fields): Promise<void>
  captureMany?(batch: Fields[]): Promise<void>
  /** Deletes by the server's own id; absent when the server cannot delete. */
  remove?(serverId: string): Promise<void>
  search(query: ServerQuery): Promise<Found[]>
  /** Undefined when the server does not say it. */
  count(project?: string): Promise<number | undefined>
  /** Returns the server's statistics as text, which changes with every capture and delete; undefined when it has none. */
  state(): Promise<string | undefined>
  close(): Promise<void>
}
