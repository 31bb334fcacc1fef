import { connect } from 'node:net'
import { codeOf, StoreFailure } from './failure.js'
import { placeOf, type StoreTarget } from './settings.js'

/** Within this time a search must have begun to fall back, so the question whether a host is there gets most of it. */
export const REACH_MS = 200

const PORTS: Record<string, number> = { 'https:': 443, 'http:': 80, 'postgres:': 5432, 'postgresql:': 5432 }

/** Asks whether anybody answers at a store's address. Throws `busy` when nobody does in time. */
export async function reach(target: StoreTarget, timeoutMs = REACH_MS): Promise<void> {
  if (target.backend === 'embedded') return
  const { url } = target
  const host = url.hostname.replace(/^\[|\]$/g, '')
  const port = url.port === '' ? (PORTS[url.protocol] ?? 80) : Number(url.port)
  const why = await answers(host, port, timeoutMs)
  if (why !== undefined) throw new StoreFailure('busy', `${placeOf(url)} cannot be reached (${why})`)
}

function answers(host: string, port: number, timeoutMs: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const socket = connect({ host, port })
    // A timer of its own: the socket's does not run while a name is being looked up.
    const timer = setTimeout(() => done('no answer in time'), timeoutMs)
    const done = (why?: string) => {
      clearTimeout(timer)
      socket.destroy()
      resolve(why)
    }
    socket.once('connect', () => done())
    socket.once('error', (error) => done(codeOf(error) ?? 'no connection'))
  })
}
