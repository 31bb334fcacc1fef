import { withoutLastSlashes } from '../../shared/slashes.js'
import { StoreFailure } from '../failure.js'
import { httpFailure } from '../failure-class.js'
import { rememberKeysIn } from '../foreign-text.js'
import { detailOf, type HttpAnswer, send } from '../http.js'
import { placeOf } from '../settings.js'
import type { Embedder } from './embedder.js'
import { vectorsFrom } from './vectors.js'

const BATCH_MAX = 32
const TIMEOUT_MS = 30_000
/** The maximum length of a text. Models read a few thousand words at most, and cut off or refuse the rest. */
const TEXT_CHARS_MAX = 8000

/** The request and response format of a kind of server. */
export interface Dialect {
  name: string
  path: string
  headers: Record<string, string>
  body(model: string, texts: string[]): unknown
  vectors(value: unknown): unknown
}

/** An embedder that is reached by HTTP. */
export class ServedEmbedder implements Embedder {
  readonly model: string
  readonly #name: string
  readonly #url: URL
  readonly #dialect: Dialect
  readonly #timeoutMs: number
  #dimensions: number | undefined

  constructor(base: string, model: string, dialect: Dialect, timeoutMs = TIMEOUT_MS) {
    this.model = `${dialect.name}:${model}`
    this.#name = model
    this.#url = endpoint(base, dialect.path)
    this.#dialect = dialect
    this.#timeoutMs = timeoutMs
  }

  async dimensions(): Promise<number> {
    if (this.#dimensions === undefined) await this.embed(['dimensions'])
    return this.#dimensions ?? 0
  }

  async embed(texts: string[]): Promise<Float32Array[]> {
    const vectors: Float32Array[] = []
    for (let at = 0; at < texts.length; at += BATCH_MAX) {
      vectors.push(...(await this.#embedBatch(texts.slice(at, at + BATCH_MAX))))
    }
    return vectors
  }

  async #embedBatch(texts: string[]): Promise<Float32Array[]> {
    const place = `the embedder at ${placeOf(this.#url)}`
    const body = this.#dialect.body(
      this.#name,
      texts.map((text) => text.slice(0, TEXT_CHARS_MAX)),
    )
    const answer = await send({
      method: 'POST',
      url: this.#url,
      headers: this.#dialect.headers,
      body,
      timeoutMs: this.#timeoutMs,
      place,
    })
    if (answer.status !== 200) throw refusal(answer, place)
    const vectors = vectorsFrom(this.#dialect.vectors(answer.value), texts.length, place)
    this.#checkLength(vectors, place)
    return vectors
  }

  #checkLength(vectors: Float32Array[], place: string): void {
    const length = vectors[0]?.length
    if (length === undefined) return
    this.#dimensions ??= length
    if (length === this.#dimensions) return
    const message = `${place} changed from vectors of ${this.#dimensions} to ${length} dimensions`
    throw new StoreFailure('misconfigured', message)
  }
}

/** Classifies an error response. A missing model needs a person; a record is never the cause. */
function refusal(answer: HttpAnswer, place: string): StoreFailure {
  const failure = httpFailure(answer.status, detailOf(answer), place)
  return failure.kind === 'rejected' ? new StoreFailure('misconfigured', failure.message) : failure
}

function endpoint(base: string, path: string): URL {
  let url: URL
  try {
    url = new URL(base)
    rememberKeysIn(url)
  } catch {
    throw new StoreFailure('misconfigured', 'embedder.url is not a valid URL')
  }
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new StoreFailure('misconfigured', 'embedder.url is not an http or https URL')
  }
  if (url.username !== '' || url.password !== '' || url.search !== '') {
    const message = 'embedder.url contains a user, a password or a query: set the key in FORGE_EMBEDDER_KEY instead'
    throw new StoreFailure('misconfigured', message)
  }
  if (!url.pathname.endsWith(path)) url.pathname = `${withoutLastSlashes(url.pathname)}${path}`
  return url
}
