import { STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import type { Refusal } from './gate.js'

/** Answers a request for a WebSocket that is not granted, and says why. */
export function refuseUpgrade(socket: Duplex, { status, code, reason }: Refusal): void {
  const body = `${JSON.stringify({ error: { code, message: reason } })}\n`
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
}
