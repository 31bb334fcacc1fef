import { findProject, type ProjectOptions, queueStatus } from '../../native.js'
import { DoubtfulDeliveries, type DuplicatedThought } from '../doubtful.js'
import { asFailure } from '../handshakes.js'
import { reach } from '../reach.js'
import { placeOf, readSettings, type StoreSettings } from '../settings.js'
import type { Backend, Capabilities, VectorState } from '../store.js'
import { requireTrust, untrusted } from '../trust.js'
import { openStore } from './open.js'

type QueueStatus = ReturnType<typeof queueStatus>

/** How the shared memory is doing, and what waits for it. */
export interface OpenBrainStatus extends Omit<QueueStatus, 'lastDrain'> {
  /** Null when the settings name none. */
  backend: Backend | null
  /** Where it is, without user, password or key. */
  place: string
  reachable: boolean
  /** What it can do; null when it could not be asked. */
  capabilities: Capabilities | null
  /** How many thoughts it holds of all projects; null when it could not be asked. */
  stored: number | null
  /** How many thoughts can be found by meaning; null without an embedder, or when it could not be asked. */
  vectors: VectorState | null
  /** Why it could not be asked, in plain words. */
  problem?: string
  /** What a server has more than once and does not let us delete. */
  doubled: DuplicatedThought[]
  /** Addresses that the project's files name and that are not approved on this machine: nothing is sent there. */
  untrusted: string[]
  lastDrain: QueueStatus['lastDrain'] | null
}

const STATUS_MS = 5000

/** Asks the store what it can do, and the queue what waits. Never throws for a store that is away or set up wrongly. */
export async function status(options: ProjectOptions = {}): Promise<OpenBrainStatus> {
  const projectDir = findProject(options)
  const queue = queueStatus({ projectDir })
  return { ...(await look(projectDir)), ...queue, lastDrain: queue.lastDrain ?? null }
}

type Look = Pick<
  OpenBrainStatus,
  'backend' | 'place' | 'reachable' | 'capabilities' | 'stored' | 'vectors' | 'problem' | 'doubled' | 'untrusted'
>

async function look(projectDir: string): Promise<Look> {
  let settings: StoreSettings
  try {
    settings = readSettings(projectDir)
  } catch (error) {
    const problem = asFailure(error).message
    return { ...UNKNOWN, backend: null, place: '', problem, doubled: [], untrusted: [] }
  }
  const { target } = settings
  const place = target.backend === 'embedded' ? '~/.forge/openbrain.db' : placeOf(target.url)
  const doubled = target.backend === 'remote' ? new DoubtfulDeliveries(place, projectDir).doubled : []
  const known = { backend: target.backend, place, doubled, untrusted: untrusted(settings) }
  try {
    requireTrust(settings)
    await reach(target, settings.reachTimeoutMs)
    return { ...known, reachable: true, ...(await ask(settings)) }
  } catch (error) {
    return { ...known, ...UNKNOWN, problem: asFailure(error).message }
  }
}

const UNKNOWN = { reachable: false, capabilities: null, stored: null, vectors: null }

async function ask(settings: StoreSettings): Promise<Pick<OpenBrainStatus, 'stored' | 'vectors' | 'capabilities'>> {
  const store = await openStore({ ...settings, timeoutMs: Math.min(settings.timeoutMs, STATUS_MS) })
  try {
    const capabilities = await store.handshake()
    const stored = await store.count()
    // An embedder that is down says nothing about the store.
    const vectors = await store.vectors?.().catch(() => undefined)
    return { capabilities, stored, vectors: vectors ?? null }
  } finally {
    store.close().catch(() => undefined)
  }
}
