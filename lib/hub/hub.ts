import { randomUUID } from 'node:crypto'
import { EventEmitter } from 'node:events'
import type { IncomingMessage, Server } from 'node:http'
import type { Duplex } from 'node:stream'
import { type WebSocket, WebSocketServer } from 'ws'
import { EventTail, findProject, publishEvents, type TailBatch } from '../native.js'
import { isLoopback } from '../openbrain/settings.js'
import { onlyKnown } from '../shared/known.js'
import { codeOf, problem } from '../shared/problem.js'
import { Audience, handlesType } from './audience.js'
import { Client, type ClientInfo, type Drop, readHandles } from './client.js'
import { checkEvent, complete, type HubEvent, serialise } from './event.js'
import { Follower } from './follower.js'
import { type Auth, createToken, Gate, type Refusal } from './gate.js'
import { guard, guardUpgrades } from './guarded-server.js'
import { answerMessage, clipLabel } from './messages.js'
import { Rate } from './rate.js'
import { refuseSocket } from './refuse.js'
import { lossOf, Replay, type ReplayStart, readAll } from './replay.js'
import { type AskAnswer, type AskHandler, Requests } from './requests.js'
import { targetOf } from './target.js'

export const HISTORY_MAX = 500
/** The heartbeat interval. A client that has not answered a ping by the next one is terminated. */
const HEARTBEAT_MS = 12_000
const FRAME_BYTES_MAX = 64 * 1024
const CLIENTS_MAX = 1000
const PATHS = ['/', '/hub']

export interface HubSettings {
  projectDir?: string
  /** The token that clients must present; generated when absent. */
  token?: string
  /** Accepted host names other than those of this machine. */
  hosts?: string[]
  /**
   * `token` when absent. `local` admits programs of this machine without a token, for clients that know none: on Linux
   * those of this user, elsewhere all. Pages of origins other than the hub's and its dashboard's are refused in either mode.
   */
  auth?: Auth
}

/**
 * The live event stream of a project. Each subscriber gets each event once and in order, whichever process appended it to
 * the event file. Emits every event as `event` and under its own type; `client-dropped`, `unsaved` and `failed` report
 * problems.
 */
export class Hub extends EventEmitter {
  readonly projectDir: string
  readonly startedAt = new Date().toISOString()
  readonly gate: Gate
  /** The connected clients, by id. */
  readonly clients = new Map<string, Client>()
  /** The port it listens on; 0 while it does not listen. */
  port = 0
  /** The number of events that could not be stored. */
  unsaved = 0
  private readonly rate = new Rate()
  private readonly audience = new Audience()
  private readonly follower: Follower
  protected readonly requests: Requests
  private readonly sockets: WebSocketServer
  private readonly heartbeat: NodeJS.Timeout
  private readonly closing: (() => void | Promise<void>)[] = []
  private isClosed = false

  constructor(settings: HubSettings = {}) {
    super()
    onlyKnown(settings, { projectDir: true, token: true, hosts: true, auth: true })
    const { projectDir, token, hosts, auth } = settings
    checkAuth(auth, hosts)
    this.projectDir = findProject(projectDir === undefined ? {} : { projectDir })
    this.gate = new Gate(token ?? createToken(), hosts, auth)
    this.requests = new Requests((span) => this.broadcast({ type: 'ask-telemetry', data: span }, { durable: false }))
    this.sockets = new WebSocketServer({
      noServer: true,
      clientTracking: false,
      maxPayload: FRAME_BYTES_MAX,
      perMessageDeflate: false,
    })
    this.follower = new Follower({
      projectDir: this.projectDir,
      wanted: () => this.wanted(),
      take: (batch) => this.take(batch),
      fail: (error) => this.emitSafely('failed', error),
    })
    this.heartbeat = setInterval(() => this.beat(), HEARTBEAT_MS)
    this.heartbeat.unref()
  }

  get token(): string {
    return this.gate.token
  }

  /** The sequence number of the newest event. */
  get seq(): number {
    return this.follower.seq
  }

  /** The rate of matching events per second, over the last ten seconds. */
  get eventsPerSecond(): number {
    return this.rate.perSecond()
  }

  /** Accepts the WebSocket connections of an HTTP server on `/` and `/hub`. */
  attach(server: Server): void {
    guardUpgrades(server, (request, socket, head) => this.admit(request, socket, head))
  }

  /** Registers a function to run when the hub closes. */
  onClose(work: () => void | Promise<void>): void {
    this.closing.push(work)
  }

  /**
   * Stores an event, and sends it to every client that handles it, in this and in other processes. It is in the file when
   * this returns, so that the process may exit right after it. An event that is not `durable` stays in this process, has
   * no sequence number, and is not even serialized when no client handles it. Throws `INVALID_INPUT` for an invalid event,
   * `hub-closed` after `close`.
   */
  broadcast(event: HubEvent, { durable = true }: { durable?: boolean } = {}): void {
    checkEvent(event)
    if (this.isClosed) throw problem('hub-closed', 'the hub was closed')
    if (!durable) {
      if (this.wants(event.type)) this.pass([{ type: event.type, line: serialise(complete(event)) }])
      return
    }
    this.store(serialise(event))
    // Listeners in this process are called asynchronously, as for events of other processes.
    this.follower.pumpSoon()
  }

  /** Returns the newest stored events, oldest first. */
  getHistory(count = HISTORY_MAX): HubEvent[] {
    const found = readAll(EventTail.open({ projectDir: this.projectDir, newest: Math.max(0, Math.trunc(count)) }))
    return found.slice(-count || found.length)
  }

  /** Lists the connected clients. */
  getClients(): ClientInfo[] {
    return [...this.clients.values()].map((client) => client.info())
  }

  /** Asks the responder of a topic in this process. Rejects with `ask-timeout` or `hub-closed`. */
  ask(topic: string, payload?: unknown, options?: { timeoutMs?: number; correlationId?: string }): Promise<AskAnswer> {
    return this.requests.ask(topic, payload, options)
  }

  /** Registers the responder of a topic. Throws `INVALID_INPUT` when the topic has one. */
  onAsk(topic: string, handler: AskHandler): void {
    this.requests.on(topic, handler)
  }

  removeAskHandler(topic: string): boolean {
    return this.requests.remove(topic)
  }

  listResponders(): string[] {
    return this.requests.topics()
  }

  /** Reads the event file now instead of at its next change. */
  pump(): void {
    this.follower.pump()
  }

  /** Returns earlier events that are not in the file. A client without a cursor gets them first. */
  protected earlier(): HubEvent[] {
    return []
  }

  /** Closes all connections, the port and the file. Idempotent. */
  async close(): Promise<void> {
    if (this.isClosed) return
    this.follower.tryToPump()
    this.isClosed = true
    clearInterval(this.heartbeat)
    this.requests.close()
    this.follower.stop()
    for (const client of this.clients.values()) client.close(1001, 'the server closes')
    for (const work of this.closing) await work()
    await this.terminateClients()
    this.sockets.close()
  }

  /** Closes all clients; those that do not acknowledge the close are terminated. */
  private async terminateClients(): Promise<void> {
    for (let waited = 0; this.clients.size > 0 && waited < 500; waited += 10) {
      await new Promise((resolve) => setTimeout(resolve, 10))
    }
    for (const client of this.clients.values()) client.terminate()
    this.clients.clear()
  }

  private store(text: string): void {
    try {
      this.append(text)
    } catch (error) {
      this.unsaved += 1
      const event = complete(JSON.parse(text) as HubEvent)
      queueMicrotask(() => {
        this.emitSafely('unsaved', error)
        // Connected clients get it although it could not be stored.
        this.pass([{ type: event.type, line: JSON.stringify(event) }])
      })
    }
  }

  /** Appends an event to the file, synchronously. */
  protected append(text: string): void {
    publishEvents([text], { projectDir: this.projectDir })
  }

  private take({ events, lost }: TailBatch): void {
    if (lost) this.broadcastLoss(lost)
    this.pass(events)
  }

  private broadcastLoss(lost: { afterSeq: number; beforeSeq: number }): void {
    this.pass([{ type: 'events-lost', line: JSON.stringify(lossOf(lost)) }])
  }

  private pass(events: { type: string; line: string }[]): void {
    this.rate.add(events.length)
    this.audience.deliver(events)
    for (const { type, line } of events) {
      const isHeard = type !== 'error' && this.listenerCount(type) > 0
      if (!isHeard && this.listenerCount('event') === 0) continue
      const event = JSON.parse(line) as HubEvent
      this.emitSafely('event', event)
      if (isHeard) this.emitSafely(type, event)
    }
  }

  /** Emits an event; an exception of a listener does not keep it from the others. */
  private emitSafely(name: string, subject: unknown): void {
    for (const listener of this.rawListeners(name)) {
      try {
        listener.call(this, subject)
      } catch (error) {
        if (name !== 'failed') this.emitSafely('failed', error)
      }
    }
  }

  private wanted(): string[] | undefined {
    if (this.listenerCount('event') > 0) return undefined
    const clients = this.audience.wanted()
    if (clients === undefined) return undefined
    const names = this.eventNames().filter((name): name is string => typeof name === 'string')
    return [...clients, ...names]
  }

  private wants(type: string): boolean {
    return this.listenerCount('event') > 0 || this.listenerCount(type) > 0 || this.audience.wants(type)
  }

  private admit(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const refusal = this.refusalOf(request)
    if (refusal) {
      refuseSocket(socket, refusal)
      return
    }
    this.sockets.handleUpgrade(request, socket, head, (ws) => this.join(ws, socket, targetOf(request).searchParams))
  }

  /** Registers an admitted connection as a client. */
  protected join(ws: WebSocket, socket: Duplex, query: URLSearchParams): void {
    const client = new Client({
      clientId: randomUUID(),
      label: clipLabel(query.get('label') ?? 'anonymous'),
      handles: readHandles(query.get('handles')?.split(',').filter(Boolean) ?? null) ?? null,
      ws,
      socket,
      dropped: (drop) => this.noteDrop(drop),
    })
    this.clients.set(client.clientId, client)
    ws.on('pong', () => {
      client.isAlive = true
    })
    // `ws` closes the connection on an invalid or oversized frame with the right close code.
    ws.on('error', () => undefined)
    ws.on('close', () => this.remove(client))
    ws.on('message', (data, isBinary) =>
      guard(
        () => answerMessage(client, data, isBinary, () => this.regroup(client)),
        () => client.close(1011, 'the message cannot be answered'),
      ),
    )
    void this.acceptClient(client, startOf(query))
  }

  /** Returns why a WebSocket request is refused; undefined when it is admitted. */
  protected refusalOf(request: IncomingMessage): Refusal | undefined {
    const place = this.gate.checkPlace(request)
    if (place) return place
    const url = targetOf(request)
    const refusal = this.gate.checkToken(request, url.searchParams.get('token'))
    if (refusal) return refusal
    if (!PATHS.includes(url.pathname)) return { status: 404, code: 'NOT_FOUND', reason: 'the stream is at /hub' }
    if (!this.isClosed && this.clients.size < CLIENTS_MAX) return undefined
    return { status: 503, code: 'UNAVAILABLE', reason: `${this.clients.size} clients are connected` }
  }

  private async acceptClient(client: Client, start: ReplayStart): Promise<void> {
    try {
      this.follower.pump()
      const resumed = start.since !== undefined && start.since <= this.seq
      const from = resumed ? start : { since: undefined, history: start.history }
      const source = {
        projectDir: this.projectDir,
        until: () => this.follower.position,
        pump: () => this.follower.pump(),
      }
      const earlier = resumed || from.history === 0 ? [] : this.earlier().filter(({ type }) => isHandled(client, type))
      const historySize = earlier.length + Replay.count(source, client.handles, from)
      const replay = new Replay(source, client, from)
      client.send({
        type: 'connected',
        version: '1.0',
        timestamp: new Date().toISOString(),
        clientId: client.clientId,
        label: client.label,
        historySize,
        seq: this.seq,
        resumed,
      })
      for (const event of earlier) client.send(event)
      await replay.run(() => {
        client.send(complete({ type: 'live', seq: this.seq }))
        if (this.clients.has(client.clientId)) this.audience.add(client)
      })
    } catch (error) {
      this.emitSafely('failed', error)
      client.close(1011, `the events cannot be read: ${codeOf(error)}`)
    }
  }

  private regroup(client: Client): void {
    if (!this.audience.has(client)) return
    this.audience.remove(client)
    this.audience.add(client)
  }

  private remove(client: Client): void {
    this.clients.delete(client.clientId)
    this.audience.remove(client)
  }

  private noteDrop(drop: Drop): void {
    const client = this.clients.get(drop.clientId)
    if (client) this.remove(client)
    if (!this.isClosed) setImmediate(() => this.noteDropped(drop))
  }

  private noteDropped(drop: Drop): void {
    if (!this.isClosed) this.broadcast({ type: 'client-dropped', ...drop }, { durable: false })
  }

  private beat(): void {
    for (const client of this.clients.values()) {
      if (client.isAlive) client.ping()
      else client.terminate()
    }
  }
}

/** Refuses `auth: 'local'` for a hub that is reachable from other machines. */
function checkAuth(auth: unknown, hosts: string[] = []): void {
  if (auth === undefined || auth === 'token') return
  if (auth !== 'local') throw problem('INVALID_INPUT', 'auth: expected token or local')
  const open = hosts.find((host) => !isLoopback(host))
  if (open === undefined) return
  throw problem('INVALID_INPUT', `auth: local is for 127.0.0.1 only, not for ${open}; leave host out, or use the token`)
}

function isHandled({ handles }: Client, type: string): boolean {
  return handles === null || handlesType(handles, type)
}

function startOf(query: URLSearchParams): ReplayStart {
  const number = (name: string) => {
    const value = Number(query.get(name) ?? Number.NaN)
    return Number.isFinite(value) && value >= 0 ? value : undefined
  }
  return { since: number('since'), history: Math.min(number('history') ?? HISTORY_MAX, 10_000) }
}
