import type { Capabilities } from '../store.js'

/** What cannot be had from a server that deletes nothing. */
export const EXPIRY_LIMITATION = 'expiry: a memory that is captured again expires there as it was first captured'

/** What an OpenBrain server stores of a thought. Everything it does not know by name travels in `metadata`. */
export interface Fields {
  content: string
  project: string
  source: string
  created_by: string
  metadata: Record<string, unknown>
}

/** One thought as a server gives it back. */
export interface Found {
  /** The server's own id, where it tells one. */
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

/** One dialect of OpenBrain. Failures are thrown as `StoreFailure`. */
export interface Server {
  readonly capabilities: Capabilities
  /** How many thoughts `captureMany` takes; absent where they go one by one. */
  readonly batchMax?: number
  /**
   * Returns what is stored under one of our ids. The text helps where ids cannot be asked for; before a retry, nothing may
   * be spared to find out.
   */
  find(id: string, content: string | undefined, isRetry: boolean): Promise<Found[]>
  capture(fields: Fields): Promise<void>
  captureMany?(batch: Fields[]): Promise<void>
  /** Removes by the server's own id; absent where it cannot. */
  remove?(serverId: string): Promise<void>
  search(query: ServerQuery): Promise<Found[]>
  count(project?: string): Promise<number>
  /** What its statistics say: another text after a capture and after a delete. Undefined where there are none. */
  state(): Promise<string | undefined>
  close(): Promise<void>
}
