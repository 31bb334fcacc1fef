// The polling publisher of the transactional outbox: wakes on a change of the queue and on a timer, backs off while the store is busy,
// and pauses while it is misconfigured (a circuit breaker that the handshake closes again).
import { EventEmitter } from 'node:events'
import { findProject, OpenBrainDrain, projectNames, queueStatus } from '../native.js'
import { noteDelivered } from '../openbrain/backlog.js'
import { openStore } from '../openbrain/client/open.js'
import { receiveFrom } from '../openbrain/client/receive.js'
import { refreshReplicaFrom } from '../openbrain/client/replica.js'
import { asFailure, type Handshake, Handshakes } from '../openbrain/handshakes.js'
import { readSettings, type StoreSettings } from '../openbrain/settings.js'
import type { ThoughtStore } from '../openbrain/store.js'
import { untrusted } from '../openbrain/trust.js'
import { onlyKnown } from '../shared/known.js'
import { hasCode } from '../shared/problem.js'
import { counts } from './drain.js'
import type { DrainEvents, DrainState, DrainWorker, DrainWorkerOptions } from './drain-worker.js'
import { embedRest } from './embedding.js'
import { nothingDone, type PassProblem, type PassReport, runPass } from './pass.js'
import { QueueWatcher } from './queue-watcher.js'
import { type DrainOptions, type RunningDrain, register, unregister } from './running.js'
import { Taken } from './taken.js'

const INTERVAL_MS = 30_000
const STANDBY_MS = 5000
/** How soon a store that is away is asked again. */
const AWAY_MS = 3000
/** The length of a pause without a change of settings, after which the server may have been fixed. */
const PAUSE_MS = 5 * 60_000
const TIMER_MAX_MS = 2 ** 31 - 1

/** Creates a worker that drains a project's queue. It does nothing before `start`. */
export function createDrainWorker(options: DrainWorkerOptions = {}): DrainWorker {
  onlyKnown(options, { projectDir: true, intervalMs: true, maxBatch: true })
  return new QueueDrainer(options)
}

/** Drains a project's queue into its store: on a capture, on a timer, and at its start. Keeps no process alive. */
class QueueDrainer extends EventEmitter<DrainEvents> implements DrainWorker, RunningDrain {
  readonly #projectDir: string
  readonly #intervalMs: number
  readonly #maxBatch: number | undefined
  #state: DrainState = 'stopped'
  #reason: string | undefined
  #stopping = new AbortController()
  #running: Promise<void> | undefined
  #isWokenAgain = false
  #timer: NodeJS.Timeout | undefined
  #queueWatcher: QueueWatcher | undefined
  #drain: OpenBrainDrain | undefined
  #connection: Connection | undefined
  #pausedAt = 0
  #isAway = false
  #hasReplayed = false

  constructor({ projectDir, intervalMs, maxBatch }: DrainWorkerOptions) {
    super()
    this.#projectDir = findProject(projectDir === undefined ? {} : { projectDir })
    this.#intervalMs = intervalMs ?? INTERVAL_MS
    this.#maxBatch = maxBatch
  }

  get state(): DrainState {
    return this.#state
  }

  /** Why it is waiting or paused. */
  get reason(): string | undefined {
    return this.#reason
  }

  /** The capabilities of the store at the last handshake. */
  get handshake(): Handshake | undefined {
    return this.#connection?.handshakes.last
  }

  start(): this {
    if (this.#state !== 'stopped') return this
    this.#stopping = new AbortController()
    this.#hasReplayed = false
    this.#queueWatcher = new QueueWatcher(this.#projectDir, () => this.wake())
    this.#become('standby')
    this.wake()
    return this
  }

  /** Checks the queue now. May be called at any time. */
  wake(): void {
    if (this.#state === 'stopped' || this.#stopping.signal.aborted) return
    if (this.#running !== undefined) {
      this.#isWokenAgain = true
      return
    }
    clearTimeout(this.#timer)
    this.#running = this.#run().finally(() => {
      this.#running = undefined
      if (!this.#isWokenAgain) return
      this.#isWokenAgain = false
      this.wake()
    })
  }

  async refreshReplica(): Promise<boolean> {
    const connection = this.#connection
    if (connection?.name !== JSON.stringify(readSettings(this.#projectDir))) return false
    if (untrusted(connection.settings).length > 0) return false
    await refreshReplicaFrom(connection.store, connection.settings)
    return true
  }

  /** Makes a pass over the whole queue at once; undefined when another process drains this project. */
  async passNow(options: DrainOptions): Promise<PassReport | undefined> {
    while (this.#running !== undefined) await this.#running
    const pass = this.#passNow(options)
    this.#running = pass.then(
      () => undefined,
      () => undefined,
    )
    try {
      return await pass
    } finally {
      this.#running = undefined
      if (!this.#stopping.signal.aborted) this.#sleep(this.#intervalMs)
      this.wake()
    }
  }

  async #passNow(options: DrainOptions): Promise<PassReport | undefined> {
    const drain = this.#drain
    if (drain === undefined) return undefined
    const connection = await this.#connect()
    if (connection === undefined) {
      const problem: PassProblem = { kind: 'misconfigured', reason: this.#reason ?? '', isAway: true }
      return { ...nothingDone(), problem }
    }
    await drain.resume()
    return this.#deliver(drain, connection, options.source ?? 'drain', options)
  }

  /** Stops after the current batch; the rest stays in the queue. */
  async stop(): Promise<void> {
    if (this.#state === 'stopped') return
    this.#stopping.abort()
    clearTimeout(this.#timer)
    this.#queueWatcher?.close()
    await this.#running
    await this.#disconnect()
    this.#letGo()
    this.#become('stopped')
  }

  /** Releases leased records, which become pending again. */
  #letGo(): void {
    unregister(this.#projectDir, this)
    this.#drain?.close()
    this.#drain = undefined
  }

  async #run(): Promise<void> {
    try {
      const isFirst = this.#drain === undefined
      if (isFirst && !(await this.#takeOver())) return this.#sleep(Math.min(STANDBY_MS, this.#intervalMs))
      await this.#pass(isFirst ? 'initialize-drain' : 'drain')
    } catch (error) {
      // The disk of the project may be full or unavailable: the queue stays as it is and is checked again later.
      this.#letGo()
      this.#become('waiting', asFailure(error).message)
      this.#sleep(this.#intervalMs)
    }
  }

  /** Takes the drain lock: one process drains a project. Dead letters are retried once then. */
  async #takeOver(): Promise<boolean> {
    try {
      this.#drain = OpenBrainDrain.open({ projectDir: this.#projectDir })
    } catch (error) {
      if (!hasCode(error, 'LOCKED')) throw error
      this.#become('standby')
      return false
    }
    await this.#drain.resume()
    // Once per start: a record that is rejected again must not be retried forever.
    if (!this.#hasReplayed) await this.#drain.replayDeadLetters()
    this.#hasReplayed = true
    register(this.#projectDir, this)
    return true
  }

  async #pass(source: string): Promise<void> {
    const drain = this.#drain
    if (drain === undefined) return
    const connection = await this.#connect()
    if (connection === undefined) return
    if (this.#state === 'paused' && !(await this.#isWorthAnotherTry(connection.isNew)))
      return this.#sleep(this.#intervalMs)
    if (this.#state === 'waiting' && this.#isAway) await this.#resumeIfBack(connection)
    await connection.sendLost()
    if (!(await this.#isDue())) return this.#rest(connection)
    await this.#deliver(drain, connection, source)
    await this.#rest(connection)
  }

  async #deliver(drain: OpenBrainDrain, connection: Connection, source: string, options: DrainOptions = {}) {
    this.#become('draining')
    const maxBatch = options.maxBatch ?? this.#maxBatch
    const { onProgress, signal } = options
    const stopping = this.#stopping.signal
    const report = await runPass({
      drain,
      store: connection.store,
      handshakes: connection.handshakes,
      taken: connection.taken,
      signal: signal === undefined ? stopping : AbortSignal.any([stopping, signal]),
      onProgress: (progress) => {
        this.emit('progress', progress)
        onProgress?.({ ...progress, waiting: queueStatus({ projectDir: this.#projectDir }).queued })
      },
      ...(maxBatch === undefined ? {} : { maxBatch }),
    })
    if (report.delivered > 0) noteDelivered(connection.settings)
    if (report.attempted > 0) {
      await drain.record({ source, ...counts(report) })
      this.emit('pass', { ...report, source })
    }
    this.#applyProblem(report.problem)
    return report
  }

  /** The state is `draining` only when records are due, not when some wait for their back-off. */
  async #isDue(): Promise<boolean> {
    const due = await this.#drain?.nextDueAt()
    return due != null && Date.parse(due) <= Date.now()
  }

  #applyProblem(problem: PassProblem | undefined): void {
    this.#isAway = problem?.isAway ?? false
    if (problem?.kind === 'misconfigured') this.#pausedAt = Date.now()
    if (problem === undefined) this.#become('idle')
    else this.#become(problem.kind === 'busy' ? 'waiting' : 'paused', problem.reason)
  }

  /** Waits for the next event. While idle, the background work of the store runs. */
  async #rest(connection: Connection): Promise<void> {
    if (this.#stopping.signal.aborted) return
    const due = await this.#drain?.nextDueAt()
    if (this.#state === 'standby' || (this.#state === 'waiting' && due == null)) this.#become('idle')
    if (this.#state === 'idle') await connection.attend(this.#stopping.signal)
    const atMost = this.#state === 'waiting' && this.#isAway ? Math.min(AWAY_MS, this.#intervalMs) : this.#intervalMs
    this.#sleep(due == null ? atMost : Math.min(Date.parse(due) - Date.now(), atMost))
  }

  /** When the store answers the handshake again, all records become due, regardless of their back-off. */
  async #resumeIfBack({ handshakes }: Connection): Promise<void> {
    try {
      if (!(await handshakes.current()).capabilities.isWaiting) await this.#drain?.resume()
      else handshakes.forget()
    } catch {
      // Still unreachable; the engine schedules the next delivery.
      return
    }
  }

  async #isWorthAnotherTry(isNew: boolean): Promise<boolean> {
    if (!isNew && Date.now() - this.#pausedAt < PAUSE_MS) return false
    await this.#drain?.resume()
    return true
  }

  /** Opens the store that the settings name now; a change of settings opens another one. */
  async #connect(): Promise<Connection | undefined> {
    try {
      const settings = readSettings(this.#projectDir)
      const name = JSON.stringify(settings)
      if (this.#connection?.name === name) {
        this.#connection.isNew = false
        return this.#connection
      }
      await this.#disconnect()
      this.#connection = new Connection(name, settings, await openStore(settings), this)
      return this.#connection
    } catch (error) {
      await this.#disconnect()
      this.#pausedAt = Date.now()
      this.#become('paused', asFailure(error).message)
      this.#sleep(this.#intervalMs)
      return undefined
    }
  }

  async #disconnect(): Promise<void> {
    const connection = this.#connection
    this.#connection = undefined
    await connection?.close()
  }

  #sleep(milliseconds: number): void {
    clearTimeout(this.#timer)
    if (this.#stopping.signal.aborted) return
    this.#timer = setTimeout(() => this.wake(), Math.min(Math.max(milliseconds, 20), TIMER_MAX_MS))
    this.#timer.unref()
  }

  #become(state: DrainState, reason?: string): void {
    if (state === this.#state && reason === this.#reason) return
    this.#state = state
    this.#reason = reason
    this.emit('state', state, reason)
  }
}

/** An open store, and its background work. */
class Connection {
  readonly name: string
  readonly settings: StoreSettings
  readonly store: ThoughtStore
  readonly handshakes: Handshakes
  readonly taken: Taken
  isNew = true
  #lookedAt = 0
  readonly #worker: QueueDrainer
  #stopListening: (() => Promise<void>) | undefined
  /** The names of the project whose changes are followed. */
  #followed = ''

  constructor(name: string, settings: StoreSettings, store: ThoughtStore, worker: QueueDrainer) {
    this.name = name
    this.settings = settings
    this.store = store
    this.handshakes = new Handshakes(store, (handshake) => worker.emit('handshake', handshake))
    this.#worker = worker
    this.taken = new Taken(settings, store)
  }

  /** Notices that the store was restored from a backup: at first, and again now and then, because nothing else tells. */
  async sendLost(): Promise<void> {
    if (Date.now() - this.#lookedAt < PAUSE_MS) return
    this.#lookedAt = Date.now()
    await this.taken.sendLost()
  }

  /** While idle: listens for thoughts of other machines, and computes missing vectors. Neither may fail a pass. */
  async attend(signal: AbortSignal): Promise<void> {
    try {
      const names = projectNames({ projectDir: this.settings.projectDir })
      if (this.#followed !== JSON.stringify(names)) await this.#stopFollowing()
      this.#followed = JSON.stringify(names)
      this.#stopListening ??= await this.store.listen?.(
        (thought) => this.#worker.emit('thought', thought),
        (thought) => this.#worker.emit('forgotten', thought),
        names,
      )
      await receiveFrom(this.store, this.settings)
      await this.store.removeDuplicates?.(false)
      await this.#embed(signal)
    } catch {
      // It is retried when the worker is idle; passes report a store that is unreachable.
      return
    }
  }

  async #embed(signal: AbortSignal): Promise<void> {
    const last = await embedRest(this.store, signal, (progress) => this.#worker.emit('embedding', progress))
    if (last !== undefined) this.#worker.emit('vectors', last)
  }

  async close(): Promise<void> {
    await this.#stopFollowing()
    await this.store.close()
  }

  async #stopFollowing(): Promise<void> {
    const stop = this.#stopListening
    this.#stopListening = undefined
    await stop?.().catch(() => undefined)
  }
}
