import { parseForgeFile } from '../shared/forge-file.js'
import { type DiscoveredServer, discoverServer } from './discovery.js'
import { StoreFailure } from './failure.js'
import { rememberKey, rememberKeysIn } from './foreign-text.js'
import { secretOf } from './secrets.js'
import { addressUse, isUseApproved, keyUse } from './variables.js'

/** Which store a project uses, as its files say; the key is fetched when it is needed. */
export interface StoreSettings {
  projectDir: string
  target: StoreTarget
  /** The address of the store, where the project's own files name it: the user has to approve that one. */
  storeAddress?: string
  embedder: EmbedderSettings
  /** The environment variables that the project's files refer to, and for what. */
  variableUses: string[]
  /** The same of an embedder on another machine, which sees every text as well. */
  embedderAddress?: string
  /** Sends thoughts also to a server that keeps nothing but their text. */
  textOnly: boolean
  /** Lets a key travel over plain http to another machine. */
  insecure: boolean
  /** How long a server may take for one thought. */
  timeoutMs: number
  /** The timeouts of the connection check and of a search. */
  reachTimeoutMs: number
  searchTimeoutMs: number
}

export type StoreTarget =
  | { backend: 'embedded'; path?: string }
  | { backend: 'postgres'; url: URL; password: string | undefined }
  | { backend: 'remote'; url: URL; key: string | undefined; isMcp: boolean }

export interface EmbedderSettings {
  kind: 'local' | 'ollama' | 'openai' | 'none'
  url?: string
  model?: string
  key?: string
}

/** Raw settings of `.forge.json`; every value is untrusted. */
interface ForgeFile {
  openbrain?: {
    url?: unknown
    textOnly?: unknown
    insecure?: unknown
    timeoutMs?: unknown
    reachTimeoutMs?: unknown
    searchTimeoutMs?: unknown
  }
  embedder?: { kind?: unknown; url?: unknown; model?: unknown }
}

/** Reads which store and embedder a project wants. Throws a `misconfigured` failure that says what to change. */
export function readSettings(projectDir: string): StoreSettings {
  const file = readForgeFile(projectDir)
  const { target, isUsers, variableUses } = targetOf(file, projectDir)
  const embedder = embedderOf(file, projectDir)
  const embedderAddress = addressOfEmbedder(embedder)
  return {
    projectDir,
    target,
    ...('url' in target && !isUsers ? { storeAddress: addressOf(target.url) } : {}),
    variableUses,
    embedder,
    ...(embedderAddress === undefined ? {} : { embedderAddress }),
    textOnly: file.openbrain?.textOnly === true,
    insecure: file.openbrain?.insecure === true,
    timeoutMs: timeoutOf(file.openbrain?.timeoutMs, TIMEOUT_MS),
    reachTimeoutMs: timeoutOf(file.openbrain?.reachTimeoutMs, REACH_MS),
    searchTimeoutMs: timeoutOf(file.openbrain?.searchTimeoutMs, SEARCH_MS),
  }
}

const TIMEOUT_MS = 10_000
/** Who refuses a connection is known at once; this is for a host that says nothing. */
const REACH_MS = 1500
/** A store that took the connection may still say nothing; then the files answer. */
const SEARCH_MS = 5000

function timeoutOf(value: unknown, otherwise: number): number {
  return typeof value === 'number' && value >= 100 && value <= 600_000 ? value : otherwise
}

/** `doctor` reports a broken file; here it counts as empty. */
function readForgeFile(projectDir: string): ForgeFile {
  try {
    const value = parseForgeFile(projectDir)
    return typeof value === 'object' && value !== null ? value : {}
  } catch {
    return {}
  }
}

/** The environment overrides the files, and is trusted because it is the user's own. */
function targetOf(file: ForgeFile, projectDir: string): Chosen {
  const fromEnvironment = process.env.FORGE_OPENBRAIN_URL?.trim()
  const configured = fromEnvironment || textOf(file.openbrain?.url)?.trim()
  if (configured !== undefined && configured !== '') {
    const target = configured === 'file' ? ({ backend: 'embedded' } as const) : configuredTarget(configured, projectDir)
    return { target, isUsers: Boolean(fromEnvironment), variableUses: [] }
  }
  const found = discoverServer(projectDir)
  if (found === undefined) return { target: { backend: 'embedded' }, isUsers: true, variableUses: [] }
  return discovered(found, projectDir)
}

interface Chosen {
  target: StoreTarget
  /** True where the user, not a file of the project, chose the address. */
  isUsers: boolean
  variableUses: string[]
}

/** Names an address as it is approved: all that decides where something goes and how, without user, password or key. */
function addressOf(url: URL): string {
  const address = new URL(url)
  address.username = ''
  address.password = ''
  address.hash = ''
  return address.href
}

function addressOfEmbedder({ url }: EmbedderSettings): string | undefined {
  if (url === undefined || !URL.canParse(url)) return undefined
  const parsed = new URL(url)
  return isLoopback(parsed.hostname) ? undefined : addressOf(parsed)
}

function configuredTarget(text: string, projectDir: string): StoreTarget {
  const url = parseUrl(text)
  if (url.password !== '' || url.searchParams.has('key')) {
    const where = 'put it in .forge/secrets.json or the environment (docs/openbrain.md)'
    throw new StoreFailure('misconfigured', `openbrain.url carries a password or key: ${where}`)
  }
  if (url.protocol === 'postgres:' || url.protocol === 'postgresql:') {
    checkDatabaseUrl(url)
    return { backend: 'postgres', url, password: secretOf('openbrain', projectDir) }
  }
  if (url.protocol === 'https:' || url.protocol === 'http:') {
    return { backend: 'remote', url, key: secretOf('openbrain', projectDir), isMcp: false }
  }
  throw new StoreFailure(
    'misconfigured',
    `openbrain.url has an unknown scheme: ${url.protocol.replace(':', '')}; postgres, https and http are known`,
  )
}

/** A file of the project chooses which variables are read, so that none is before the user approved it for this store. */
function discovered(found: DiscoveredServer, projectDir: string): Chosen {
  const url = parseUrl(found.url)
  const inAddress = url.searchParams.get('key')
  url.searchParams.delete('key')
  const { urlVariable, keyVariable } = found
  const address = urlVariable === undefined ? addressOf(url) : addressUse(urlVariable)
  const use = keyVariable === undefined ? undefined : keyUse(address, 'x-brain-key', keyVariable)
  const isKeyReadable = use === undefined || isUseApproved(projectDir, use)
  const key = (isKeyReadable ? found.key : undefined) ?? inAddress ?? secretOf('openbrain', projectDir)
  rememberKey(key)
  const variableUses = [
    ...(urlVariable === undefined ? [] : [addressUse(urlVariable)]),
    ...(use === undefined ? [] : [use]),
  ]
  return { target: { backend: 'remote', url, key, isMcp: true }, isUsers: urlVariable !== undefined, variableUses }
}

/** The text is not repeated in the message: it may hold what must not be shown. */
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

function embedderOf({ embedder }: ForgeFile, projectDir: string): EmbedderSettings {
  const kind = textOf(embedder?.kind) ?? 'local'
  if (kind !== 'local' && kind !== 'ollama' && kind !== 'openai' && kind !== 'none') {
    throw new StoreFailure('misconfigured', 'embedder.kind is not one of local, ollama, openai, none')
  }
  const settings: EmbedderSettings = { kind }
  const url = textOf(embedder?.url)
  const model = textOf(embedder?.model)
  const key = kind === 'openai' ? secretOf('embedder', projectDir) : undefined
  if (url !== undefined && url !== '') settings.url = url
  if (model !== undefined && model !== '') settings.model = model
  if (key !== undefined) settings.key = key
  return settings
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

/** Tells whether a host is this machine. */
export function isLoopback(host: string): boolean {
  const name = host.replace(/^\[|\]$/g, '').toLowerCase()
  return name === 'localhost' || name.endsWith('.localhost') || name === '::1' || /^127(\.\d{1,3}){3}$/.test(name)
}

/** Names an address without user, password, path or query. */
export function placeOf(url: URL): string {
  return `${url.protocol}//${url.host === '' ? (url.searchParams.get('host') ?? '') : url.host}`
}

const DATABASE_PARAMETERS = ['sslmode', 'sslrootcert', 'host', 'port', 'application_name']

/** What the address says and we would not follow would lead elsewhere unsaid, so it is refused. */
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
    throw new StoreFailure('misconfigured', 'openbrain.url names several hosts: one is supported')
  }
}

/** Where a database listens: a host with a port, or the folder of a socket. */
export function endpointOf(url: URL): { host: string; port: number; isSocket: boolean } {
  const named = url.hostname === '' ? url.searchParams.get('host') : url.hostname
  const host = decodeURIComponent((named ?? '').replace(/^\[|\]$/g, '')) || 'localhost'
  const port = Number(url.port || url.searchParams.get('port') || 5432)
  return { host, port, isSocket: host.startsWith('/') }
}
