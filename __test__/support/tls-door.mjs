// A TLS proxy for a database without TLS: accepts the driver's TLS request and forwards the traffic.
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import net from 'node:net'
import { join } from 'node:path'
import tls from 'node:tls'
import { root } from './project.mjs'

const file = (name) => join(root, '__test__', 'data', 'tls', name)

/** The certificate of the proxy, trusted by these tests only. */
export const certificate = file('certificate.pem')

/** Opens the door before a port of this machine and returns its own port. */
export async function openTlsDoor(t, port) {
  const secureContext = tls.createSecureContext({ key: readFileSync(file('key.pem')), cert: readFileSync(certificate) })
  const server = net.createServer((socket) => {
    socket.on('error', () => undefined)
    socket.once('data', () => {
      socket.write('S')
      const secure = new tls.TLSSocket(socket, { isServer: true, secureContext })
      const inner = net.connect(port, '127.0.0.1')
      for (const end of [secure, inner]) end.on('error', () => socket.destroy())
      secure.pipe(inner).pipe(secure)
      secure.on('close', () => inner.destroy())
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  return server.address().port
}
