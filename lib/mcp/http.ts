import { randomBytes, timingSafeEqual } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import {
  localhostHostValidation,
  localhostOriginValidation,
  type NodeIncomingMessageLike,
  toNodeHandler,
} from '@modelcontextprotocol/node'
import { createMcpHandler, type McpServer } from '@modelcontextprotocol/server'
import type { HttpAddress, HttpOptions } from './serving.js'

/** The loopback address only: whoever wants the memory on a network puts a proxy with its own rules in front. */
const HOST = '127.0.0.1'
const PATH = '/mcp'

/** Serves MCP over streamable HTTP. Rejects when the port is taken. */
export async function serveHttp(build: () => McpServer, options: HttpOptions = {}): Promise<HttpAddress> {
  const { port = 0, token = randomBytes(24).toString('base64url'), onerror = () => undefined } = options
  const handler = createMcpHandler(build, { onerror })
  const answer = toNodeHandler(handler, { onerror })
  const checks = [localhostHostValidation(), localhostOriginValidation(), bearer(token), path]
  const server = createServer((request, response) => {
    if (checks.every((passes) => passes(request, response))) {
      answer(request as NodeIncomingMessageLike, response).catch(onerror)
    }
  })
  await listen(server, port)
  const { port: taken } = server.address() as AddressInfo
  return { url: `http://${HOST}:${taken}${PATH}`, token, close: () => close(server) }
}

type Check = (request: IncomingMessage, response: ServerResponse) => boolean

function bearer(token: string): Check {
  const expected = Buffer.from(`Bearer ${token}`)
  return ({ headers }, response) => {
    const given = Buffer.from(headers.authorization ?? '')
    if (given.length === expected.length && timingSafeEqual(given, expected)) return true
    response.setHeader('www-authenticate', 'Bearer')
    return refuse(
      response,
      401,
      'UNAUTHORIZED',
      'the token is missing or wrong; forge-memory mcp prints it at its start',
    )
  }
}

const path: Check = ({ url }, response) => {
  if (url?.split('?')[0] === PATH) return true
  return refuse(response, 404, 'NOT_FOUND', `the server answers under ${PATH} only`)
}

function refuse(response: ServerResponse, status: number, code: string, message: string): false {
  response.writeHead(status, { 'content-type': 'application/json', connection: 'close' })
  response.end(JSON.stringify({ error: { code, message } }))
  return false
}

function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, HOST, () => {
      server.off('error', reject)
      resolve()
    })
  })
}

/** Lets what is being answered finish, for a second; connections that are only kept open go at once. */
function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    const patience = setTimeout(() => server.closeAllConnections(), 1000)
    server.close(() => {
      clearTimeout(patience)
      resolve()
    })
    server.closeIdleConnections()
  })
}
