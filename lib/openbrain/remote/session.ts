import type { Tool } from '@modelcontextprotocol/client'
import { hasCode, messageOf } from '../../shared/problem.js'
import { isTimeout, networkFailure, StoreFailure } from '../failure.js'
import { httpFailure, toolFailure } from '../failure-class.js'
import { foreignText } from '../foreign-text.js'
import { ANSWER_BYTES_MAX, tooLarge } from '../http.js'
import { Client, SSEClientTransport, StreamableHTTPClientTransport } from './protocol.js'

/** The status of a failure whose session the server does not know any more. */
const LOST = 'session'

export type Transport = 'sse' | 'http'

/** The timeout factor of a tool, which may embed a batch before it responds. */
const CALL_TIMEOUT_FACTOR = 3
const EXCERPT_BYTES = 8000
const EXCERPT_CHARS = 300
const LINE_FEED = 10

/** The last refused HTTP response, which the protocol's client does not always report. */
interface Refusal {
  status: number
  detail: string
}

/** An MCP session. It is reopened when the server has lost it. */
export class Session {
  readonly #url: URL
  readonly #key: string | undefined
  readonly #place: string
  readonly #transport: Transport
  readonly #timeoutMs: number
  #client: Promise<Client> | undefined
  #refusal: Refusal | undefined

  constructor(url: URL, key: string | undefined, place: string, transport: Transport, timeoutMs: number) {
    this.#url = url
    this.#key = key
    this.#place = place
    this.#transport = transport
    this.#timeoutMs = timeoutMs
  }

  async tools(): Promise<Tool[]> {
    const client = await this.#connected()
    try {
      return (await client.listTools(undefined, { timeout: this.#timeoutMs })).tools
    } catch (error) {
      throw this.#failure(error)
    }
  }

  /** Calls a tool and returns the last text block of its result; warnings for people come before it. */
  async call(name: string, args: Record<string, unknown>): Promise<string> {
    try {
      return await this.#callOnce(name, args)
    } catch (error) {
      // A lost session is detected before the message is processed, so it can be sent again.
      if (!(error instanceof StoreFailure) || error.status !== LOST) throw error
      await this.close()
      return this.#callOnce(name, args)
    }
  }

  async close(): Promise<void> {
    const client = this.#client
    this.#client = undefined
    await client?.then((open) => open.close()).catch(() => undefined)
  }

  async #callOnce(name: string, args: Record<string, unknown>): Promise<string> {
    const client = await this.#connected()
    this.#refusal = undefined
    const result = await client
      .callTool({ name, arguments: args }, { timeout: this.#timeoutMs * CALL_TIMEOUT_FACTOR })
      .catch((error: unknown) => {
        throw this.#failure(error)
      })
    const texts = (result.content ?? []).flatMap((block) => (block.type === 'text' ? [block.text] : []))
    const last = texts.at(-1) ?? ''
    if (result.isError === true) throw toolFailure(foreignText(last, 400), this.#place)
    return last
  }

  #connected(): Promise<Client> {
    this.#client ??= this.#connect().catch((error: unknown) => {
      this.#client = undefined
      throw this.#failure(error)
    })
    return this.#client
  }

  async #connect(): Promise<Client> {
    this.#refusal = undefined
    const client = new Client({ name: 'forge-memory', version: '1' })
    client.onclose = () => {
      this.#client = undefined
    }
    const options = {
      fetch: (input: string | URL, init?: RequestInit) => this.#fetch(input, init),
      ...(this.#key === undefined ? {} : { requestInit: { headers: { 'x-brain-key': this.#key } } }),
    }
    const transport =
      this.#transport === 'sse'
        ? new SSEClientTransport(this.#url, options)
        : new StreamableHTTPClientTransport(this.#url, options)
    try {
      await client.connect(transport, { timeout: this.#timeoutMs, signal: AbortSignal.timeout(this.#timeoutMs) })
    } catch (error) {
      await client.close().catch(() => undefined)
      throw error
    }
    return client
  }

  /** Sends every HTTP request of the protocol: no redirects, bounded responses, refusals recorded. */
  async #fetch(input: string | URL, init: RequestInit | undefined): Promise<Response> {
    const response = await fetch(input, { ...init, redirect: 'manual' })
    if (response.status >= 300) {
      const detail = await excerptOf(response.clone())
      this.#refusal = { status: response.status, detail }
    }
    if (response.body === null) return response
    const body = response.body.pipeThrough(limited(this.#place))
    return new Response(body, { status: response.status, statusText: response.statusText, headers: response.headers })
  }

  #failure(error: unknown): StoreFailure {
    if (error instanceof StoreFailure) return error
    const refusal = this.#refusal
    if (refusal !== undefined) {
      if (/no active session|session (was )?not found/i.test(refusal.detail)) {
        return new StoreFailure('busy', `${this.#place} has lost the session`, { status: LOST })
      }
      return httpFailure(refusal.status, refusal.detail, this.#place)
    }
    if (hasCode(error, 'REQUEST_TIMEOUT') || isTimeout(error)) {
      return new StoreFailure('busy', `${this.#place} did not answer in time`, { isUncertain: true })
    }
    if (hasCode(error, 'CONNECTION_CLOSED', 'NOT_CONNECTED')) {
      return new StoreFailure('busy', `${this.#place} closed the connection`, { isUncertain: true })
    }
    // Some servers respond 200, and report a wrong key in the protocol.
    if (hasCode(error, -32_001)) return new StoreFailure('misconfigured', `${this.#place} refuses the key`)
    if (hasCode(error, -32_602, -32_601)) {
      return new StoreFailure('rejected', `${this.#place} refuses the record: ${messageOf(error)}`)
    }
    return networkFailure(error, this.#place)
  }
}

async function excerptOf(response: Response): Promise<string> {
  try {
    const chunks: Uint8Array[] = []
    let length = 0
    for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
      chunks.push(chunk)
      length += chunk.length
      if (length > EXCERPT_BYTES) break
    }
    return foreignText(Buffer.concat(chunks).toString('utf8'), EXCERPT_CHARS)
  } catch {
    return ''
  }
}

/** Limits the size of a response. An event stream is unlimited, but each of its events is limited. */
function limited(place: string): TransformStream<Uint8Array, Uint8Array> {
  let length = 0
  return new TransformStream({
    transform(chunk, controller) {
      const end = chunk.lastIndexOf(LINE_FEED)
      length = end < 0 ? length + chunk.length : chunk.length - end
      if (length > ANSWER_BYTES_MAX) controller.error(tooLarge(place))
      else controller.enqueue(chunk)
    },
  })
}
