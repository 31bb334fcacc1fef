import type { Capabilities } from '../store.js'

/** The limitation of a server that cannot delete. */
export const EXPIRY_LIMITATION = 'expiry: a memory that is captured again expires there as it was first captured'

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
