// The outermost layer of every HTTP server here: no input from a socket can end the process, hold a connection for long, or
// exceed the limit of connections. It applies before authentication, because any web page can reach a port of this machine.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { bodyOf, codeOf, messageOf, problem } from '../shared/problem.js'
import type { Refusal } from './gate.js'
import { refuseSocket } from './refuse.js'

/** The maximum number of connections, subscribers included. Further ones are closed at once. */
export const CONNECTIONS_MAX = 1200

/** Timeouts for the headers and for the whole request, against clients that send byte by byte (Slowloris). */
const LIMITS = {
  headersTimeout: 10_000,
  requestTimeout: 20_000,
  connectionsCheckingInterval: 1000,
  keepAliveTimeout: 5000,
}

/** The parser errors with a status of their own; all others are 400. */
const FAULTS: Record<string, Refusal> = {
  HPE_HEADER_OVERFLOW: { status: 431, code: 'TOO_LARGE', reason: 'the headers are too large' },
  HPE_CHUNK_EXTENSIONS_OVERFLOW: { status: 413, code: 'TOO_LARGE', reason: 'the extensions of a chunk are too large' },
  ERR_HTTP_REQUEST_TIMEOUT: { status: 408, code: 'TIMEOUT', reason: 'the request took too long to arrive' },
}

export type Answer = (request: IncomingMessage, response: ServerResponse) => void | Promise<void>
export type Upgrade = (request: IncomingMessage, socket: Duplex, head: Buffer) => void | Promise<void>

/** Creates an HTTP server. When `answer` throws before it has responded, the response is 400. */
export function createGuardedServer(answer: Answer): Server {
  const server = createServer(LIMITS)
  server.maxConnections = CONNECTIONS_MAX
  const answering = new WeakMap<Duplex, ServerResponse>()
  server.on('request', (request, response) => {
    answering.set(request.socket, response)
    guard(
      () => answer(request, response),
      (error) => refuseResponse(response, refusalFor(error)),
    )
  })
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    const response = answering.get(socket)
    const isBusy = response?.headersSent === true && !response.writableFinished
    // After a partial response, the client would read another response as the rest of it.
    // Browsers open connections ahead of their requests. One that sends its first request just when its time is over would take
    // an answer to nothing for the answer to that; a connection that closes is opened again.
    const isUnused = (socket as Socket).bytesRead === 0
    if (isBusy || isUnused || !socket.writable) socket.destroy()
    else refuseSocket(socket, FAULTS[error.code ?? ''] ?? badRequest('it cannot be read as HTTP'))
  })
  server.on('connect', (_, socket) => {
    refuseSocket(socket, { status: 405, code: 'METHOD_NOT_ALLOWED', reason: 'this server is not a proxy' })
  })
  return server
}

/** Handles protocol upgrades. When `admit` throws, the response is 400. */
export function guardUpgrades(server: Server, admit: Upgrade): void {
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    socket.on('error', () => socket.destroy())
    guard(
      () => admit(request, socket, head),
      (error) => refuseSocket(socket, refusalFor(error)),
    )
  })
}

/** Runs the handler of a socket and passes whatever it throws, synchronously or later, to `fail`. */
export function guard(work: () => void | Promise<void>, fail: (error: unknown) => void): void {
  const end = (error: unknown) => {
    try {
      fail(error)
    } catch {
      // The connection is already broken.
    }
  }
  try {
    work()?.catch(end)
  } catch (error) {
    end(error)
  }
}

/** Returns the response to an error. An unexpected one reveals nothing about the server. */
function refusalFor(error: unknown): Refusal {
  return badRequest(codeOf(error) === 'INVALID_INPUT' ? messageOf(error) : 'the request could not be handled')
}

function badRequest(reason: string): Refusal {
  return { status: 400, code: 'INVALID_INPUT', reason }
}

function refuseResponse(response: ServerResponse, { status, code, reason }: Refusal): void {
  if (response.headersSent) {
    response.destroy()
    return
  }
  response.writeHead(status, { 'Content-Type': 'application/json; charset=utf-8', Connection: 'close' })
  response.end(bodyOf(problem(code, reason)))
}
