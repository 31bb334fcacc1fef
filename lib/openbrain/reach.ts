import { connect, type NetConnectOpts } from 'node:net'
import { rootCodeOf } from '../shared/problem.js'
import { StoreFailure } from './failure.js'
import { endpointsOf, placeOf, type StoreTarget } from './settings.js'

const PORTS: Record<string, number> = { 'https:': 443, 'http:': 80 }

/** Checks that a store accepts connections. Throws `busy` when it does not within the timeout. */
export async function reach(target: StoreTarget, timeoutMs: number): Promise<void> {
  if (target.backend === 'embedded') return
  const { url } = target
  const [where, ...others] = target.backend === 'postgres' ? databaseAddresses(url) : [serverAddress(url)]
  if (where === undefined) return
  const why = await answers(where, timeoutMs)
  if (why === undefined) return
  // A replica answers searches while the primary is away.
  const found = await Promise.all(others.map((other) => answers(other, timeoutMs)))
  if (!found.includes(undefined))
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

function databaseAddresses(url: URL): NetConnectOpts[] {
  return endpointsOf(url).map(({ host, port, isSocket }) =>
    isSocket ? { path: `${host}/.s.PGSQL.${port}` } : { host, port },
  )
}

function answers(where: NetConnectOpts, timeoutMs: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const socket = connect(where)
    // An own timer, because the timeout of a socket does not cover the DNS lookup.
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
