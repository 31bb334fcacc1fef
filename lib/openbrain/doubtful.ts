import { createHash } from 'node:crypto'
import { closeSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { forgeHome } from '../shared/home.js'
import { writePrivateFile } from '../shared/private-file.js'
import { openRegular } from '../shared/regular-file.js'

/** The delays after the last request at which the server is checked for requests that arrived late. */
const CHECK_DELAYS_MS = [60_000, 600_000, 3_600_000, 86_400_000]
/** More than that is a server that answers nothing, and not a list worth keeping. */
const IDS_MAX = 10_000

/** A thought that a server has more than once, and that we cannot take away there. */
export interface DuplicatedThought {
  id: string
  /** The ids that the server itself gave to its copies, oldest first. */
  copies: string[]
}

interface Entry {
  /** How many requests have an unknown outcome. */
  open: number
  /** When the last of them was sent, in milliseconds since the epoch. */
  at: number
  looks: number
  /** True when the thought was deleted since: whatever arrives of it is to go. */
  isGone?: boolean
  copies?: string[]
}

/**
 * The deliveries of a project whose outcome is unknown: the request may still arrive, after another one has stored the
 * thought. Written before a request is sent, so that a process that dies in between leaves its trace.
 */
export class DoubtfulDeliveries {
  readonly #path: string
  readonly #entries: Map<string, Entry>

  constructor(place: string, projectDir: string) {
    const name = createHash('sha256')
      .update(JSON.stringify([place, projectDir]))
      .digest('hex')
    this.#path = join(forgeHome(), 'doubtful-deliveries', `${name}.json`)
    this.#entries = read(this.#path)
  }

  /** A request with these thoughts is about to be sent. */
  sent(ids: string[]): void {
    for (const id of ids) {
      const known = this.#entries.get(id)
      if (known === undefined && this.#entries.size >= IDS_MAX) continue
      this.#entries.set(id, { ...known, open: (known?.open ?? 0) + 1, at: Date.now(), looks: 0 })
    }
    this.#write()
  }

  /** The outcome of the requests is known. */
  answered(ids: string[]): void {
    for (const id of ids) {
      const known = this.#entries.get(id)
      if (known === undefined) continue
      if (known.open <= 1) this.#entries.delete(id)
      else this.#entries.set(id, { ...known, open: known.open - 1 })
    }
    this.#write()
  }

  /** The thought was deleted at the server. */
  deleted(id: string): void {
    const known = this.#entries.get(id)
    if (known === undefined) return
    this.#entries.set(id, { ...known, isGone: true })
    this.#write()
  }

  /** Which thoughts have to be checked at the server now; all when `isOrdered`. */
  due(isOrdered: boolean): { id: string; isGone: boolean }[] {
    const now = Date.now()
    const isDue = ({ at, looks }: Entry) => now - at >= (CHECK_DELAYS_MS[looks] ?? Number.POSITIVE_INFINITY)
    return [...this.#entries]
      .filter(([, entry]) => isOrdered || isDue(entry))
      .map(([id, { isGone }]) => ({ id, isGone: isGone === true }))
  }

  /** The server was checked; `copies` are duplicates that cannot be deleted. */
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

  #write(): void {
    try {
      writePrivateFile(this.#path, `${JSON.stringify(Object.fromEntries(this.#entries))}\n`)
    } catch {
      // A delivery is worth more than the note about it.
    }
  }
}

const LAST_CHECK_MS = Math.max(...CHECK_DELAYS_MS)

function read(path: string): Map<string, Entry> {
  try {
    const file = openRegular(path)
    if (file === undefined) return new Map()
    try {
      return new Map(Object.entries(JSON.parse(readFileSync(file, 'utf8')) as Record<string, Entry>))
    } finally {
      closeSync(file)
    }
  } catch {
    // Without the notes a late request is seen at the thought's next delivery only.
    return new Map()
  }
}
