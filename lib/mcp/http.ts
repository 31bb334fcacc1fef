import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { type NodeIncomingMessageLike, toNodeHandler } from '@modelcontextprotocol/node'
import { createMcpHandler, type McpServer } from '@modelcontextprotocol/server'
import { createToken, Gate, type Refusal } from '../hub/gate.js'
import { createGuardedServer } from '../hub/guarded-server.js'
import { listen } from '../hub/listen.js'
import { targetOf } from '../hub/target.js'
import { bodyOf, problem } from '../shared/problem.js'
import {
  HEAD_BYTES,
  idInHead,
  MESSAGE_BYTES_MAX,
  PARSE_ERROR,
  refusedMessage,
  TOO_LARGE,
  withoutNullParameters,
} from './messages.js'
import type { HttpAddress, HttpOptions } from './serving.js'

/** The loopback. For access over a network, put a reverse proxy with its own access rules in front. */
const HOST = '127.0.0.1'
const PATH = '/mcp'
const READ_BYTES_MAX = 16 * MESSAGE_BYTES_MAX
const METHODS = ['GET', 'POST', 'DELETE']

/** Serves MCP over streamable HTTP. Rejects when the port is taken. */
export async function serveHttp(build: () => McpServer, options: HttpOptions = {}): Promise<HttpAddress> {
  const { port = 0, host = HOST, token = createToken(), onerror = () => undefined } = options
  const handler = createMcpHandler(build, { onerror })
  const answer = toNodeHandler(handler, { onerror })
  const gate = new Gate(token, [host])
  const server = createGuardedServer(async (request, response) => {
    const refusal = refusalOf(gate, request)
    if (refusal) {
      refuse(response, refusal)
      return
    }
    const message = request.method === 'POST' ? await readMessage(request) : { value: undefined }
    if ('code' in message) refuseMessage(response, message)
    else await answer(request as NodeIncomingMessageLike, response, message.value).catch(onerror)
  })
  const taken = await listen(server, port, host, 1)
  return { url: `http://${nameOf(host)}:${taken}${PATH}`, token, close: () => close(server) }
}

/** The name in the address that is shown: a server on all addresses answers on the loopback too. */
function nameOf(host: string): string {
  if (host === '0.0.0.0' || host === '::') return HOST
  return host.includes(':') ? `[${host}]` : host
}

function refusalOf(gate: Gate, request: IncomingMessage): Refusal | undefined {
  const place = gate.checkPlace(request)
  if (place) return place
  const { pathname } = targetOf(request)
  if (!METHODS.includes(request.method ?? '')) {
    return {
      status: 405,
      code: 'METHOD_NOT_ALLOWED',
      reason: `the method is not allowed; expected ${METHODS.join(', ')}`,
    }
  }
  const refusal = gate.checkToken(request)
  if (refusal) return { ...refusal, reason: `${refusal.reason}; forge-memory mcp prints it at its start` }
  if (pathname === PATH) return undefined
  return { status: 404, code: 'NOT_FOUND', reason: `the server answers under ${PATH} only` }
}

function refuse(response: ServerResponse, { status, code, reason }: Refusal): void {
  response.writeHead(status, {
    'content-type': 'application/json',
    connection: 'close',
    ...(status === 401 ? { 'www-authenticate': 'Bearer' } : {}),
    ...(status === 405 ? { allow: METHODS.join(', ') } : {}),
  })
  response.end(bodyOf(problem(code, reason)))
}

/** A message that is refused: why, and its id where that is known. */
interface Refused {
  code: number
  id?: string | number | null
}

/**
 * Parses the JSON body. The rest of an oversized body is read and discarded for a while, because a client reads the
 * response only after it has sent its request.
 */
async function readMessage(request: IncomingMessage): Promise<{ value: unknown } | Refused> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length
    chunks.push(chunk)
    // Of one that is too large, the beginning says whose it is.
    if (bytes > MESSAGE_BYTES_MAX) chunks.splice(0, chunks.length, Buffer.concat(chunks).subarray(0, HEAD_BYTES))
    if (bytes > READ_BYTES_MAX) break
  }
  if (bytes > MESSAGE_BYTES_MAX) return { code: TOO_LARGE, id: idInHead(Buffer.concat(chunks)) }
  try {
    return { value: withoutNullParameters(JSON.parse(Buffer.concat(chunks, bytes).toString('utf8'))) }
  } catch {
    return { code: PARSE_ERROR }
  }
}

function refuseMessage(response: ServerResponse, { code, id }: Refused): void {
  response.writeHead(code === TOO_LARGE ? 413 : 400, { 'content-type': 'application/json', connection: 'close' })
  response.end(JSON.stringify(refusedMessage(code, id)))
}

/** Waits up to a second for requests in flight; idle keep-alive connections are closed at once. */
function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    const closeTimer = setTimeout(() => server.closeAllConnections(), 1000)
    server.close(() => {
      clearTimeout(closeTimer)
      resolve()
    })
    server.closeIdleConnections()
  })
}
