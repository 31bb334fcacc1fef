// Plan Forge's hub API: a synchronous `broadcast` that never throws, a ring buffer of events, and requests within the
// process. The stream, its limits and its authentication are those of `forge-memory/hub`.
import type { IncomingMessage } from 'node:http'
import type { WebSocket } from 'ws'
import { complete, type HubEvent } from '../hub/event.js'
import type { Auth } from '../hub/gate.js'
import { HISTORY_MAX, type HubSettings, Hub as LiveHub } from '../hub/hub.js'
import { openHub } from '../hub/open.js'
import { type HubPorts, isAlive, readPortsFile, readHubPort as servedPort } from '../hub/ports.js'
import type { AskAnswer, AskHandler, AskSpan, Pending } from '../hub/requests.js'
import { targetOf } from '../hub/target.js'
import { publishEvents } from '../native.js'
import { isLoopback } from '../openbrain/settings.js'
import { variable } from '../shared/environment.js'
import { problem } from '../shared/problem.js'
import { readRunEvents } from './run-log.js'
import { numberIn, optionsIn, softly, textIn, warn } from './soft.js'

/** The maximum number of run logs that are loaded at start-up. */
const RUNS = 3
/**
 * The maximum number of own events that may be pending. An event that another process removed from the file never comes
 * back.
 */
const OWN_MAX = 10_000

/** The part of the interface of a `ws` server that the hub uses. */
export interface SocketServer {
  on(event: 'connection', listener: (ws: WebSocket, request: IncomingMessage) => void): unknown
  close(): unknown
}

/** The live event stream of a project with the interface of Plan Forge's hub. */
export class Hub extends LiveHub {
  /** The newest events of all processes, oldest first. */
  readonly eventHistory: HubEvent[] = []
  private runEvents: HubEvent[] = []
  /** Own events that were written, and have not been read back from the file yet. */
  private readonly own = new Set<string>()

  constructor(wss: SocketServer | null, port: number, cwd: string, settings: Omit<HubSettings, 'projectDir'> = {}) {
    super({ ...settings, projectDir: cwd })
    this.port = port
    wss?.on('connection', (ws, request) => this.receive(ws, request))
    if (wss) this.onClose(() => void wss.close())
    this.on('event', (event: HubEvent) => this.note(event))
  }

  /** Stores an event and sends it to every client. Never throws: a failure is reported on standard error. */
  override broadcast(event: HubEvent, options: { durable?: boolean } = {}): void {
    softly(
      () => {
        const enriched = complete(event)
        super.broadcast(enriched, options)
        if (options.durable !== false) this.remember(enriched)
      },
      ({ message }) => warn(`the event was not broadcast: ${message}`),
    )
  }

  /** Appends an event to the file and returns its sequence number. */
  _appendDurableEvent(event: HubEvent): number {
    return publishEvents([JSON.stringify(event)], { projectDir: this.projectDir })
  }

  /** Returns the newest events of the ring buffer, all of them when `count` is 0. */
  override getHistory(count = HISTORY_MAX): HubEvent[] {
    return this.eventHistory.slice(-(numberIn(count) ?? HISTORY_MAX))
  }

  /** Loads the logs of the newest runs into the ring buffer, without broadcasting or writing anything. */
  rehydrateFromRuns(runCount = RUNS): { runsScanned: number; eventsLoaded: number } {
    const { runs, events } = readRunEvents(this.projectDir, numberIn(runCount) ?? RUNS)
    const known = new Set(this.eventHistory.map(nameOf))
    this.runEvents = events.slice(-HISTORY_MAX).filter((event) => !known.has(nameOf(event)))
    this.eventHistory.unshift(...this.runEvents)
    this.eventHistory.splice(0, this.eventHistory.length - HISTORY_MAX)
    return { runsScanned: runs, eventsLoaded: this.runEvents.length }
  }

  /** Loads the events of the event file into the ring buffer. */
  rehydrateFromFile(): void {
    for (const event of super.getHistory(HISTORY_MAX)) this.remember(event)
  }

  /** Closes the port and the file before it returns. The promise resolves when every client is disconnected. */
  override close(): Promise<void> {
    softly(() => this.pump(), undefined)
    // Plan Forge's hub closes with code 1000, on which its clients reconnect.
    for (const client of this.clients.values()) client.close(1000, '')
    return super.close()
  }

  /** Asks the responder of a topic. An invalid topic has no responder. */
  override ask(
    topic: string,
    payload?: unknown,
    options: { timeoutMs?: number; correlationId?: string } = {},
  ): Promise<AskAnswer> {
    return super.ask(textIn(topic) ?? '', payload, optionsIn(options))
  }

  /** Registers a responder. A reply that arrives after the timeout is reported on standard error. */
  override onAsk(topic: string, handler: AskHandler): void {
    if (this._responders.has(topic)) throw problem('INVALID_INPUT', `Responder already registered for topic: ${topic}`)
    super.onAsk(topic, async (payload, details) => {
      const answer = await handler(payload, details)
      if (!this._pendingAsks.has(details.requestId)) warn(`late respond dropped: ${topic} had been given up`)
      return answer
    })
  }

  get _askSpans(): AskSpan[] {
    return this.requests.spans
  }

  get _pendingAsks(): Map<string, Pending> {
    return this.requests.pending
  }

  get _responders(): Map<string, AskHandler> {
    return this.requests.responders
  }

  protected override append(text: string): void {
    const event = JSON.parse(text) as HubEvent
    const seq = this._appendDurableEvent(event)
    if (this.own.size > OWN_MAX) this.own.clear()
    this.own.add(`${seq} ${event.type}`)
    // The engine appends the event of the preload after `run-started` and returns the number of that one.
    if (event.type === 'run-started') this.own.add(`${seq - 1} ${event.type}`)
  }

  protected override earlier(): HubEvent[] {
    return this.runEvents
  }

  /** Adds an event to the ring buffer unless this process has added it already. */
  private note(event: HubEvent): void {
    if (event.seq !== undefined && !this.own.delete(`${event.seq} ${event.type}`)) this.remember(event)
  }

  private remember(event: HubEvent): void {
    this.eventHistory.push(event)
    if (this.eventHistory.length > HISTORY_MAX) this.eventHistory.shift()
  }

  /** Connections through the caller's server are authenticated like those through the hub's own. */
  private receive(ws: WebSocket, request: IncomingMessage): void {
    const refusal = softly(
      () => this.refusalOf(request),
      ({ message }) => ({ status: 400, code: 'INVALID_INPUT', reason: message }),
    )
    if (refusal) ws.close(1008, refusal.reason.slice(0, 120))
    else this.join(ws, request.socket, targetOf(request).searchParams)
  }
}

function nameOf({ type, timestamp, data }: HubEvent): string {
  return JSON.stringify([type, timestamp, data])
}

export interface HubOptions {
  /** The first port to try; 3101 when absent. The next nine are tried when it is in use. */
  port?: number
  cwd?: string
  projectDir?: string
  host?: string
  token?: string
  /**
   * `local` admits programs of this user without a token, because Plan Forge's clients know none; the default, unless a
   * token is given, `host` is reachable from other machines, or `FORGE_HUB_AUTH` says otherwise.
   */
  auth?: Auth
}

/** Starts a hub and loads the events of the newest runs. */
export async function createHub(options: HubOptions = {}): Promise<Hub> {
  const { projectDir: folder, ...given } = optionsIn(options)
  const { port, cwd = folder ?? process.cwd(), host = '127.0.0.1', ...settings } = given
  if (cwd !== (folder ?? cwd)) throw problem('INVALID_INPUT', 'cwd: names a different folder than projectDir')
  if (typeof host !== 'string') throw problem('INVALID_INPUT', 'host: expected a name or an address')
  const hub = new Hub(null, 0, cwd, { auth: authFor(host, settings.token), ...settings, hosts: [host] })
  hub.rehydrateFromFile()
  softly(
    () => hub.rehydrateFromRuns(),
    ({ message }) => {
      warn(`the runs could not be read: ${message}`)
      return { runsScanned: 0, eventsLoaded: 0 }
    },
  )
  await openHub(hub, port, host)
  return hub
}

function authFor(host: string, token: string | undefined): Auth {
  if (token !== undefined || !isLoopback(host)) return 'token'
  return variable('FORGE_HUB_AUTH') as Auth
}

/** Returns the content of the project's ports file, whichever tool wrote it; null when no hub is running. */
export function readHubPort(cwd: string): HubPorts | null {
  const served = servedPort(cwd)
  if (served !== null) return served
  return softly(() => {
    const ports = readPortsFile(cwd)
    return ports !== null && isAlive(ports.pid) ? ports : null
  }, null)
}
