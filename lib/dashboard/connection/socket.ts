import { signal } from '@preact/signals'
import { token } from './address.js'
import { ask } from './http.js'
import type { HubEvent } from './shapes.js'

export type SocketState =
  | { name: 'connecting' }
  | { name: 'replaying' }
  | { name: 'live' }
  | { name: 'polling' }
  | { name: 'waiting'; until: number; attempts: number }
  | { name: 'stopped' }

const DELAYS_MS = [250, 500, 1000, 2000, 4000, 8000]
const HISTORY = 200
/**
 * The interval of pings. A laptop that slept keeps a dead connection open for minutes; a hub that does not answer in this
 * time is considered gone.
 */
const PING_EVERY_MS = 8000
const SILENCE_MS = 20_000

/** How often a browser without WebSockets asks for events. */
const POLL_EVERY_MS = 3000

/** Replies of the hub to this client, which are not events. */
const ANSWERS = new Set(['pong', 'handles', 'refused'])

export const socketState = signal<SocketState>({ name: 'connecting' })
/** Since when the server has not answered; undefined while it does, and for the first attempts to reach it again. */
export const lostSince = signal<string | undefined>(undefined)

/** The first attempts follow within a second: a server that restarts is not worth a message. */
const QUIET_ATTEMPTS = 2

type Listener = (events: HubEvent[]) => void

/**
 * The connection to the hub. It reconnects by itself with the number of the last event it saw, so that every event is
 * handed on once and in order, whatever happens to the line.
 */
export class HubConnection {
  #socket: WebSocket | undefined
  #timer = 0
  #pinger = 0
  #attempts = 0
  #cursor: number | undefined
  #unnumbered = 0
  #heardAt = 0
  #lostAt = ''
  #listeners = new Set<Listener>()
  #resets = new Set<() => void>()
  #losses = new Set<() => void>()

  /** Registers a listener, which is called with a batch of at least one event. */
  onEvents(listener: Listener): void {
    this.#listeners.add(listener)
  }

  /** Registers a listener that is called when the page may be stale: after a gap, and after every reconnection. */
  onGap(listener: () => void): void {
    this.#resets.add(listener)
  }

  /** Registers a listener that is called whenever the connection is lost, and when an attempt to get it back fails. */
  onLoss(listener: () => void): void {
    this.#losses.add(listener)
  }

  open(): void {
    this.close()
    socketState.value = { name: 'connecting' }
    // A browser without WebSockets asks for the events every few seconds.
    if (typeof WebSocket === 'undefined') return void this.#poll()
    const socket = new WebSocket(this.#address())
    this.#socket = socket
    socket.onmessage = ({ data }) => this.#take(String(data))
    socket.onclose = () => this.#socket === socket && this.#wait()
    this.#heardAt = Date.now()
    this.#pinger = window.setInterval(() => this.#ping(), PING_EVERY_MS)
  }

  close(): void {
    window.clearTimeout(this.#timer)
    window.clearInterval(this.#pinger)
    const socket = this.#socket
    this.#socket = undefined
    socket?.close()
    socketState.value = { name: 'stopped' }
  }

  #address(): string {
    const parameters = new URLSearchParams({ token: token.value, label: 'dashboard' })
    if (this.#cursor === undefined) parameters.set('history', String(HISTORY))
    else parameters.set('since', String(this.#cursor))
    return `${location.protocol === 'https:' ? 'wss' : 'ws'}://${location.host}/hub?${parameters}`
  }

  #take(text: string): void {
    this.#heardAt = Date.now()
    const event = JSON.parse(text) as HubEvent
    if (event.type === 'connected') this.#connected(event)
    else if (event.type === 'live') this.#live(event)
    else if (!ANSWERS.has(event.type)) this.#handOn(event)
  }

  #handOn(event: HubEvent): void {
    if (event.type === 'events-lost') this.#tellOfGap()
    if (typeof event.seq === 'number') {
      if (this.#cursor !== undefined && event.seq <= this.#cursor) return
      this.#cursor = event.seq
    } else {
      // Events that are not stored have no sequence number; list rows need a unique key.
      this.#unnumbered -= 1
      event.seq = this.#unnumbered
    }
    for (const listener of this.#listeners) listener([event])
  }

  #connected(event: HubEvent): void {
    // A sequence number below the cursor means that the journal was recreated: the old cursor would match nothing.
    if (this.#cursor !== undefined && event.seq < this.#cursor) this.#cursor = undefined
    socketState.value = { name: 'replaying' }
  }

  #live(event: HubEvent): void {
    this.#reached()
    if (this.#cursor === undefined || event.seq > this.#cursor) this.#cursor = event.seq
    socketState.value = { name: 'live' }
    this.#tellOfGap()
  }

  #reached(): void {
    this.#attempts = 0
    this.#lostAt = ''
    lostSince.value = undefined
  }

  #tellOfGap(): void {
    for (const reset of this.#resets) reset()
  }

  /** Asks for the events since the last one, for a browser without WebSockets. */
  async #poll(): Promise<void> {
    try {
      const since = this.#cursor
      const query = since === undefined ? { limit: HISTORY } : { since }
      const { events, cursor } = await ask<{ events: HubEvent[]; cursor: number }>('/api/memory/events', { query })
      for (const event of events) this.#handOn(event)
      this.#reached()
      this.#cursor = Math.max(cursor, this.#cursor ?? 0)
      if (socketState.peek().name !== 'polling') this.#tellOfGap()
      socketState.value = { name: 'polling' }
      this.#timer = window.setTimeout(() => void this.#poll(), POLL_EVERY_MS)
    } catch {
      this.#wait()
    }
  }

  #ping(): void {
    if (Date.now() - this.#heardAt > SILENCE_MS) this.open()
    else if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send('{"type":"ping"}')
  }

  #wait(): void {
    window.clearInterval(this.#pinger)
    const delay = DELAYS_MS[Math.min(this.#attempts, DELAYS_MS.length - 1)] ?? 8000
    this.#attempts += 1
    if (this.#lostAt === '') this.#lostAt = new Date().toISOString()
    const attempts = this.#attempts
    socketState.value = { name: 'waiting', until: Date.now() + delay, attempts }
    if (attempts > QUIET_ATTEMPTS) lostSince.value = this.#lostAt
    this.#timer = window.setTimeout(() => this.open(), delay)
    for (const lose of this.#losses) lose()
  }
}

export const hub = new HubConnection()
