import { join } from 'node:path'
import { sha256 } from '../shared/digest.js'
import { forgeHome } from '../shared/home.js'
import { readPrivateMap, tryToWriteMap } from '../shared/private-file.js'

/** The delays after the last request at which the server is checked for requests that arrived late. */
const CHECK_DELAYS_MS = [60_000, 600_000, 3_600_000, 86_400_000]
/** The maximum number of ids. More mean that the server answers nothing, and the list is not worth keeping. */
const IDS_MAX = 10_000

/** A thought that a server has more than once and does not let us delete. */
export interface DuplicatedThought {
  id: string
  /** The server's ids of the copies, oldest first. */
  copies: string[]
}

interface Entry {
  /** The number of requests with an unknown outcome. */
  open: number
  /** When the last of them was sent, in milliseconds since the epoch. */
  at: number
  looks: number
  /** True if the thought was deleted since, so that late arrivals are deleted too. */
  isGone?: boolean
  copies?: string[]
}

/**
 * The deliveries of a project with an unknown outcome: a request that timed out may still be processed after a retry has
 * stored the thought, which makes a duplicate. They are written before a request is sent, so that they survive a crash.
 */
export class UncertainDeliveries {
  readonly #path: string
  readonly #entries: Map<string, Entry>

  constructor(place: string, projectDir: string) {
    const name = sha256(JSON.stringify([place, projectDir]))
    this.#path = join(forgeHome(), 'doubtful-deliveries', `${name}.json`)
    // Without the file, duplicates are detected only at the next delivery of the same thought.
    this.#entries = readPrivateMap<Entry>(this.#path)
  }

  /** Records that a request with these thoughts is about to be sent. */
  sent(ids: string[]): void {
    for (const id of ids) {
      const known = this.#entries.get(id)
      if (known === undefined && this.#entries.size >= IDS_MAX) continue
      this.#entries.set(id, { ...known, open: (known?.open ?? 0) + 1, at: Date.now(), looks: 0 })
    }
    this.#write()
  }

  /** Records that the outcome of a request is known. */
  answered(ids: string[]): void {
    for (const id of ids) {
      const known = this.#entries.get(id)
      if (known === undefined) continue
      if (known.open <= 1) this.#entries.delete(id)
      else this.#entries.set(id, { ...known, open: known.open - 1 })
    }
    this.#write()
  }

  deleted(id: string): void {
    const known = this.#entries.get(id)
    if (known === undefined) return
    this.#entries.set(id, { ...known, isGone: true })
    this.#write()
  }

  /** Returns the thoughts to check at the server now; all of them when `isOrdered`. */
  due(isOrdered: boolean): { id: string; isGone: boolean }[] {
    const now = Date.now()
    const isDue = ({ at, looks }: Entry) => now - at >= (CHECK_DELAYS_MS[looks] ?? Number.POSITIVE_INFINITY)
    return [...this.#entries]
      .filter(([, entry]) => isOrdered || isDue(entry))
      .map(([id, { isGone }]) => ({ id, isGone: isGone === true }))
  }

  /** Records a check; `copies` are duplicates that cannot be deleted. */
  checked(id: string, copies: string[]): void {
    const known = this.#entries.get(id)
    if (known === undefined) return
    const { copies: _, ...entry } = known
    const age = Date.now() - entry.at
    const looks = CHECK_DELAYS_MS.filter((after) => after <= age).length
    if (copies.length === 0 && age >= LAST_CHECK_MS) this.#entries.delete(id)
    else this.#entries.set(id, { ...entry, looks, ...(copies.length === 0 ? {} : { copies }) })
    this.#write()
  }

  get doubled(): DuplicatedThought[] {
    return [...this.#entries].flatMap(([id, { copies }]) => (copies === undefined ? [] : [{ id, copies }]))
  }

  /** A failure to save must not stop a delivery. */
  #write(): void {
    tryToWriteMap(this.#path, this.#entries)
  }
}

const LAST_CHECK_MS = Math.max(...CHECK_DELAYS_MS)
