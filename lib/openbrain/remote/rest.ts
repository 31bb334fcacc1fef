import { StoreFailure } from '../failure.js'
import { httpFailure } from '../failure-class.js'
import { detailOf, type HttpAnswer, send } from '../http.js'
import type { Capabilities } from '../store.js'
import { foundFrom } from './fields.js'
import {
  BATCH_MAX,
  type Fields,
  type Found,
  type Server,
  type ServerQuery,
  searchArguments,
  totalIn,
  WITHOUT_BATCHES,
  WITHOUT_DELETES,
} from './server.js'

/** The timeout factor of a batch, which the server embeds before it responds. */
const BATCH_TIMEOUT_FACTOR = 6

export interface Address {
  base: URL
  key: string | undefined
  /** The name of the server in messages. */
  place: string
}

/** Requests the health of a REST server; undefined when there is none that speaks our dialect. */
export async function restServer(address: Address, timeoutMs: number): Promise<Server | undefined> {
  const answer = await ask(address, 'GET', 'health', undefined, timeoutMs)
  if (answer.status === 401 || answer.status === 403) throw httpFailure(answer.status, detailOf(answer), address.place)
  if (answer.status === 503 || (answer.status >= 300 && answer.status < 400)) {
    throw httpFailure(answer.status, detailOf(answer), address.place)
  }
  const health = answer.value as { service?: unknown; capabilities?: unknown } | undefined
  if (answer.status !== 200 || health?.service !== 'open-brain-api') return undefined
  const abilities = Array.isArray(health.capabilities) ? health.capabilities.map(String) : []
  return new RestServer(address, abilities, timeoutMs)
}

class RestServer implements Server {
  readonly capabilities: Capabilities
  readonly batchMax = BATCH_MAX
  readonly #address: Address
  readonly #timeoutMs: number
  readonly #hasStats: boolean
  captureMany?: (batch: Fields[]) => Promise<void>
  remove?: (serverId: string) => Promise<void>

  constructor(address: Address, abilities: string[], timeoutMs: number) {
    this.#address = address
    this.#timeoutMs = timeoutMs
    const can = (name: string) => abilities.includes(name)
    this.#hasStats = can('stats')
    if (can('batch')) this.captureMany = (batch) => this.#captureMany(batch)
    if (can('delete')) this.remove = (serverId) => this.#remove(serverId)
    this.capabilities = {
      dialect: 'openbrain-rest',
      batch: can('batch'),
      scope: true,
      supersedes: can('delete'),
      delete: can('delete'),
      provenance: true,
      semantic: can('search'),
      idempotent: can('by-source') ? 'by-source' : 'by-look-up',
      negotiatedAway: [
        ...(can('batch') ? [] : [WITHOUT_BATCHES]),
        ...(can('delete') ? [] : WITHOUT_DELETES),
        ...(can('by-source') ? [] : ['lookup by source: after a timeout, a thought may be stored twice']),
      ],
    }
  }

  async find(id: string, content: string | undefined): Promise<Found[]> {
    if (this.capabilities.idempotent === 'by-look-up') return this.search({ text: content ?? id, limit: 50 })
    const path = `memories/by-source?${new URLSearchParams({ source: id, limit: '50' })}`
    return foundIn(await this.#call('GET', path), this.#address.place)
  }

  async capture(fields: Fields): Promise<void> {
    await this.#call('POST', 'memories', fields)
  }

  async #captureMany(thoughts: Fields[]): Promise<void> {
    await this.#call('POST', 'memories/batch', { thoughts }, this.#timeoutMs * BATCH_TIMEOUT_FACTOR)
  }

  async #remove(serverId: string): Promise<void> {
    const answer = await ask(
      this.#address,
      'DELETE',
      `memories/${encodeURIComponent(serverId)}`,
      undefined,
      this.#timeoutMs,
    )
    // 404 means that it is already deleted.
    if (answer.status !== 200 && answer.status !== 404) throw this.#refusal(answer)
  }

  async search(query: ServerQuery): Promise<Found[]> {
    return foundIn(await this.#call('POST', 'memories/search', searchArguments(query)), this.#address.place)
  }

  async count(project?: string): Promise<number | undefined> {
    const query = project === undefined ? '' : `?${new URLSearchParams({ project })}`
    return totalIn(await this.#call('GET', `stats${query}`))
  }

  async state(): Promise<string | undefined> {
    return this.#hasStats ? JSON.stringify(await this.#call('GET', 'stats')) : undefined
  }

  async close(): Promise<void> {}

  async #call(method: 'GET' | 'POST', path: string, body?: unknown, timeoutMs = this.#timeoutMs): Promise<object> {
    const answer = await ask(this.#address, method, path, body, timeoutMs)
    if (answer.status !== 200 && answer.status !== 201) throw this.#refusal(answer)
    return objectIn(answer, this.#address.place)
  }

  #refusal(answer: HttpAnswer): StoreFailure {
    return httpFailure(answer.status, detailOf(answer), this.#address.place)
  }
}

function ask(
  { base, key, place }: Address,
  method: 'GET' | 'POST' | 'DELETE',
  path: string,
  body: unknown,
  timeoutMs: number,
) {
  const url = new URL(path, base.href.endsWith('/') ? base : `${base.href}/`)
  const headers = key === undefined ? {} : { 'x-brain-key': key }
  return send({ method, url, headers, timeoutMs, place, ...(body === undefined ? {} : { body }) })
}

function objectIn({ value }: HttpAnswer, place: string): object {
  if (typeof value === 'object' && value !== null) return value
  throw new StoreFailure('busy', `${place} answered with something that is not JSON`, { isUncertain: true })
}

export function foundIn(answer: object, place: string): Found[] {
  const { results } = answer as { results?: unknown }
  if (!Array.isArray(results)) throw new StoreFailure('busy', `${place} answered without results`)
  return results.map(foundFrom).filter((found) => found !== undefined)
}
