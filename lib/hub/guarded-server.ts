// The outermost layer of every HTTP server here: nothing that a socket sends can end the process, hold a connection for long,
// or take more connections than there are. Any web page can reach a port of this machine, so none of it needs a token.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { bodyOf, codeOf, messageOf, problem } from '../shared/problem.js'
import type { Refusal } from './gate.js'
import { refuseSocket } from './refuse.js'

/** How many connections are held at once, those of subscribers included; further ones are closed at once. */
export const CONNECTIONS_MAX = 1200

/** Against clients that drip bytes (Slowloris): how long the headers and the whole of a request may take to arrive. */
const LIMITS = {
  headersTimeout: 10_000,
  requestTimeout: 20_000,
  connectionsCheckingInterval: 1000,
  keepAliveTimeout: 5000,
}

/** What the parser of requests calls the faults that have a status of their own; every other one is a 400. */
const FAULTS: Record<string, Refusal> = {
  HPE_HEADER_OVERFLOW: { status: 431, code: 'TOO_LARGE', reason: 'the headers are too large' },
  HPE_CHUNK_EXTENSIONS_OVERFLOW: { status: 413, code: 'TOO_LARGE', reason: 'the extensions of a chunk are too large' },
  ERR_HTTP_REQUEST_TIMEOUT: { status: 408, code: 'TIMEOUT', reason: 'the request took too long to arrive' },
}

export type Answer = (request: IncomingMessage, response: ServerResponse) => void | Promise<void>
export type Upgrade = (request: IncomingMessage, socket: Duplex, head: Buffer) => void | Promise<void>

/** Makes an HTTP server. What `answer` throws is a 400, unless it has answered already. */
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
    // After a partial response, another one would be read as its rest.
    if (isBusy || !socket.writable) socket.destroy()
    else refuseSocket(socket, FAULTS[error.code ?? ''] ?? badRequest('it cannot be read as HTTP'))
  })
  server.on('connect', (_, socket) => {
    refuseSocket(socket, { status: 405, code: 'METHOD_NOT_ALLOWED', reason: 'this server is not a proxy' })
  })
  return server
}

/** Hands the requests for another protocol on. What `admit` throws is a 400. */
export function guardUpgrades(server: Server, admit: Upgrade): void {
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    socket.on('error', () => socket.destroy())
    guard(
      () => admit(request, socket, head),
      (error) => refuseSocket(socket, refusalFor(error)),
    )
  })
}

/** The one catch: does what the bytes of a socket ask for, and hands whatever is thrown, now or later, to `fail`. */
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

/** An unexpected error reveals nothing about the server. */
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
