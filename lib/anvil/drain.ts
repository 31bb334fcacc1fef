import { findProject, OpenBrainDrain, type ProjectOptions, queueStatus } from '../../index.js'
import { asFailure, Handshakes } from '../openbrain/handshakes.js'
import { openStore } from '../openbrain/open.js'
import { placeOf, readSettings } from '../openbrain/settings.js'
import type { Backend, ThoughtStore } from '../openbrain/store.js'
import { type PassReport, runPass } from './pass.js'

export interface DrainOptions extends ProjectOptions {
  /** How many records are delivered at once; as many as the store takes when absent. */
  maxBatch?: number
  /** Who drains, as the statistics name it. */
  source?: string
  signal?: AbortSignal
  onProgress?: (report: PassReport & { waiting: number }) => void
}

/** What one drain did. */
export interface DrainReport extends PassReport {
  /** `done`: nothing that is due is left · `busy`, `misconfigured`: the store took nothing · `stopped`: on order. */
  state: 'done' | 'busy' | 'misconfigured' | 'stopped'
  /** Why, in plain words, where it is not done. */
  reason?: string
  backend: Backend | null
  /** Where the store is, without user, password or key. */
  place: string
  /** How many records are left in the queue. */
  queued: number
  deadLetters: number
}

/**
 * Delivers everything that waits, once, also what was to be tried again only later. Throws `LOCKED` when another process
 * drains this project at the moment.
 */
export async function drainOnce(options: DrainOptions = {}): Promise<DrainReport> {
  const projectDir = findProject(options.projectDir === undefined ? {} : { projectDir: options.projectDir })
  const source = options.source ?? 'drain'
  const drain = OpenBrainDrain.open({ projectDir })
  const nothing: PassReport = { attempted: 0, delivered: 0, deferred: 0, dlq: 0, durationMs: 0, batches: 0 }
  let store: ThoughtStore | undefined
  let target: { backend: Backend | null; place: string } = { backend: null, place: '' }
  try {
    const settings = readSettings(projectDir)
    target = {
      backend: settings.target.backend,
      place: 'url' in settings.target ? placeOf(settings.target.url) : '~/.forge/openbrain.db',
    }
    store = await openStore(settings)
    await drain.resume()
    const { onProgress } = options
    const report = await runPass({
      drain,
      store,
      handshakes: new Handshakes(store),
      ...(options.maxBatch === undefined ? {} : { maxBatch: options.maxBatch }),
      ...(options.signal === undefined ? {} : { signal: options.signal }),
      ...(onProgress && { onProgress: (pass) => onProgress({ ...pass, waiting: queueStatus({ projectDir }).queued }) }),
    })
    if (report.attempted > 0) await drain.record({ source, ...counts(report) })
    return { ...report, ...endOf(report, options.signal), ...target, ...leftOf(projectDir) }
  } catch (error) {
    const failure = asFailure(error)
    const kind = failure.kind === 'misconfigured' ? 'misconfigured' : 'busy'
    if (!(error instanceof Error) || failure !== error) throw error
    return { ...nothing, state: kind, reason: failure.message, ...target, ...leftOf(projectDir) }
  } finally {
    drain.close()
    await store?.close()
  }
}

/** The numbers that go into the statistics. */
export function counts({ attempted, delivered, deferred, dlq, durationMs }: PassReport) {
  return { attempted, delivered, deferred, dlq, durationMs }
}

function endOf({ trouble }: PassReport, signal: AbortSignal | undefined): Pick<DrainReport, 'state' | 'reason'> {
  if (trouble !== undefined) return { state: trouble.kind, reason: trouble.reason }
  return { state: signal?.aborted ? 'stopped' : 'done' }
}

function leftOf(projectDir: string): { queued: number; deadLetters: number } {
  const { queued, deadLetters } = queueStatus({ projectDir })
  return { queued, deadLetters }
}
