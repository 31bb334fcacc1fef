import { findProject, OpenBrainDrain, type QueuedAgain, queueStatus } from '../native.js'
import { noteDelivered } from '../openbrain/backlog.js'
import { openStore } from '../openbrain/client/open.js'
import { ownNameOf } from '../openbrain/client/project-names.js'
import { receiveFrom } from '../openbrain/client/receive.js'
import { refreshReplicaFrom } from '../openbrain/client/replica.js'
import { StoreFailure } from '../openbrain/failure.js'
import { Handshakes } from '../openbrain/handshakes.js'
import { readSettings, storePlace } from '../openbrain/settings.js'
import type { Backend, ThoughtStore } from '../openbrain/store.js'
import { given } from '../shared/given.js'
import { onlyKnown } from '../shared/known.js'
import { embedRest } from './embedding.js'
import { nothingDone, type PassReport, runPass } from './pass.js'
import { type DrainOptions, runningDrain } from './running.js'
import { Taken, unlessAway } from './taken.js'

/** The result of a drain. */
export interface DrainReport extends PassReport {
  /** `done`: nothing is due any more · `busy`, `misconfigured`: the store accepted nothing · `stopped`: on request. */
  state: 'done' | 'busy' | 'misconfigured' | 'stopped'
  reason?: string
  backend: Backend | null
  /** The address of the store, without user, password or key. */
  place: string
  /** The number of vectors computed for thoughts without one. */
  embedded: number
  /** The number of records left in the queue. */
  queued: number
  deadLetters: number
  /** Records queued again, because the store had gone back to an earlier state. */
  resent?: QueuedAgain
  /** At the first delivery to a store of several people: the name of the project, when only this folder can have it. */
  ownName?: string
}

/**
 * Delivers everything in the queue once, including records in back-off. Throws `LOCKED` when another process
 * drains this project at the moment.
 */
export async function drainOnce(options: DrainOptions = {}): Promise<DrainReport> {
  onlyKnown(options, { projectDir: true, maxBatch: true, source: true, signal: true, onProgress: true })
  const projectDir = findProject(options.projectDir === undefined ? {} : { projectDir: options.projectDir })
  const report = await runningDrain(projectDir)?.passNow(options)
  if (report !== undefined) {
    return { ...report, ...endOf(report, options.signal), ...targetOf(projectDir), ...leftOf(projectDir), embedded: 0 }
  }
  const drain = OpenBrainDrain.open({ projectDir })
  let store: ThoughtStore | undefined
  try {
    const settings = readSettings(projectDir)
    store = await openStore(settings)
    const taken = new Taken(settings, store)
    const resent = await taken.sendLost()
    const pass = await passOver(projectDir, drain, { store, taken }, options)
    const isFirst = pass.delivered > 0 && noteDelivered(settings)
    if (pass.problem === undefined) await receiveFrom(store, settings).catch(unlessAway)
    // The delivery is complete; duplicates at the server are searched again at the next drain.
    await store.removeDuplicates?.(true).catch(() => undefined)
    const embedded = await embedAll(store, options.signal)
    // For hooks: derived, and read again at the next need.
    await refreshReplicaFrom(store, settings).catch(() => undefined)
    const report = {
      ...pass,
      ...endOf(pass, options.signal),
      ...targetOf(projectDir),
      ...leftOf(projectDir),
      embedded,
      ...given({ ownName: isFirst ? ownNameOf(settings) : undefined }),
    }
    return resent === undefined ? report : { ...report, resent }
  } catch (error) {
    if (!(error instanceof StoreFailure)) throw error
    const state = error.kind === 'misconfigured' ? 'misconfigured' : 'busy'
    return {
      ...nothingDone(),
      state,
      reason: error.message,
      ...targetOf(projectDir),
      ...leftOf(projectDir),
      embedded: 0,
    }
  } finally {
    drain.close()
    await store?.close()
  }
}

async function passOver(
  projectDir: string,
  drain: OpenBrainDrain,
  { store, taken }: { store: ThoughtStore; taken: Taken },
  { source = 'drain', maxBatch, signal, onProgress }: DrainOptions,
): Promise<PassReport> {
  await drain.resume()
  const report = await runPass({
    drain,
    store,
    handshakes: new Handshakes(store),
    taken,
    ...given({ maxBatch, signal }),
    ...(onProgress && { onProgress: (pass) => onProgress({ ...pass, waiting: queueStatus({ projectDir }).queued }) }),
  })
  if (report.attempted > 0) await drain.record({ source, ...counts(report) })
  return report
}

/** An embedder that is down must not fail a completed delivery. */
async function embedAll(store: ThoughtStore, signal: AbortSignal | undefined): Promise<number> {
  let made = 0
  await embedRest(store, signal, (progress) => {
    made += progress.made
  }).catch(() => undefined)
  return made
}

function targetOf(projectDir: string): Pick<DrainReport, 'backend' | 'place'> {
  try {
    const { target } = readSettings(projectDir)
    return { backend: target.backend, place: storePlace(target) }
  } catch {
    // The settings name no store; the reason in the report says why.
    return { backend: null, place: '' }
  }
}

/** Returns the numbers that are recorded in the statistics. */
export function counts({ attempted, delivered, deferred, dlq, failed, durationMs }: PassReport) {
  return { attempted, delivered, deferred, dlq, failed, durationMs }
}

function endOf({ problem }: PassReport, signal: AbortSignal | undefined): Pick<DrainReport, 'state' | 'reason'> {
  if (problem !== undefined) return { state: problem.kind, reason: problem.reason }
  return { state: signal?.aborted ? 'stopped' : 'done' }
}

function leftOf(projectDir: string): { queued: number; deadLetters: number } {
  const { queued, deadLetters } = queueStatus({ projectDir })
  return { queued, deadLetters }
}
