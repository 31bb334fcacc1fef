import { connect } from 'node:net'
import type { PoolConfig } from 'pg'

/** The SSLRequest message of PostgreSQL's protocol. A database answers with one byte (`S` or `N`), or with an error message. */
const TLS_WISH = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47])
const TIMEOUT_MS = 2000

/** True if the service at an address is certainly not PostgreSQL. */
export function isOtherService({ host = 'localhost', port = 5432 }: PoolConfig): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(host.startsWith('/') ? { path: `${host}/.s.PGSQL.${port}` } : { host, port: Number(port) })
    const done = (isOther: boolean) => {
      clearTimeout(timer)
      socket.destroy()
      resolve(isOther)
    }
    const timer = setTimeout(() => done(false), TIMEOUT_MS)
    socket.once('connect', () => socket.write(TLS_WISH))
    socket.once('data', (bytes) => done(!isAnswer(bytes)))
    socket.once('error', () => done(false))
    socket.once('close', () => done(false))
  })
}

function isAnswer(bytes: Buffer): boolean {
  const first = String.fromCharCode(bytes[0] ?? 0)
  // Other protocols may begin with the same letter, but send more than one byte: `SSH-2.0`.
  return bytes.length === 1 ? 'SN'.includes(first) : first === 'E'
}
