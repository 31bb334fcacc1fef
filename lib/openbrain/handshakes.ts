import { StoreFailure } from './failure.js'
import type { Capabilities, ThoughtStore } from './store.js'

/** So long a store is taken to be what it said it was. */
const LIFETIME_MS = 5 * 60_000

/** What was found out about a store, and when. */
export interface Handshake {
  capabilities: Capabilities
  /** ISO 8601. */
  checkedAt: string
}

/** Remembers the answer of one store for its lifetime. */
export class Handshakes {
  readonly #store: ThoughtStore
  readonly #lifetimeMs: number
  readonly #heard: (handshake: Handshake) => void
  #last: Handshake | undefined

  constructor(store: ThoughtStore, heard: (handshake: Handshake) => void = () => undefined, lifetimeMs = LIFETIME_MS) {
    this.#store = store
    this.#heard = heard
    this.#lifetimeMs = lifetimeMs
  }

  /** Asks the store what it can do, unless it has said so within the lifetime. */
  async current(): Promise<Handshake> {
    if (this.#last !== undefined && Date.now() - Date.parse(this.#last.checkedAt) < this.#lifetimeMs) return this.#last
    this.#last = undefined
    this.#last = { capabilities: await this.#store.handshake(), checkedAt: new Date().toISOString() }
    this.#heard(this.#last)
    return this.#last
  }

  /** Forgets the answer: something happened that it does not explain. */
  forget(): void {
    this.#last = undefined
  }

  /** What was found out last, without asking. */
  get last(): Handshake | undefined {
    return this.#last
  }
}

/** What a store cannot do that this delivery needs is a reason to refuse, once and for good. */
export function missing(capabilities: Capabilities, action: 'store' | 'delete'): string | undefined {
  return action === 'delete' && !capabilities.delete ? 'the store cannot delete; remove it there by hand' : undefined
}

export function asFailure(error: unknown): StoreFailure {
  return error instanceof StoreFailure ? error : new StoreFailure('busy', String((error as Error)?.message ?? error))
}
