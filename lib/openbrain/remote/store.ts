import { given } from '../../shared/given.js'
import { otherProject } from '../batch.js'
import { StoreFailure } from '../failure.js'
import { rememberKey, rememberKeysIn } from '../foreign-text.js'
import { SentUntil } from '../sent-until.js'
import { placeOf } from '../settings.js'
import type { Capabilities, Delivery, Outcome, StoreAnswer, ThoughtHit, ThoughtQuery, ThoughtStore } from '../store.js'
import { type DuplicatedThought, UncertainDeliveries } from '../uncertain-deliveries.js'
import { connect, type RemoteOptions, type RemoteTarget } from './dialect.js'
import { fieldsOf, hitFrom, originOf, supersededBy } from './fields.js'
import type { Found, Server } from './server.js'

/** The maximum batch size. Servers embed a batch in one transaction, so that a large one fails as a whole. */
const BATCH_MAX = 20
/** The factor by which more hits than wanted are requested: servers filter neither by time nor by supersession. */
const SURPLUS = 4
const SEARCH_MAX = 100
const LANES = 8
const DELETES_RETIRED = 'rulings: what is retired is deleted there; conflicts and feedback stay in the files'
const KEEPS_NO_RULINGS =
  'an OpenBrain server keeps thoughts only: what holds and what is in conflict stays in the files'

export class RemoteStore implements ThoughtStore {
  readonly backend = 'remote'
  readonly place: string
  readonly batchMax = BATCH_MAX
  readonly #target: RemoteTarget
  readonly #settings: RemoteOptions
  readonly #doubtful: UncertainDeliveries
  readonly #sentUntil: SentUntil
  #server: Promise<Server> | undefined

  constructor(target: RemoteTarget, settings: RemoteOptions) {
    this.place = placeOf(target.url)
    this.#target = target
    rememberKey(target.key)
    rememberKeysIn(target.url)
    this.#settings = settings
    this.#doubtful = new UncertainDeliveries(this.place, settings.projectDir ?? '')
    this.#sentUntil = new SentUntil(this.place, settings.projectDir ?? '')
  }

  async handshake(): Promise<Capabilities> {
    // The server may have been replaced since, so its dialect is detected again.
    await this.close()
    const { capabilities } = await this.#connected()
    const rulings = capabilities.delete ? DELETES_RETIRED : 'rulings: what is retired here stays there, and is found'
    return { ...capabilities, negotiatedAway: [...capabilities.negotiatedAway, rulings] }
  }

  put(batch: Delivery[]): Promise<Outcome[]> {
    return this.#settle(batch, async (server, outcomes) => {
      const sent = await this.#sentBefore(server, batch)
      const fresh = new Set(batch.filter((delivery) => !sent.has(delivery)))
      await inParallel([...sent], async (delivery) => {
        await this.#each(delivery, outcomes, async () => {
          const there = await findOne(server, delivery)
          if (there === undefined) return void fresh.add(delivery)
          await this.#prolong(server, delivery, there)
          await this.#finish(server, delivery, outcomes)
        })
      })
      await this.#store(
        server,
        batch.filter((delivery) => fresh.has(delivery)),
        outcomes,
      )
    })
  }

  /** The records that may be stored already. A server that stores equal texts once has to be asked for each. */
  async #sentBefore(server: Server, batch: Delivery[]): Promise<Set<Delivery>> {
    const sent = await this.#sentUntil.begin(batch, (projects) => isEmpty(server, projects))
    return server.capabilities.idempotent === 'by-content' ? new Set(batch) : sent
  }

  remove(batch: Delivery[]): Promise<Outcome[]> {
    return this.#settle(batch, async (server, outcomes) => {
      for (const delivery of batch) {
        await this.#each(delivery, outcomes, async () => {
          for (const id of delivery.ids) await this.#removeAll(server, id, delivery.projects)
          outcomes.set(delivery.key, { key: delivery.key, kind: 'gone' })
        })
      }
    })
  }

  /** A server keeps no rulings. A retired thought is deleted there, where that can be, and sent again by the drain when it is kept. */
  rule(batch: Delivery[]): Promise<Outcome[]> {
    return this.#settle(batch, async (server, outcomes) => {
      for (const delivery of batch) {
        await this.#each(delivery, outcomes, async () => {
          const { key, id, projects, ruling } = delivery
          const isOver = ruling?.kind === 'retire' || ruling?.kind === 'reject'
          if (isOver && server.remove !== undefined) await this.#removeAll(server, id, projects)
          outcomes.set(key, { key, kind: 'gone', ...(isOver && server.remove ? {} : { reason: KEEPS_NO_RULINGS }) })
        })
      }
    })
  }

  async search(query: ThoughtQuery): Promise<StoreAnswer> {
    const server = await this.#connected()
    const { text, project, type } = query
    const found = await server.search({
      text,
      limit: Math.min(Math.max(query.limit * SURPLUS, 20), SEARCH_MAX),
      ...given({ project, type }),
    })
    return { thoughts: visible(found, query), semantic: server.capabilities.semantic }
  }

  async state(): Promise<string | undefined> {
    return (await this.#connected()).state()
  }

  async count(project?: string): Promise<number> {
    return (await (await this.#connected()).count(project)) ?? 0
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

  /** Stores new thoughts, in batches where the server accepts them. A rejected batch is sent again one by one. */
  async #store(server: Server, fresh: Delivery[], outcomes: Map<string, Outcome>): Promise<void> {
    const batchMax = server.captureMany === undefined ? 1 : (server.batchMax ?? 1)
    for (let at = 0; at < fresh.length; at += batchMax) {
      const part = fresh.slice(at, at + batchMax)
      if (part.length > 1 && (await this.#storeMany(server, part, outcomes))) continue
      for (const delivery of part) {
        await this.#each(delivery, outcomes, async () => {
          const { thought } = delivery
          if (thought !== undefined) await this.#sending(server, [delivery], () => server.capture(fieldsOf(thought)))
          await this.#finish(server, delivery, outcomes)
        })
      }
    }
  }

  /** Sends a batch. Returns false when the whole batch was rejected, which does not show which record is the cause. */
  async #storeMany(server: Server, part: Delivery[], outcomes: Map<string, Outcome>): Promise<boolean> {
    try {
      const all = part.flatMap(({ thought }) => (thought === undefined ? [] : [fieldsOf(thought)]))
      await this.#sending(server, part, async () => server.captureMany?.(all))
    } catch (error) {
      const failure = error as StoreFailure
      if (!(failure instanceof StoreFailure)) throw error
      if (failure.kind === 'rejected') return false
      throw failure
    }
    for (const delivery of part) {
      await this.#each(delivery, outcomes, () => this.#finish(server, delivery, outcomes))
    }
    return true
  }

  /** Records a request while its outcome is unknown. Some servers store two thoughts with the same text as one. */
  async #sending<T>(server: Server, part: Delivery[], work: () => Promise<T>): Promise<T> {
    if (server.capabilities.idempotent === 'by-content') return work()
    const ids = part.map(({ id }) => id)
    this.#doubtful.sent(ids)
    try {
      const answer = await work()
      this.#doubtful.answered(ids)
      return answer
    } catch (error) {
      if (error instanceof StoreFailure && !error.isUncertain) this.#doubtful.answered(ids)
      throw error
    }
  }

  /**
   * Deletes duplicates made by requests that were processed after their timeout, when a retry had already stored or
   * deleted the thought. With `isOrdered` it checks now, else when a check is due. Returns duplicates that cannot be
   * deleted.
   */
  async removeDuplicates(isOrdered: boolean): Promise<DuplicatedThought[]> {
    const due = this.#doubtful.due(isOrdered)
    if (due.length === 0) return this.#doubtful.doubled
    const server = await this.#connected()
    await inParallel(due, async ({ id, isGone }) => {
      const found = (await server.find(id, undefined, true)).filter((one) => originOf(one) === id)
      const copies = isGone ? found : spareOf(found)
      for (const { serverId } of copies) if (serverId !== undefined) await server.remove?.(serverId)
      const left = server.remove === undefined ? copies : []
      this.#doubtful.checked(
        id,
        left.flatMap(({ serverId }) => serverId ?? []),
      )
    })
    return this.#doubtful.doubled
  }

  /**
   * Extends the expiry of a thought. Servers lose our fields on an update, so it is inserted again and the old one is
   * deleted afterwards.
   */
  async #prolong(server: Server, delivery: Delivery, there: Found): Promise<void> {
    const { thought } = delivery
    const { serverId } = there
    if (thought?.expiresAt === undefined || server.remove === undefined || serverId === undefined) return
    if (!(Date.parse(thought.expiresAt) > endOf(there))) return
    await this.#sending(server, [delivery], () => server.capture(fieldsOf(thought)))
    await server.remove(serverId)
  }

  /** Deletes superseded thoughts once their revision is stored, because the server would go on finding them. */
  async #finish(server: Server, delivery: Delivery, outcomes: Map<string, Outcome>) {
    const old = delivery.thought?.supersedes
    if (old !== undefined && server.remove !== undefined) await this.#superseded(server, old, delivery)
    outcomes.set(delivery.key, { key: delivery.key, kind: 'delivered' })
  }

  /** Deletes one superseded thought, unless it belongs to another project. */
  async #superseded(server: Server, id: string, { thought, projects }: Delivery): Promise<void> {
    const within = thought === undefined ? projects : [thought.project]
    await this.#removeAll(server, id, within).catch((error: unknown) => {
      if (!(error instanceof StoreFailure) || error.kind !== 'rejected') throw error
    })
  }

  async #removeAll(server: Server, id: string, projects: string[]): Promise<void> {
    if (server.remove === undefined) throw new StoreFailure('rejected', `${this.place} cannot delete`)
    const found = (await server.find(id, undefined, true)).filter((one) => originOf(one) === id)
    for (const one of found) {
      const { project } = hitFrom(one, undefined, 0)
      if (project !== '' && !projects.includes(project)) throw new StoreFailure('rejected', otherProject(id, project))
    }
    for (const { serverId } of found) if (serverId !== undefined) await server.remove(serverId)
    this.#doubtful.deleted(id)
  }

  /** Processes one record. A rejected one does not stop the others; an unreachable server or a refused key does. */
  async #each(delivery: Delivery, outcomes: Map<string, Outcome>, work: () => Promise<void>): Promise<void> {
    try {
      await work()
    } catch (error) {
      if (!(error instanceof StoreFailure) || error.kind !== 'rejected') throw error
      outcomes.set(delivery.key, { key: delivery.key, kind: 'rejected', reason: error.message })
    }
  }

  async #settle(
    batch: Delivery[],
    work: (server: Server, outcomes: Map<string, Outcome>) => Promise<void>,
  ): Promise<Outcome[]> {
    const outcomes = new Map<string, Outcome>()
    let rest: Omit<Outcome, 'key'> = { kind: 'busy', reason: 'it was not attempted' }
    try {
      await work(await this.#connected(), outcomes)
    } catch (error) {
      if (!(error instanceof StoreFailure)) throw error
      rest = { kind: error.kind, reason: error.message, isAway: error.isAway }
    }
    return batch.map(({ key }) => outcomes.get(key) ?? { key, ...rest })
  }
}

/** Bounded concurrency: a few requests at a time. */
async function inParallel<T>(items: T[], work: (item: T) => Promise<void>): Promise<void> {
  const waiting = [...items]
  const lane = async () => {
    for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) await work(item)
  }
  await Promise.all(Array.from({ length: Math.min(LANES, items.length) }, lane))
}

/** True if a server has no thought of these projects; false when it cannot say. */
async function isEmpty(server: Server, projects: string[]): Promise<boolean> {
  try {
    for (const project of projects) if ((await server.count(project)) !== 0) return false
    return true
  } catch {
    return false
  }
}

/**
 * Looks up whether a thought is stored: before a retry, and when a crash between delivery and settlement is possible. Of duplicates made by
 * an earlier timeout, the one that expires last is kept.
 */
async function findOne(server: Server, delivery: Delivery): Promise<Found | undefined> {
  const { id, thought, attempts, lastError, confirmedAt } = delivery
  const isKnown = attempts > 0 || lastError !== undefined || confirmedAt !== undefined
  const found = (await server.find(id, thought?.content, isKnown)).filter((one) => originOf(one) === id)
  for (const { serverId } of spareOf(found)) {
    if (serverId !== undefined) await server.remove?.(serverId)
  }
  return found[0]
}

/**
 * Returns all copies of a thought except the one to keep, which is moved to the front: the one that expires last, else the
 * oldest.
 */
function spareOf(found: Found[]): Found[] {
  const bornAt = ({ createdAt }: Found) => Date.parse(createdAt ?? '') || 0
  return found.sort((one, other) => endOf(other) - endOf(one) || bornAt(one) - bornAt(other)).slice(1)
}

function endOf({ metadata: { expiresAt } }: Found): number {
  const end = typeof expiresAt === 'string' ? Date.parse(expiresAt) : Number.POSITIVE_INFINITY
  return Number.isNaN(end) ? Number.POSITIVE_INFINITY : end
}

/** Filters out expired and superseded thoughts: the server knows neither. */
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
