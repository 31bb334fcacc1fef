// The hub by the older tool's names: a synchronous and soft `broadcast`, a ring of events, questions within the process. The stream
// itself, its limits and its checks are those of `forge-memory/hub`.
import type { IncomingMessage } from 'node:http'
import type { WebSocket } from 'ws'
import { complete, type HubEvent } from '../hub/event.js'
import { HISTORY_MAX, type HubSettings, Hub as LiveHub } from '../hub/hub.js'
import { openHub } from '../hub/open.js'
import { type HubPorts, isAlive, readPortsFile, readHubPort as servedPort } from '../hub/ports.js'
import type { AskHandler, AskSpan, Pending } from '../hub/requests.js'
import { targetOf } from '../hub/target.js'
import { publishEvents } from '../native.js'
import { problem } from '../shared/problem.js'
import { readRunEvents } from './run-log.js'
import { softly, warn } from './soft.js'

/** How many runs are read at the start. */
const RUNS = 3
/** How many events of our own are waited for at most: those that others removed from the file never come. */
const OWN_MAX = 10_000

/** What the hub needs of a WebSocket server of the caller's. */
export interface SocketServer {
  on(event: 'connection', listener: (ws: WebSocket, request: IncomingMessage) => void): unknown
  close(): unknown
}

/** The live stream of a project's events, as the older tool knows it. */
export class Hub extends LiveHub {
  /** The newest events of all processes, oldest first. */
  readonly eventHistory: HubEvent[] = []
  private runEvents: HubEvent[] = []
  /** Events of our own that the file is going to tell of. */
  private readonly own = new Set<string>()

  constructor(wss: SocketServer | null, port: number, cwd: string, settings: Omit<HubSettings, 'projectDir'> = {}) {
    super({ ...settings, projectDir: cwd })
    this.port = port
    wss?.on('connection', (ws, request) => this.receive(ws, request))
    if (wss) this.onClose(() => void wss.close())
    this.on('event', (event: HubEvent) => this.note(event))
  }

  /** Stores an event and sends it to every client. Never throws: what cannot be broadcast is told on standard error. */
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

  /** Writes an event to the file and returns its number. */
  _appendDurableEvent(event: HubEvent): number {
    return publishEvents([JSON.stringify(event)], { projectDir: this.projectDir })
  }

  /** Returns the last events of the ring; all of them for 0. */
  override getHistory(count = HISTORY_MAX): HubEvent[] {
    return this.eventHistory.slice(-count)
  }

  /** Reads the logs of the newest runs into the ring. Nothing is broadcast, and nothing written. */
  rehydrateFromRuns(runCount = RUNS): { runsScanned: number; eventsLoaded: number } {
    const { runs, events } = readRunEvents(this.projectDir, runCount)
    const known = new Set(this.eventHistory.map(nameOf))
    this.runEvents = events.slice(-HISTORY_MAX).filter((event) => !known.has(nameOf(event)))
    this.eventHistory.unshift(...this.runEvents)
    this.eventHistory.splice(0, this.eventHistory.length - HISTORY_MAX)
    return { runsScanned: runs, eventsLoaded: this.runEvents.length }
  }

  /** Reads what the event file has into the ring. */
  rehydrateFromFile(): void {
    for (const event of super.getHistory(HISTORY_MAX)) this.remember(event)
  }

  /** An answer that comes too late is told of. */
  override onAsk(topic: string, handler: AskHandler): void {
    super.onAsk(topic, async (payload, details) => {
      const answer = await handler(payload, details)
      if (!this._pendingAsks.has(details.requestId)) warn(`the answer to ${topic} came too late and was dropped`)
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
    // A run that starts is followed by what it preloads, whose number the engine answers then.
    if (event.type === 'run-started') this.own.add(`${seq - 1} ${event.type}`)
  }

  protected override earlier(): HubEvent[] {
    return this.runEvents
  }

  /** Takes an event that went by: those of other processes are new to the ring. */
  private note(event: HubEvent): void {
    if (event.seq !== undefined && !this.own.delete(`${event.seq} ${event.type}`)) this.remember(event)
  }

  private remember(event: HubEvent): void {
    this.eventHistory.push(event)
    if (this.eventHistory.length > HISTORY_MAX) this.eventHistory.shift()
  }

  /** A connection of the caller's server passes the same checks as one of ours. */
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
  /** The first port to try; 3101 when absent. The next nine when it is taken. */
  port?: number
  cwd?: string
  projectDir?: string
  host?: string
  token?: string
  /** `local` lets every program of this machine in without a token. */
  auth?: 'token' | 'local'
}

/** Starts a hub, with the events of the newest runs. */
export async function createHub(options: HubOptions = {}): Promise<Hub> {
  const { port, cwd = options.projectDir ?? process.cwd(), projectDir = cwd, host = '127.0.0.1', ...settings } = options
  if (cwd !== projectDir) throw problem('INVALID_INPUT', 'cwd: names a different folder than projectDir')
  const hub = new Hub(null, 0, cwd, { ...settings, hosts: [host] })
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

/** Returns what the project's ports file says; null when no hub serves it, whichever tool has written it. */
export function readHubPort(cwd: string): HubPorts | null {
  const served = servedPort(cwd)
  if (served !== null) return served
  return softly(
    () => {
      const ports = readPortsFile(cwd)
      return ports !== null && isAlive(ports.pid) ? ports : null
    },
    () => null,
  )
}
