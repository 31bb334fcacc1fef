import { STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { bodyOf, problem } from '../shared/problem.js'
import type { Refusal } from './gate.js'

/** How long the client has to read the response. */
const CLOSE_TIMEOUT_MS = 1000

/** Sends an HTTP error on a raw socket, and closes it. */
export function refuseSocket(socket: Duplex, { status, code, reason }: Refusal): void {
  const body = bodyOf(problem(code, reason))
  socket.on('error', () => socket.destroy())
  socket.end(
    [
      `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`,
      'Connection: close',
      'Content-Type: application/json; charset=utf-8',
      `Content-Length: ${Buffer.byteLength(body)}`,
      'X-Content-Type-Options: nosniff',
      '',
      body,
    ].join('\r\n'),
  )
  socket.once('finish', () => socket.destroy())
  setTimeout(() => socket.destroy(), CLOSE_TIMEOUT_MS).unref()
}
