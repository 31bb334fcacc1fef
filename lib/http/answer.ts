import type { IncomingMessage, ServerResponse } from 'node:http'
import { codeOf, hintOf, messageOf } from '../shared/problem.js'

const STATUS: Record<string, number> = {
  INVALID_INPUT: 400,
  ERR_LATTICE_PATH_OUTSIDE_REPO: 400,
  UNAUTHORIZED: 401,
  FORBIDDEN: 403,
  NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  LOCKED: 409,
  TOO_LARGE: 413,
  UNSUPPORTED_MEDIA: 415,
  UNSUPPORTED: 422,
  CORRUPT: 422,
  UNAVAILABLE: 503,
}

/** Sent with everything: no page may frame, sniff or take along what is answered here. */
export function securityHeaders(request: IncomingMessage): Record<string, string> {
  const host = request.headers.host ?? ''
  const csp = [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "font-src 'self'",
    `connect-src 'self' ws://${/^[\w.:[\]-]+$/.test(host) ? host : 'localhost'}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ]
  return {
    'Content-Security-Policy': csp.join('; '),
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Cross-Origin-Resource-Policy': 'same-origin',
    'Referrer-Policy': 'no-referrer',
    'X-Content-Type-Options': 'nosniff',
    'X-Frame-Options': 'DENY',
  }
}

/** How long a client may take to read its answer. */
const READ_TIMEOUT_MS = 30_000

/** Cuts off a client that does not read its answer: what waits for it is held in memory. */
export function limitReading(response: ServerResponse): void {
  const timer = setTimeout(() => response.destroy(), READ_TIMEOUT_MS)
  timer.unref()
  response.once('close', () => clearTimeout(timer))
}

export function sendJson(
  request: IncomingMessage,
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  const text = `${JSON.stringify(body)}\n`
  limitReading(response)
  response.writeHead(status, {
    ...securityHeaders(request),
    'Cache-Control': 'no-store',
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(text),
    ...headers,
  })
  response.end(request.method === 'HEAD' ? undefined : text)
}

/** Answers with what went wrong. An unexpected failure reveals nothing about the server. */
export function sendError(request: IncomingMessage, response: ServerResponse, error: unknown): void {
  if (response.headersSent) {
    response.destroy()
    return
  }
  const code = codeOf(error)
  const status = STATUS[code] ?? 500
  const message = code === 'INTERNAL' ? 'the request failed' : messageOf(error)
  const hint = hintOf(error)
  // What was not read of a body that is too large would be taken for the next request.
  const headers = request.complete ? {} : { Connection: 'close' }
  sendJson(request, response, status, { error: { code, message, hint } }, headers as Record<string, string>)
}
