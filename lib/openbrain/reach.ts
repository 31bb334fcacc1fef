import { connect, type NetConnectOpts } from 'node:net'
import { rootCodeOf } from '../shared/problem.js'
import { StoreFailure } from './failure.js'
import { endpointOf, placeOf, type StoreTarget } from './settings.js'

const PORTS: Record<string, number> = { 'https:': 443, 'http:': 80 }

/** Checks that a store accepts connections. Throws `busy` when it does not within the timeout. */
export async function reach(target: StoreTarget, timeoutMs: number): Promise<void> {
  if (target.backend === 'embedded') return
  const { url } = target
  const where = target.backend === 'postgres' ? databaseAddress(url) : serverAddress(url)
  const why = await answers(where, timeoutMs)
  if (why !== undefined)
    throw new StoreFailure('busy', `${placeOf(url)} cannot be reached (${why})${hint(where, why)}`, { isAway: true })
}

function hint(where: NetConnectOpts, why: string): string {
  return 'path' in where && why === 'ENOENT'
    ? `: no server listens at ${where.path}; host= is the folder of its socket`
    : ''
}

function serverAddress(url: URL): NetConnectOpts {
  return {
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: url.port === '' ? (PORTS[url.protocol] ?? 80) : Number(url.port),
  }
}

function databaseAddress(url: URL): NetConnectOpts {
  const { host, port, isSocket } = endpointOf(url)
  return isSocket ? { path: `${host}/.s.PGSQL.${port}` } : { host, port }
}

function answers(where: NetConnectOpts, timeoutMs: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const socket = connect(where)
    // A timer of its own: the socket's does not run while a name is being looked up.
    const timer = setTimeout(() => done('no answer in time'), timeoutMs)
    const done = (why?: string) => {
      clearTimeout(timer)
      socket.destroy()
      resolve(why)
    }
    socket.once('connect', () => done())
    socket.once('error', (error) => done(rootCodeOf(error) ?? 'no connection'))
  })
}
