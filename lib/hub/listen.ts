import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { problem, rootCodeOf } from '../shared/problem.js'

const ATTEMPTS = 10

/**
 * Listens on a port, or on one of the next ones, `attempts` in all, when it is in use; 0 lets the system choose. It listens
 * at once instead of testing first, so that there is no race with other processes.
 */
export async function listen(server: Server, port: number, host: string, attempts = ATTEMPTS): Promise<number> {
  if (!Number.isInteger(port) || port < 0 || port > 65_535)
    throw problem('INVALID_INPUT', `port: ${port} is not a port number`)
  const last = port === 0 ? 0 : Math.min(port + attempts - 1, 65_535)
  for (let at = port; at <= last; at += 1) {
    try {
      return await listenOnce(server, at, host)
    } catch (error) {
      const code = rootCodeOf(error)
      if (code !== 'EADDRINUSE' && code !== 'EACCES') {
        throw problem('INVALID_INPUT', `host: cannot listen on ${host}: ${code}`)
      }
    }
  }
  throw problem(
    'IO',
    last === port ? `the port ${port} of ${host} is taken` : `the ports ${port} to ${last} of ${host} are taken`,
  )
}

function listenOnce(server: Server, port: number, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const fail = (error: Error) => {
      server.off('listening', done)
      reject(error)
    }
    const done = () => {
      server.off('error', fail)
      resolve((server.address() as AddressInfo).port)
    }
    server.once('error', fail)
    server.once('listening', done)
    server.listen(port, host)
  })
}
