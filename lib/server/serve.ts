import type { Server as HttpServer } from 'node:http'
import { networkInterfaces } from 'node:os'
import { loadFeatures } from '../features.js'
import { changeRoutes } from '../http/changes.js'
import { eventRoutes } from '../http/events.js'
import { dashboardFolder } from '../http/files.js'
import { groupRoutes } from '../http/groups.js'
import { healthRoutes } from '../http/health.js'
import { homeRoutes } from '../http/home.js'
import { createListener } from '../http/listener.js'
import { mapRoutes } from '../http/map.js'
import { memoryRoutes } from '../http/memory.js'
import type { Route } from '../http/router.js'
import { scanner } from '../http/scan.js'
import { settingRoutes } from '../http/settings.js'
import { storeRoutes } from '../http/store.js'
import { createGuardedServer } from '../hub/guarded-server.js'
import { Hub } from '../hub/hub.js'
import { listen } from '../hub/listen.js'
import { PortsClaim } from '../hub/ports.js'
import { findProject, memoryStatus } from '../native.js'
import { keepPastOf } from '../shared/git-past.js'
import { onlyKnown } from '../shared/known.js'
import { keepEmbedded } from '../shared/vector-keeper.js'
import { version } from '../shared/version.js'
import { type DrainFigures, type DrainPart, startDrain } from './drain.js'
import { CONTENT_TYPE, metricsText } from './metrics.js'
import type { Part } from './part.js'
import { projectRoutes } from './projects.js'
import { keepToken, tokenFor } from './token.js'

const PORT = 3100
/** How long requests in flight may take when the server closes. */
const CLOSE_TIMEOUT_MS = 5000

export interface ServeOptions {
  /** The project; found from the working directory when absent. */
  projectDir?: string
  /** The first port to try; 3100 when absent, 0 for any. The next nine are tried when it is taken. */
  port?: number
  /** The address to listen on; 127.0.0.1 when absent. */
  host?: string
  /** The token that every request must present; when absent, that of the last server of the project, or a new one after a day. */
  token?: string
  /** True if files are watched, by the rules of `.forge.json` and for the code graph; true when absent. */
  watch?: boolean
  /** True if the queue to the shared store is drained; true when absent. */
  drain?: boolean
}

/** A running server. */
export interface Server {
  /** The address of the dashboard, with the token in it. */
  url: string
  /** The URLs under all addresses when it listens on several. */
  urls: string[]
  /** The address without the token. */
  origin: string
  host: string
  port: number
  token: string
  projectDir: string
  hub: Hub
  /** Finishes requests in flight and closes the server. Idempotent. */
  close(): Promise<void>
}

/** Serves a project's memory. Throws `INVALID_INPUT`, or `IO` when no port is free. */
export async function serve(options: ServeOptions = {}): Promise<Server> {
  onlyKnown(options, { projectDir: true, port: true, host: true, token: true, watch: true, drain: true })
  const { host = '127.0.0.1', port = PORT } = options
  const projectDir = findProject(options.projectDir === undefined ? {} : { projectDir: options.projectDir })
  const isKept = options.token === undefined
  const hub = new Hub({ projectDir, hosts: [host], token: options.token ?? tokenFor(projectDir) })
  const parts: Part[] = []
  const sources: { drain?: DrainPart } = {}
  const { watch = true, drain = true } = options
  const others = projectRoutes(projectDir, (other) =>
    serve({ projectDir: other, host, watch, drain, ...(port === 0 ? { port } : {}) }),
  )
  const more = [...others.routes]
  for (const feature of await loadFeatures()) more.push(...(await feature.loadRoutes())(projectDir, hub))
  const server = createGuardedServer(createListenerFor(hub, parts, more, () => sources.drain?.figures()))
  hub.attach(server)
  try {
    hub.port = await listen(server, port, host)
  } catch (error) {
    await hub.close()
    throw error
  }
  const { token, startedAt } = hub
  const claim = new PortsClaim(projectDir, { ws: hub.port, http: hub.port, pid: process.pid, startedAt, token })
  const ending = new AbortController()
  void keepPastOf(projectDir, ending.signal)
  if (drain) {
    sources.drain = await startDrain(projectDir, hub)
    parts.push(sources.drain)
  }
  const keeper = keepEmbedded({ projectDir })
  parts.push({ name: 'vectors', ...keeper })
  if (watch) parts.push(...(await startWatching(projectDir, hub)))
  const origins = originsOf(host, hub.port)
  const urls = origins.map((origin) => `${origin}/#token=${token}`)
  const [origin = '', url = ''] = [origins[0], urls[0]]
  let closing: Promise<void> | undefined
  const close = async () => {
    claim.release()
    if (isKept) keepToken(projectDir, token)
    ending.abort()
    const ended = end(server)
    await others.close()
    for (const part of parts) await part.close()
    await hub.close()
    await ended
  }
  return {
    url,
    urls,
    origin,
    host,
    port: hub.port,
    token,
    projectDir,
    hub,
    close: () => {
      closing ??= close()
      return closing
    },
  }
}

function createListenerFor(hub: Hub, parts: Part[], others: Route[], drain: () => DrainFigures | undefined) {
  const { projectDir } = hub
  const started = Date.now()
  const scan = scanner(projectDir, hub)
  const routes = [
    ...memoryRoutes(projectDir),
    ...changeRoutes(projectDir),
    ...groupRoutes(projectDir, hub),
    ...healthRoutes(projectDir, hub),
    ...homeRoutes(projectDir, scan),
    ...mapRoutes(projectDir, scan),
    ...eventRoutes(projectDir),
    ...storeRoutes(projectDir, hub),
    ...settingRoutes(projectDir),
    ...others,
  ]
  routes.push({
    method: 'GET',
    pattern: '/api/status',
    handler: () => {
      const status = memoryStatus({ projectDir })
      return { body: { ...status, version, startedAt: hub.startedAt, clients: hub.clients.size } }
    },
  })
  const health = (isKnown: boolean) => {
    const common = { ok: true, version, pid: process.pid, uptimeMs: Date.now() - started }
    if (!isKnown) return common
    const states = Object.fromEntries(parts.map((part) => [part.name, part.state()]))
    const { projectName } = memoryStatus({ projectDir })
    const { clients, seq: lastSeq, eventsPerSecond, unsaved } = hub
    const stream = { clients: clients.size, lastSeq, eventsPerSecond, unsaved }
    return { ...common, projectDir, projectName, hub: stream, ...states }
  }
  const metrics = () => ({
    type: CONTENT_TYPE,
    text: metricsText({ hub, version, startedMs: started, drain: drain() }),
  })
  return createListener({ gate: hub.gate, routes, folder: dashboardFolder(), health, metrics })
}

/** Stops accepting connections and waits for requests in flight. */
function end(server: HttpServer): Promise<void> {
  return new Promise((resolve) => {
    // A connection that was being answered becomes idle later.
    const idle = setInterval(() => server.closeIdleConnections(), 20)
    const closeTimer = setTimeout(() => server.closeAllConnections(), CLOSE_TIMEOUT_MS)
    server.close(() => {
      clearInterval(idle)
      clearTimeout(closeTimer)
      resolve()
    })
    server.closeIdleConnections()
  })
}

/** Watches files by the rules of `.forge.json`, and keeps the code graph up to date while there is one. One server per project is active. */
async function startWatching(projectDir: string, hub: Hub): Promise<Part[]> {
  const [{ createWatcher }, { LatticeKeeper }] = [
    await import('../watcher/index.js'),
    await import('../watcher/keeper.js'),
  ]
  const [watcher, keeper] = [await createWatcher({ projectDir, hub }), new LatticeKeeper({ projectDir, hub })]
  return [
    { name: 'watcher', state: () => watcher.state(), close: () => watcher.close() },
    { name: 'lattice', state: () => keeper.state(), close: () => keeper.close() },
  ]
}

/** Wildcard addresses: a server that listens on one is reachable under every address of the machine. */
const WILDCARD_ADDRESSES = ['0.0.0.0', '::']

/** Returns the URLs of a server under every address that clients can use, those of this machine first. */
function originsOf(host: string, port: number): string[] {
  const hosts = WILDCARD_ADDRESSES.includes(host) ? ['127.0.0.1', ...outwardAddresses(host === '::')] : [host]
  return hosts.map((name) => `http://${name.includes(':') ? `[${name}]` : name}:${port}`)
}

/** Excludes link-local IPv6 addresses: their zone id (the network interface) is not allowed in a browser's URL. */
function outwardAddresses(isBoth: boolean): string[] {
  const all = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? [])
  return all
    .filter(({ internal, family, address }) => {
      if (internal || (family === 'IPv6' && !isBoth)) return false
      return !/^fe80:/i.test(address)
    })
    .map(({ address }) => address)
}
