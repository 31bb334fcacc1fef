// Intercepts network APIs: every attempt is logged and refused.
import dgram from 'node:dgram'
import dns from 'node:dns'
import net from 'node:net'

/** The names of the doors that were tried, in their order. */
export const tried = []

for (const [object, name] of [
  [net.Socket.prototype, 'connect'],
  [net.Server.prototype, 'listen'],
  [dgram, 'createSocket'],
  [dns, 'lookup'],
  [globalThis, 'fetch'],
]) {
  object[name] = () => {
    tried.push(name)
    throw new Error(`${name} was tried`)
  }
}
