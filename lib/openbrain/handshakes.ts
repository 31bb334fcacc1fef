// A cache of a store's capabilities with a time to live.
import { StoreFailure } from './failure.js'
import type { Capabilities, ThoughtStore } from './store.js'

/** How long the capabilities of a store are cached. */
const LIFETIME_MS = 5 * 60_000

/** The capabilities of a store, and when they were read. */
export interface Handshake {
  capabilities: Capabilities
  /** ISO 8601. */
  checkedAt: string
}

export class Handshakes {
  readonly #store: ThoughtStore
  readonly #lifetimeMs: number
  readonly #onHandshake: (handshake: Handshake) => void
  #last: Handshake | undefined

  constructor(
    store: ThoughtStore,
    onHandshake: (handshake: Handshake) => void = () => undefined,
    lifetimeMs = LIFETIME_MS,
  ) {
    this.#store = store
    this.#onHandshake = onHandshake
    this.#lifetimeMs = lifetimeMs
  }

  /** Returns the capabilities, read again when they are older than the time to live. */
  async current(): Promise<Handshake> {
    if (this.#last !== undefined && Date.now() - Date.parse(this.#last.checkedAt) < this.#lifetimeMs) return this.#last
    this.#last = undefined
    this.#last = { capabilities: await this.#store.handshake(), checkedAt: new Date().toISOString() }
    this.#onHandshake(this.#last)
    return this.#last
  }

  /** Invalidates the cached answer after a failure that contradicts it. */
  forget(): void {
    this.#last = undefined
  }

  /** The cached capabilities, however old; no request is made. */
  get last(): Handshake | undefined {
    return this.#last
  }
}

/** Returns why a delivery can never succeed, when the store lacks a capability that it needs. */
export function missing(capabilities: Capabilities, action: 'store' | 'delete'): string | undefined {
  return action === 'delete' && !capabilities.delete ? 'the store cannot delete; remove it there by hand' : undefined
}

export function asFailure(error: unknown): StoreFailure {
  return error instanceof StoreFailure ? error : new StoreFailure('busy', String((error as Error)?.message ?? error))
}
