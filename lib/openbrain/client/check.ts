import type { ProjectOptions } from '../../native.js'
import { projectOrNone } from '../../shared/no-project.js'
import { problem } from '../../shared/problem.js'
import { StoreFailure } from '../failure.js'
import { asFailure } from '../handshakes.js'
import { reach } from '../reach.js'
import { readSettings, type StoreSettings, storePlace } from '../settings.js'
import type { Finding, Retention, RetentionReport, ThoughtStore } from '../store.js'
import { requireTrust } from '../trust.js'
import { openStore } from './open.js'

/** The tests of a set-up, in the order in which one needs the other. */
export interface StoreCheck {
  backend: StoreSettings['target']['backend'] | null
  /** The address, without user, password or key. */
  place: string
  findings: Finding[]
  ok: boolean
}

const SETTINGS = 'correct .forge.json; docs/reference/openbrain.md has every setting'
const APPROVAL = 'run forge-memory drain --trust, if the address is yours'
const PRIVATE: Finding = {
  name: 'team',
  state: 'note',
  message: 'private: a file of this user on this machine, no team store',
  remedy: 'for a team, forge-memory store use with the address of a database',
}
const REACH = 'check the address, the network, and that the store runs'

/** Tests everything that a healthy set-up of the shared store needs. It does not throw for a store that is not healthy. */
export async function checkStore(options: ProjectOptions = {}): Promise<StoreCheck> {
  const projectDir = projectOrNone(options)
  let settings: StoreSettings
  try {
    settings = readSettings(projectDir)
  } catch (error) {
    return verdict(null, '', [bad('settings', error, SETTINGS)])
  }
  const { target } = settings
  const place = storePlace(target)
  const findings: Finding[] = [
    { name: 'settings', state: 'good', message: target.backend },
    ...(target.backend === 'embedded' ? [PRIVATE] : []),
  ]
  try {
    requireTrust(settings)
    findings.push({ name: 'approval', state: 'good', message: 'granted, or not required' })
  } catch (error) {
    return verdict(target.backend, place, [...findings, bad('approval', error, APPROVAL)])
  }
  try {
    await reach(target, settings.reachTimeoutMs)
    findings.push(...(await ask(settings)))
  } catch (error) {
    findings.push(bad('reachable', error, REACH))
  }
  return verdict(target.backend, place, findings)
}

function verdict(backend: StoreCheck['backend'], place: string, findings: Finding[]): StoreCheck {
  return { backend, place, findings, ok: findings.every(({ state }) => state !== 'bad') }
}

function bad(name: string, error: unknown, remedy: string): Finding {
  return { name, state: 'bad', message: asFailure(error).message, remedy }
}

async function ask(settings: StoreSettings): Promise<Finding[]> {
  const store = await openStore(settings)
  try {
    if (store.check !== undefined) {
      const findings = await store.check()
      // Without tables there is nothing to count, and this command creates none.
      const isSetUp = findings.every(({ name, state }) => name !== 'schema' || state === 'good')
      return isSetUp ? [...findings, await coverage(store)] : findings
    }
    const { negotiatedAway } = await store.handshake()
    const missing = negotiatedAway.map((message) => ({ name: 'unavailable', state: 'note' as const, message }))
    return [{ name: 'reachable', state: 'good', message: 'answers' }, ...missing, await coverage(store)]
  } finally {
    store.close().catch(() => undefined)
  }
}

async function coverage(store: ThoughtStore): Promise<Finding> {
  const name = 'coverage'
  if (store.vectors === undefined) return { name, state: 'good', message: 'the store computes its own vectors' }
  try {
    const vectors = await store.vectors()
    if (vectors === undefined) {
      const remedy = 'install one with forge-memory model install, or name one in .forge.json'
      if (store.model === undefined)
        return { name, state: 'note', message: 'search by words only: no embedder', remedy }
      return { name, state: 'note', message: `no vectors of ${store.model} yet`, remedy: 'run forge-memory embed' }
    }
    const { done, total, refused, model } = vectors
    const message = `${done} of ${total} thoughts have a vector of ${model}`
    if (done >= total) return { name, state: 'good', message }
    const why = refused > 0 ? `, ${refused} of the others were refused by it` : ''
    return { name, state: 'note', message: message + why, remedy: 'run forge-memory embed' }
  } catch (error) {
    return bad(name, error, 'check the embedder')
  }
}

/** Removes records that no search returns any more from the shared store, or counts them; `UNSUPPORTED` where it cannot. */
export async function retainStore(
  retention: Retention,
  { isDry = false, onProgress, ...options }: RetainOptions = {},
): Promise<RetentionReport> {
  const store = await openOwn(options)
  try {
    if (store.retain !== undefined) return await store.retain(retention, isDry, onProgress)
    const hint = 'use forge-memory compact for the files of the project'
    throw problem('UNSUPPORTED', `retention is for PostgreSQL; this project uses the ${store.backend} store`, hint)
  } catch (error) {
    throw asProblem(error)
  } finally {
    await store.close()
  }
}

export interface RetainOptions extends ProjectOptions {
  isDry?: boolean
  onProgress?: (report: RetentionReport) => void
}

async function openOwn(options: ProjectOptions): Promise<ThoughtStore> {
  try {
    return await openStore(readSettings(projectOrNone(options)))
  } catch (error) {
    throw asProblem(error)
  }
}

/** A failure of the store, as an error with a stable code. */
function asProblem(error: unknown): unknown {
  if (!(error instanceof StoreFailure)) return error
  return problem('IO', error.message, 'run forge-memory store check for details')
}
