import { findProject, type ProjectOptions, queueStatus } from '../../native.js'
import { given } from '../../shared/given.js'
import { type Backlog, backlogOf } from '../backlog.js'
import { asFailure } from '../handshakes.js'
import { reach } from '../reach.js'
import { readSettings, type StoreSettings, storePlace } from '../settings.js'
import type { Backend, Capabilities, VectorState } from '../store.js'
import { requireTrust, untrusted } from '../trust.js'
import { type DuplicatedThought, UncertainDeliveries } from '../uncertain-deliveries.js'
import { openStore } from './open.js'
import { ownNameOf } from './project-names.js'

type QueueStatus = ReturnType<typeof queueStatus>

/** The status of the shared memory and of the queue to it. */
export interface OpenBrainStatus extends Omit<QueueStatus, 'lastDrain'> {
  /** The backend of the settings; null when they name none. */
  backend: Backend | null
  /** The address, without user, password or key. */
  place: string
  reachable: boolean
  /** The capabilities of the store; null when it could not be reached. */
  capabilities: Capabilities | null
  /** The number of thoughts in the store, of all projects; null when it could not be reached. */
  stored: number | null
  /** How many thoughts have a vector; null without an embedder, or when the store could not be reached. */
  vectors: VectorState | null
  /** The records that an earlier store of this project has and this one lacks; null when it lacks none. */
  backlog: Backlog | null
  /** In a store of several people: the name of the project, when only this folder can have it. */
  ownName?: string
  /** Why the store could not be reached. */
  problem?: string
  /** Duplicates at a server that cannot be deleted there. */
  doubled: DuplicatedThought[]
  /** Addresses that the project's files name and the user has not approved on this machine. Nothing is sent to them. */
  untrusted: string[]
  lastDrain: QueueStatus['lastDrain'] | null
}

const STATUS_MS = 5000

/**
 * Reads the capabilities of the store and the status of the queue. Does not throw for a store that is unreachable or
 * misconfigured.
 */
export async function status(options: ProjectOptions = {}): Promise<OpenBrainStatus> {
  const projectDir = findProject(options)
  const queue = queueStatus({ projectDir })
  return { ...(await probe(projectDir)), ...queue, lastDrain: queue.lastDrain ?? null }
}

async function probe(projectDir: string): Promise<Omit<OpenBrainStatus, keyof QueueStatus>> {
  let settings: StoreSettings
  try {
    settings = readSettings(projectDir)
  } catch (error) {
    const problem = asFailure(error).message
    return { ...UNKNOWN, backend: null, place: '', backlog: null, problem, doubled: [], untrusted: [] }
  }
  const { target } = settings
  const place = storePlace(target)
  const doubled = target.backend === 'remote' ? new UncertainDeliveries(place, projectDir).doubled : []
  const known = {
    backend: target.backend,
    place,
    doubled,
    untrusted: untrusted(settings),
    backlog: backlogOf(settings) ?? null,
    ...given({ ownName: ownNameOf(settings) }),
  }
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
    // A failing embedder does not make the store unreachable.
    const vectors = await store.vectors?.().catch(() => undefined)
    return { capabilities, stored, vectors: vectors ?? null }
  } finally {
    store.close().catch(() => undefined)
  }
}
