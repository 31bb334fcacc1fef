import type { IncomingMessage, ServerResponse } from 'node:http'
import { codeOf, hintOf, messageOf, readingHintOf } from '../shared/problem.js'

const STATUS: Record<string, number> = {
  INVALID_INPUT: 400,
  ERR_LATTICE_PATH_OUTSIDE_REPO: 400,
  UNAUTHORIZED: 401,
  FORBIDDEN: 403,
  NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  LOCKED: 409,
  PROPOSED: 409,
  TOO_LARGE: 413,
  UNSUPPORTED_MEDIA: 415,
  UNSUPPORTED: 422,
  CORRUPT: 422,
  UNAVAILABLE: 503,
}

/** Headers of every response: no page may frame it, sniff its type or learn the address that led to it. */
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

/** How long a client may take to read its response. */
const READ_TIMEOUT_MS = 30_000

/** Destroys the connection of a client that does not read its response, which would stay in memory. */
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
  send(request, response, status, 'application/json; charset=utf-8', `${JSON.stringify(body)}\n`, headers)
}

export function sendText(request: IncomingMessage, response: ServerResponse, type: string, text: string): void {
  send(request, response, 200, type, text, {})
}

function send(
  request: IncomingMessage,
  response: ServerResponse,
  status: number,
  type: string,
  text: string,
  headers: Record<string, string>,
): void {
  limitReading(response)
  response.writeHead(status, {
    ...securityHeaders(request),
    'Cache-Control': 'no-store',
    'Content-Type': type,
    'Content-Length': Buffer.byteLength(text),
    ...headers,
  })
  response.end(request.method === 'HEAD' ? undefined : text)
}

/** Sends an error. An unexpected one reveals nothing about the server. */
export function sendError(request: IncomingMessage, response: ServerResponse, error: unknown): void {
  if (response.headersSent) {
    response.destroy()
    return
  }
  const code = codeOf(error)
  const status = STATUS[code] ?? 500
  const message = code === 'INTERNAL' ? 'the request failed' : messageOf(error)
  const isReading = request.method === 'GET' || request.method === 'HEAD'
  const hint = isReading ? readingHintOf(error) : hintOf(error)
  // The unread rest of a body would be parsed as the next request, so the connection is closed.
  const headers = request.complete ? {} : { Connection: 'close' }
  sendJson(request, response, status, { error: { code, message, hint } }, headers as Record<string, string>)
}
