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

/** Remembers the answer of one store for its lifetime. */
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

  /** Asks the store what it can do, unless it has said so within the lifetime. */
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

  /** What was found out last, without asking. */
  get last(): Handshake | undefined {
    return this.#last
  }
}

/** A delivery that needs a capability the store lacks is rejected permanently. */
export function missing(capabilities: Capabilities, action: 'store' | 'delete'): string | undefined {
  return action === 'delete' && !capabilities.delete ? 'the store cannot delete; remove it there by hand' : undefined
}

export function asFailure(error: unknown): StoreFailure {
  return error instanceof StoreFailure ? error : new StoreFailure('busy', String((error as Error)?.message ?? error))
}
