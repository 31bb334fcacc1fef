// Which stores have a project's records. A record is in the queue until one store has it; when the settings name another one later, that one
// lacks the earlier records. Noted for each project in the user's own folder: up to when each store got everything.
import { join } from 'node:path'
import { countAgain, memoryDir } from '../native.js'
import { sha256 } from '../shared/digest.js'
import { forgeHome } from '../shared/home.js'
import { readPrivateMap, tryToWriteMap } from '../shared/private-file.js'
import { endpointOf, type StoreSettings } from './settings.js'

export interface Backlog {
  records: number
  /** From when on it lacks them, ISO 8601; all of them when absent. */
  since?: string
}

/** Up to when a store got everything, in milliseconds since the epoch: null while it goes on. */
type Until = number | null

const RECEIVED = '-received'

/** Notes that records were delivered to the store of the settings. Returns true if these are the first ones. */
export function noteDelivered(settings: StoreSettings): boolean {
  const stores = storesOf(settings)
  const place = placeOf(settings)
  const isFirst = !stores.has(place)
  if (stores.get(place) === null) return false
  const before = [...stores].filter(([, until]) => until === null)
  if (before.length === 0 && !isFirst) return false
  // The first store of a project has everything.
  const until = stores.size === 0 ? null : (stores.get(place) ?? 0)
  for (const [other] of before) stores.set(other, Date.now())
  write(settings, stores.set(place, until))
  return isFirst
}

/** Counts the records that the store of the settings lacks; undefined when it lacks none, as far as is known. */
export function backlogOf(settings: StoreSettings): Backlog | undefined {
  const stores = storesOf(settings)
  const until = stores.get(placeOf(settings)) ?? 0
  if (stores.size === 0 || stores.get(placeOf(settings)) === null) return undefined
  const since = until === 0 ? undefined : new Date(until).toISOString()
  const records = countAgain(since ?? null, { projectDir: settings.projectDir }).stores
  return records === 0 ? undefined : { records, ...(since === undefined ? {} : { since }) }
}

/** Notes that the store of the settings lacks nothing any more: the missing records are in the queue to it. */
export function noteJoined(settings: StoreSettings): void {
  const stores = storesOf(settings)
  for (const [other, until] of stores) if (until === null) stores.set(other, Date.now())
  write(settings, stores.set(placeOf(settings), null))
}

/** The last entries of a project that a store took, one of each kind. A store that lacks one went back to an earlier state. */
export interface LastTaken {
  store?: string
  rule?: { id: string; kind: string; other: string; at: string }
  delete?: string
}

export function lastTaken(settings: StoreSettings): LastTaken | undefined {
  return readPrivateMap<LastTaken>(fileOf(settings.projectDir, '-last')).get(placeOf(settings))
}

export function noteTaken(settings: StoreSettings, last: LastTaken): void {
  const file = fileOf(settings.projectDir, '-last')
  // Without the note, a store that went back is not noticed: that must not stop a delivery.
  tryToWriteMap(file, readPrivateMap<LastTaken>(file).set(placeOf(settings), last))
}

/** Up to where the decisions of colleagues were received from a store. */
export interface ReceivedUpTo {
  /** As the store says it. */
  upto: string
  /** The size of the log afterwards. */
  size: number
  /** Since when it goes on. */
  since: number
}

export function receivedUpTo(settings: StoreSettings): ReceivedUpTo | undefined {
  return readPrivateMap<ReceivedUpTo>(fileOf(settings.projectDir, RECEIVED)).get(placeOf(settings))
}

export function noteReceived(settings: StoreSettings, place: ReceivedUpTo): void {
  const file = fileOf(settings.projectDir, RECEIVED)
  // Without the note, all of it is received again.
  tryToWriteMap(file, readPrivateMap<ReceivedUpTo>(file).set(placeOf(settings), place))
}

/** The identity of a store: users, passwords, and further servers of one database are no part of it. */
function placeOf({ target }: StoreSettings): string {
  if (target.backend === 'embedded') return `file ${target.path ?? ''}`
  if (target.backend === 'remote') return `${target.url.origin}${target.url.pathname}`
  const { host, port } = endpointOf(target.url)
  return `postgres ${host}:${port}${target.url.pathname}`
}

function storesOf({ projectDir }: StoreSettings): Map<string, Until> {
  return readPrivateMap<Until>(fileOf(projectDir))
}

/** Without the note, nothing is offered: that must not stop a delivery. */
function write({ projectDir }: StoreSettings, stores: Map<string, Until>): void {
  tryToWriteMap(fileOf(projectDir), stores)
}

function fileOf(projectDir: string, suffix = ''): string {
  const name = sha256(memoryDir({ projectDir }))
  return join(forgeHome(), 'delivered-to', `${name}${suffix}.json`)
}
