import { StoreFailure } from '../failure.js'
import { placeOf, type StoreSettings, type StoreTarget } from '../settings.js'
import type { Capabilities, Delivery, Outcome, StoreAnswer, ThoughtHit, ThoughtQuery, ThoughtStore } from '../store.js'
import { connect } from './dialect.js'
import { fieldsOf, hitFrom, originOf, supersededBy } from './fields.js'
import type { Found, Server } from './server.js'

/** Servers embed a batch all at once and in one transaction: large ones fail as a whole. */
const BATCH_MAX = 20
/** Servers filter neither by time nor by what was superseded, so more is asked for than is wanted. */
const SURPLUS = 4
const SEARCH_MAX = 100

/** What a project says about servers. */
export type RemoteOptions = Pick<StoreSettings, 'textOnly' | 'insecure' | 'timeoutMs'>

type RemoteTarget = Extract<StoreTarget, { backend: 'remote' }>

/** A shared memory behind somebody's OpenBrain server. */
export class RemoteStore implements ThoughtStore {
  readonly backend = 'remote'
  readonly place: string
  readonly batchMax = BATCH_MAX
  readonly #target: RemoteTarget
  readonly #settings: RemoteOptions
  #server: Promise<Server> | undefined

  constructor(target: RemoteTarget, settings: RemoteOptions) {
    this.place = placeOf(target.url)
    this.#target = target
    this.#settings = settings
  }

  async handshake(): Promise<Capabilities> {
    // A server may have become another one since: ask anew.
    await this.close()
    return (await this.#connected()).capabilities
  }

  async put(batch: Delivery[]): Promise<Outcome[]> {
    const outcomes = new Map<string, Outcome>()
    await this.#settle(batch, outcomes, async (server) => {
      const fresh: Delivery[] = []
      for (const delivery of batch) {
        await this.#each(delivery, outcomes, async () => {
          if (await isThere(server, delivery)) outcomes.set(delivery.key, { key: delivery.key, kind: 'delivered' })
          else fresh.push(delivery)
        })
      }
      await this.#store(server, fresh, outcomes)
    })
    return batch.map(({ key }) => outcomes.get(key) ?? { key, kind: 'busy', reason: 'it was not reached' })
  }

  async remove(batch: Delivery[]): Promise<Outcome[]> {
    const outcomes = new Map<string, Outcome>()
    await this.#settle(batch, outcomes, async (server) => {
      for (const delivery of batch) {
        await this.#each(delivery, outcomes, async () => {
          for (const id of delivery.ids) await removeAll(server, id, this.place)
          outcomes.set(delivery.key, { key: delivery.key, kind: 'gone' })
        })
      }
    })
    return batch.map(({ key }) => outcomes.get(key) ?? { key, kind: 'busy', reason: 'it was not reached' })
  }

  async search(query: ThoughtQuery): Promise<StoreAnswer> {
    const server = await this.#connected()
    const { text, project, type } = query
    const found = await server.search({
      text,
      limit: Math.min(Math.max(query.limit * SURPLUS, 20), SEARCH_MAX),
      ...(project === undefined ? {} : { project }),
      ...(type === undefined ? {} : { type }),
    })
    return { thoughts: visible(found, query), semantic: server.capabilities.semantic }
  }

  async count(project?: string): Promise<number> {
    return (await this.#connected()).count(project)
  }

  async close(): Promise<void> {
    const server = this.#server
    this.#server = undefined
    await server?.then((open) => open.close()).catch(() => undefined)
  }

  #connected(): Promise<Server> {
    if (this.#server === undefined) {
      const server = connect(this.#target, this.#settings, this.place)
      this.#server = server
      server.catch(() => {
        if (this.#server === server) this.#server = undefined
      })
    }
    return this.#server
  }

  /** Stores what is not there, at once where the server can; a batch that is refused goes again one by one. */
  async #store(server: Server, fresh: Delivery[], outcomes: Map<string, Outcome>): Promise<void> {
    const batchMax = server.captureMany === undefined ? 1 : (server.batchMax ?? 1)
    for (let at = 0; at < fresh.length; at += batchMax) {
      const part = fresh.slice(at, at + batchMax)
      if (part.length > 1 && (await this.#storeMany(server, part, outcomes))) continue
      for (const delivery of part) {
        await this.#each(delivery, outcomes, async () => {
          if (delivery.thought !== undefined) await server.capture(fieldsOf(delivery.thought))
          await finish(server, delivery, outcomes, this.place)
        })
      }
    }
  }

  /** Returns false when the batch as a whole was refused, which says nothing about any one record. */
  async #storeMany(server: Server, part: Delivery[], outcomes: Map<string, Outcome>): Promise<boolean> {
    try {
      await server.captureMany?.(part.flatMap(({ thought }) => (thought === undefined ? [] : [fieldsOf(thought)])))
    } catch (error) {
      const failure = error as StoreFailure
      if (!(failure instanceof StoreFailure)) throw error
      if (failure.kind === 'rejected') return false
      throw failure
    }
    for (const delivery of part) {
      await this.#each(delivery, outcomes, () => finish(server, delivery, outcomes, this.place))
    }
    return true
  }

  /** One record that is refused stops no other; a server that is down or refuses the key stops all. */
  async #each(delivery: Delivery, outcomes: Map<string, Outcome>, work: () => Promise<void>): Promise<void> {
    try {
      await work()
    } catch (error) {
      if (!(error instanceof StoreFailure) || error.kind !== 'rejected') throw error
      outcomes.set(delivery.key, { key: delivery.key, kind: 'rejected', reason: error.message })
    }
  }

  async #settle(batch: Delivery[], outcomes: Map<string, Outcome>, work: (server: Server) => Promise<void>) {
    try {
      await work(await this.#connected())
    } catch (error) {
      if (!(error instanceof StoreFailure)) throw error
      for (const { key } of batch) {
        if (!outcomes.has(key)) outcomes.set(key, { key, kind: error.kind, reason: error.message })
      }
    }
  }
}

/**
 * Asks whether a thought is there already. It is asked before every delivery, not only before a second one: a process that
 * died between delivery and settlement left no trace of the first. Copies that an earlier timeout made are taken away.
 */
async function isThere(server: Server, { id, thought, attempts }: Delivery): Promise<boolean> {
  const [first, ...copies] = (await server.find(id, thought?.content, attempts > 0)).filter(
    (found) => originOf(found) === id,
  )
  for (const { serverId } of copies) {
    if (serverId !== undefined) await server.remove?.(serverId)
  }
  return first !== undefined
}

/** The server would go on showing what was superseded, so that is taken away once its revision is there. */
async function finish(server: Server, delivery: Delivery, outcomes: Map<string, Outcome>, place: string) {
  const old = delivery.thought?.supersedes
  if (old !== undefined && server.remove !== undefined) await removeAll(server, old, place)
  outcomes.set(delivery.key, { key: delivery.key, kind: 'delivered' })
}

async function removeAll(server: Server, id: string, place: string): Promise<void> {
  if (server.remove === undefined) throw new StoreFailure('rejected', `${place} cannot delete`)
  for (const found of await server.find(id, undefined, true)) {
    if (originOf(found) === id && found.serverId !== undefined) await server.remove(found.serverId)
  }
}

/** Leaves out what may not come back: the server knows neither lifetimes nor revisions. */
function visible(found: Found[], query: ThoughtQuery): ThoughtHit[] {
  const superseded = new Set(found.map(supersededBy))
  const now = Date.parse(query.now)
  const since = query.since === undefined ? Number.NEGATIVE_INFINITY : Date.parse(query.since)
  const seen = new Set<string>()
  return found
    .map((one, at) => hitFrom(one, query.project, 1 / (at + 1)))
    .filter((hit) => {
      if (superseded.has(hit.id) || seen.has(hit.id)) return false
      seen.add(hit.id)
      if (hit.expiresAt !== undefined && Date.parse(hit.expiresAt) <= now) return false
      if (query.project !== undefined && hit.project !== query.project) return false
      if (query.type !== undefined && hit.type !== query.type) return false
      return !(Date.parse(hit.createdAt) < since)
    })
    .slice(0, query.limit)
}
