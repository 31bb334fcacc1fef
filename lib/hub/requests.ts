import { randomUUID } from 'node:crypto'
import { messageOf, problem } from '../shared/problem.js'

const TIMEOUT_MS = 5000
const SPANS_MAX = 100
/** Node fires a timer with a longer delay immediately. */
const TIMER_MS_MAX = 2 ** 31 - 1

/** The facts about a request that a responder learns besides its payload. */
export interface AskDetails {
  requestId: string
  topic: string
  correlationId: string | undefined
  ts: string
}

export type AskHandler = (payload: unknown, details: AskDetails) => unknown

export type AskAnswer = { ok: true; payload: unknown } | { ok: false; error: { code: string; message: string } }

/** The record of one request: topic, duration, outcome. */
export interface AskSpan {
  name: 'hub.ask'
  topic: string
  requestId: string
  correlationId: string | undefined
  durationMs: number
  ok: boolean
}

export interface Pending {
  fail(error: Error): void
}

/** Request and reply between the parts of one process: one responder per topic, with timeouts. */
export class Requests {
  /** The latest requests, at most one hundred. */
  readonly spans: AskSpan[] = []
  readonly responders = new Map<string, AskHandler>()
  /** The pending requests by id. */
  readonly pending = new Map<string, Pending>()
  private readonly note: (span: AskSpan) => void
  private isClosed = false

  constructor(note: (span: AskSpan) => void) {
    this.note = note
  }

  on(topic: string, handler: AskHandler): void {
    if (this.responders.has(topic)) throw problem('INVALID_INPUT', `topic: ${topic} already has a responder`)
    this.responders.set(topic, handler)
  }

  remove(topic: string): boolean {
    return this.responders.delete(topic)
  }

  topics(): string[] {
    return [...this.responders.keys()]
  }

  ask(
    topic: string,
    payload: unknown,
    { timeoutMs = TIMEOUT_MS, correlationId }: { timeoutMs?: number; correlationId?: string } = {},
  ): Promise<AskAnswer> {
    if (this.isClosed) return Promise.reject(new Error('hub-closed'))
    const handler = this.responders.get(topic)
    if (!handler) {
      const message = `there is no responder for the topic ${topic}`
      return Promise.resolve({ ok: false, error: { code: 'no-responder', message } })
    }
    const requestId = `req-${randomUUID()}`
    const details = { requestId, topic, correlationId, ts: new Date().toISOString() }
    return this.wait(handler, payload, details, timeoutMs)
  }

  close(): void {
    this.isClosed = true
    for (const pending of [...this.pending.values()]) pending.fail(problem('hub-closed', 'the hub was closed'))
  }

  private wait(handler: AskHandler, payload: unknown, details: AskDetails, timeoutMs: number): Promise<AskAnswer> {
    const { topic, requestId, correlationId } = details
    const started = performance.now()
    return new Promise((resolve, reject) => {
      const settle = (ok: boolean, then: () => void) => {
        if (!this.pending.delete(requestId)) return
        clearTimeout(timer)
        const durationMs = performance.now() - started
        this.keep({ name: 'hub.ask', topic, requestId, correlationId, durationMs, ok })
        then()
      }
      const pending: Pending = {
        fail: (error) => settle(false, () => reject(Object.assign(error, { topic, requestId }))),
      }
      const late = () => pending.fail(problem('ask-timeout', `${topic} was not answered within ${timeoutMs} ms`))
      // An invalid timeout throws here, before the request is registered.
      const timer = setTimeout(late, Math.min(timeoutMs, TIMER_MS_MAX))
      this.pending.set(requestId, pending)
      const answer = Promise.resolve().then(() => handler(payload, details))
      answer.then(
        (value) => settle(true, () => resolve({ ok: true, payload: value })),
        (error: unknown) => {
          const message = messageOf(error)
          settle(false, () => resolve({ ok: false, error: { code: 'responder-error', message } }))
        },
      )
    })
  }

  private keep(span: AskSpan): void {
    this.spans.push(span)
    if (this.spans.length > SPANS_MAX) this.spans.shift()
    if (!this.isClosed) this.note(span)
  }
}
