import type { NetConnectOpts } from 'node:net'
import { rootCodeOf } from '../shared/problem.js'
import { StoreFailure } from './failure.js'
import { endpointsOf, placeOf, type StoreTarget } from './settings.js'

const PORTS: Record<string, number> = { 'https:': 443, 'http:': 80 }

/** Checks that a store accepts connections. Throws `busy` when it does not within the timeout. */
export async function reach(target: StoreTarget, timeoutMs: number): Promise<void> {
  if (target.backend === 'embedded') return
  const { url } = target
  const addresses = target.backend === 'postgres' ? databaseAddresses(url) : [serverAddress(url)]
  try {
    // A replica answers searches while the primary is away.
    await Promise.any(addresses.map((where) => connected(where, timeoutMs)))
  } catch (error) {
    const why: string = (error as AggregateError).errors[0]?.message
    throw new StoreFailure('busy', `${placeOf(url)} cannot be reached (${why})${hint(addresses[0], why)}`, {
      isAway: true,
    })
  }
}

function hint(where: NetConnectOpts | undefined, why: string): string {
  return where !== undefined && 'path' in where && why === 'ENOENT'
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

/** Rejects with the reason when nobody answers. */
function connected(where: NetConnectOpts, timeoutMs: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = process.getBuiltinModule('node:net').connect(where)
    // An own timer, because the timeout of a socket does not cover the DNS lookup.
    const timer = setTimeout(() => done('no answer in time'), timeoutMs)
    const done = (why?: string) => {
      clearTimeout(timer)
      socket.destroy()
      if (why === undefined) resolve()
      else reject(new Error(why))
    }
    socket.once('connect', () => done())
    socket.once('error', (error) => done(rootCodeOf(error) ?? 'no connection'))
  })
}
