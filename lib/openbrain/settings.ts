import { layeredSettings, type ProjectSettings, projectSettings } from '../native.js'
import { variable } from '../shared/environment.js'
import { type DiscoveredServer, discoverServer } from './discovery.js'
import { StoreFailure } from './failure.js'
import { rememberKey, rememberKeysIn } from './foreign-text.js'
import { environmentSecretOf, secretOf, userSecretOf, whereKept } from './secrets.js'
import { type GivenSettings, readUserSettings } from './user-settings.js'
import { addressUse, isUseApproved, keyUse } from './variables.js'

/** The settings of a project's store. Keys are read when they are needed. */
export interface StoreSettings {
  projectDir: string
  target: StoreTarget
  /** The address of the store when a file of the project names it, which the user has to approve. */
  storeAddress?: string
  embedder: EmbedderSettings
  /** The environment variables that the project's files refer to, and their uses. */
  variableUses: string[]
  /** The address of a remote embedder when a file of the project names it. It receives every text as well. */
  embedderAddress?: string
  /** True if thoughts are also sent to a server that stores only their text. */
  textOnly: boolean
  /** True if a key may be sent over plain HTTP to another machine. */
  insecure: boolean
  /** The timeout of a request about one thought. */
  timeoutMs: number
  /** The timeouts of the connection check and of a search. */
  reachTimeoutMs: number
  searchTimeoutMs: number
  /** How many candidates a vector index examines: more find more of the nearest, and take longer. As it was measured, when absent. */
  efSearch: number | undefined
  /** True if a recall of the project's own memory asks the store of a team as well. */
  isAskedByRecall: boolean
  /** How long that waits for it, beside its own work. */
  recallTimeoutMs: number
}

export type StoreTarget =
  | { backend: 'embedded'; path?: string }
  | { backend: 'postgres'; url: URL; password: string | undefined; passwordIn?: string }
  | { backend: 'remote'; url: URL; key: string | undefined; isMcp: boolean }

export interface EmbedderSettings {
  kind: ProjectSettings['embedder']['kind']
  url?: string
  model?: string
  key?: string
  /** True if the key may be sent over plain HTTP to another machine. */
  insecure?: boolean
}

const KINDS: EmbedderSettings['kind'][] = ['local', 'ollama', 'openai', 'none']

/** How messages name the file of the private store. */
export const EMBEDDED_PLACE = '~/.forge/openbrain.db'

/** Where Ollama listens. */
export const OLLAMA_URL = 'http://127.0.0.1:11434'

/** Reads the settings of a project's store and embedder. Throws a `misconfigured` failure that says what to change. */
export function readSettings(projectDir: string): StoreSettings {
  const file: GivenSettings = projectSettings({ projectDir }).given
  const user = readUserSettings()
  const { target, isUsers, variableUses } = targetOf(file, user, projectDir)
  const { embedder, embedderAddress } = chosenEmbedder(file, user, projectDir)
  // The files of a project decide for an address that they name and the user has approved. For an address of the user, keys, their protection, the
  // contents of requests and the timeout are the user's decision.
  const { textOnly, insecure } = layeredSettings([isUsers ? user : file]).settings.openbrain
  const { openbrain } = layeredSettings(isUsers ? [user] : [user, file]).settings
  return {
    projectDir,
    target,
    ...('url' in target && !isUsers ? { storeAddress: addressOf(target.url) } : {}),
    variableUses,
    embedder,
    ...(embedderAddress === undefined ? {} : { embedderAddress }),
    textOnly,
    insecure,
    timeoutMs: openbrain.timeoutMs,
    reachTimeoutMs: openbrain.reachTimeoutMs,
    searchTimeoutMs: openbrain.searchTimeoutMs,
    efSearch: openbrain.efSearch,
    recallTimeoutMs: openbrain.recallTimeoutMs,
    isAskedByRecall: file.openbrain?.recall !== false && user.openbrain?.recall !== false,
  }
}

/** The same, or undefined when they are invalid, which `status` and the drain report. */
export function validSettings(projectDir: string): StoreSettings | undefined {
  try {
    return readSettings(projectDir)
  } catch (error) {
    if (error instanceof StoreFailure) return undefined
    throw error
  }
}

/**
 * Chooses the store. The environment takes precedence over the files, and the project's file over the user's own. A store that the environment or
 * the user's own file names needs no approval.
 */
function targetOf(file: GivenSettings, user: GivenSettings, projectDir: string): Chosen {
  const fromEnvironment = variable('FORGE_OPENBRAIN_URL')?.trim()
  const ofUser = addressIn(user)
  const configured = fromEnvironment || addressIn(file) || ofUser
  if (configured !== undefined && configured !== '') {
    if (configured === 'file') return { target: { backend: 'embedded' }, isUsers: true, variableUses: [] }
    const isOwn = isSameAddress(configured, ofUser)
    const isUsers = Boolean(fromEnvironment) || isOwn
    // The key in the user's own file belongs to the store in the user's own settings.
    const keyOf = isOwn ? userSecretOf : isUsers ? environmentSecretOf : secretOf
    return { target: configuredTarget(configured, projectDir, keyOf), isUsers, variableUses: [] }
  }
  const found = discoverServer(projectDir)
  if (found === undefined) return { target: { backend: 'embedded' }, isUsers: true, variableUses: [] }
  return discovered(found, projectDir)
}

/** Returns the address of the store. Plan Forge's documents call it `openbrain.endpoint`. */
function addressIn({ openbrain }: GivenSettings): string | undefined {
  return (openbrain?.url ?? openbrain?.endpoint)?.trim()
}

/** True if two addresses lead to one store; users and keys may differ. */
function isSameAddress(text: string, other: string | undefined): boolean {
  if (other === undefined || !URL.canParse(text) || !URL.canParse(other)) return false
  return addressOf(new URL(text)) === addressOf(new URL(other))
}

interface Chosen {
  target: StoreTarget
  /** True when the user, not a file of the project, chose the address. */
  isUsers: boolean
  variableUses: string[]
}

/** Formats an address for approval: every part that decides where data goes and how, without user, password or key. */
function addressOf(url: URL): string {
  const address = new URL(url)
  address.username = ''
  address.password = ''
  address.hash = ''
  return address.href
}

/**
 * Chooses the embedder: the project's, else the user's. An address that only the project's file names has to be approved, on this machine as well:
 * any program may listen there. A key and plain HTTP are the user's decision for the user's address.
 */
function chosenEmbedder(
  file: GivenSettings,
  user: GivenSettings,
  projectDir: string,
): Pick<StoreSettings, 'embedder' | 'embedderAddress'> {
  const own = embedderOf(user, projectDir, userSecretOf)
  if (file.embedder === undefined) return { embedder: own }
  const named = embedderOf(file, projectDir, secretOf)
  const address = addressOfEmbedder(named)
  if (address === undefined) return { embedder: named }
  const isOwn = own.kind === named.kind && addressOfEmbedder(own) === address
  if (isOwn) return { embedder: { ...own, ...(named.model === undefined ? {} : { model: named.model }) } }
  return { embedder: named, embedderAddress: address }
}

/** Returns where an embedder is that is not in this process; undefined for one that is, and for an address that is none. */
function addressOfEmbedder({ kind, url }: EmbedderSettings): string | undefined {
  if (kind === 'local' || kind === 'none') return undefined
  const address = url ?? (kind === 'ollama' ? OLLAMA_URL : '')
  return URL.canParse(address) ? addressOf(new URL(address)) : undefined
}

function configuredTarget(text: string, projectDir: string, keyOf: typeof secretOf): StoreTarget {
  const url = parseUrl(text)
  if (url.password !== '' || url.searchParams.has('key')) {
    const where = 'put it in .forge/secrets.json or the environment, or run forge-memory store use'
    throw new StoreFailure('misconfigured', `openbrain.url carries a password or key: ${where}`)
  }
  if (url.protocol === 'postgres:' || url.protocol === 'postgresql:') {
    checkDatabaseUrl(url)
    return { backend: 'postgres', url, ...passwordOf(keyOf, projectDir) }
  }
  if (url.protocol === 'https:' || url.protocol === 'http:') {
    return { backend: 'remote', url, key: keyOf('openbrain', projectDir), isMcp: false }
  }
  throw new StoreFailure(
    'misconfigured',
    `openbrain.url has an unknown scheme: ${url.protocol.replace(':', '')}; postgres, https and http are known`,
  )
}

/** A password that is set nowhere is the driver's matter. */
function passwordOf(keyOf: typeof secretOf, projectDir: string): { password: string | undefined; passwordIn: string } {
  const password = keyOf('openbrain', projectDir)
  const ofDriver = variable('PGPASSWORD') === undefined ? '~/.pgpass' : 'PGPASSWORD'
  return { password, passwordIn: password === undefined ? ofDriver : whereKept('openbrain', keyOf) }
}

/** Reads the environment variables that a file of the project refers to, once the user has approved them for this store. */
function discovered(found: DiscoveredServer, projectDir: string): Chosen {
  const url = parseUrl(found.url)
  const inAddress = url.searchParams.get('key')
  url.searchParams.delete('key')
  const { urlVariable, keyVariable } = found
  const address = urlVariable === undefined ? addressOf(url) : addressUse(urlVariable)
  const use = keyVariable === undefined ? undefined : keyUse(address, 'x-brain-key', keyVariable)
  const isKeyReadable = use === undefined || isUseApproved(projectDir, use)
  const keyOf = urlVariable === undefined ? secretOf : environmentSecretOf
  const key = (isKeyReadable ? found.key : undefined) ?? inAddress ?? keyOf('openbrain', projectDir)
  rememberKey(key)
  const variableUses = [
    ...(urlVariable === undefined ? [] : [addressUse(urlVariable)]),
    ...(use === undefined ? [] : [use]),
  ]
  return { target: { backend: 'remote', url, key, isMcp: true }, isUsers: urlVariable !== undefined, variableUses }
}

/** Parses a URL. The message does not repeat the text, which may contain a secret. */
function parseUrl(text: string): URL {
  try {
    const url = new URL(text)
    rememberKeysIn(url)
    return url
  } catch {
    throw new StoreFailure(
      'misconfigured',
      'openbrain.url is not a valid URL; use postgres://..., https://... or "file"',
    )
  }
}

function embedderOf(given: GivenSettings, projectDir: string, keyOf: typeof secretOf): EmbedderSettings {
  const { url, model, kind = 'local' } = given.embedder ?? {}
  // A kind that the engine does not know is read as "unknown", and refused: nothing is sent to a place that nobody meant.
  if (!KINDS.includes(kind)) {
    throw new StoreFailure('misconfigured', 'embedder.kind is not one of local, ollama, openai, none')
  }
  const settings: EmbedderSettings = { kind }
  const key = kind === 'openai' ? keyOf('embedder', projectDir) : undefined
  if (url !== undefined && url !== '') settings.url = url
  if (model !== undefined && model !== '') settings.model = model
  if (key !== undefined) settings.key = key
  if (given.openbrain?.insecure === true) settings.insecure = true
  return settings
}

export function isLoopback(host: string): boolean {
  const name = host.replace(/^\[|\]$/g, '').toLowerCase()
  return name === 'localhost' || name.endsWith('.localhost') || name === '::1' || /^127(\.\d{1,3}){3}$/.test(name)
}

/** Names a store for display: by its address, or by the file of the private one. */
export function storePlace(target: StoreTarget): string {
  return 'url' in target ? placeOf(target.url) : EMBEDDED_PLACE
}

/** Formats an address without user, password, path and query. */
export function placeOf(url: URL): string {
  return `${url.protocol}//${url.host === '' ? (url.searchParams.get('host') ?? '') : url.host}`
}

export const DATABASE_PARAMETERS = ['sslmode', 'sslrootcert', 'host', 'port', 'application_name', 'replicas']

/** Refuses parameters of a database URL that we do not implement: ignoring one could connect to another database. */
function checkDatabaseUrl(url: URL): void {
  const unknown = [...url.searchParams.keys()].find((name) => !DATABASE_PARAMETERS.includes(name))
  if (unknown !== undefined) {
    const known = DATABASE_PARAMETERS.join(', ')
    throw new StoreFailure('misconfigured', `openbrain.url has the parameter ${unknown}, which is not one of ${known}`)
  }
  const host = url.searchParams.get('host')
  if (host !== null && url.host !== '') {
    throw new StoreFailure('misconfigured', 'openbrain.url names two hosts: remove one of them')
  }
  if (host?.includes(',')) {
    throw new StoreFailure(
      'misconfigured',
      'openbrain.url names several hosts: name the others with replicas=host:port',
    )
  }
  replicasOf(url)
}

/** Where a server listens: a host with a port, or the folder of a Unix socket. */
export interface Endpoint {
  host: string
  port: number
  isSocket: boolean
}

export function endpointOf(url: URL): Endpoint {
  const named = url.hostname === '' ? url.searchParams.get('host') : url.hostname
  const host = decodeURIComponent((named ?? '').replace(/^\[|\]$/g, '')) || 'localhost'
  const port = Number(url.port || url.searchParams.get('port') || 5432)
  return { host, port, isSocket: host.startsWith('/') }
}

/** Returns the endpoints of the servers of a database: the primary, and those that `replicas` names. */
export function endpointsOf(url: URL): Endpoint[] {
  return [endpointOf(url), ...replicasOf(url)]
}

const REPLICAS_MAX = 8

function replicasOf(url: URL): Endpoint[] {
  const names = (url.searchParams.get('replicas') ?? '').split(',').filter((name) => name.trim() !== '')
  return names.slice(0, REPLICAS_MAX).map((name) => {
    const [, host = '', port] = /^(\[[\da-f:]+\]|[\w.-]+)(?::(\d{1,5}))?$/i.exec(name.trim()) ?? []
    if (host === '') throw new StoreFailure('misconfigured', 'replicas in openbrain.url: expected host:port,host:port')
    return { host: host.replace(/^\[|\]$/g, ''), port: Number(port ?? 5432), isSocket: false }
  })
}
