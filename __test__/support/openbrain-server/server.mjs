// A server on this machine that speaks the dialects of OpenBrain, with their bugs, and fails on request.
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import http from 'node:http'
import { Brain } from './brain.mjs'
import { answerRest } from './rest.mjs'
import { ob1, openBrain } from './tools.mjs'

/**
 * Starts a server: REST at `rest`, MCP over events at `sse`, the other dialect at `ob1`. `faults` is a list; the first whose `on` fits a
 * request decides about it and counts down its `times`: `holds` asks for a text in the body; `status`+`body` answer in place of the work;
 * `before: 'drop'` and `after: 'drop'` cut the connection before or after the work is done; `after: 'hang'` does the work and never
 * answers; `raw` answers with these bytes.
 */
export async function startOpenBrain({ key, port = 0, brain = new Brain(), capabilities } = {}) {
  const state = { key, brain, faults: [], requests: [], sessions: new Map(), capabilities, sockets: new Set() }
  const server = http.createServer((request, response) => {
    handle(state, request, response).catch((error) => {
      response.destroy(error)
    })
  })
  server.on('connection', (socket) => {
    state.sockets.add(socket)
    socket.on('close', () => state.sockets.delete(socket))
  })
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  const base = `http://127.0.0.1:${server.address().port}`
  return {
    state,
    brain,
    rest: base,
    sse: `${base}/sse`,
    ob1: `${base}/ob1/mcp`,
    port: server.address().port,
    fail: (...faults) => state.faults.push(...faults.map((fault) => ({ times: 1, ...fault }))),
    forgetSessions: () => state.sessions.clear(),
    close: async () => {
      for (const socket of state.sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

function fits({ on, holds }, name, body) {
  return (on === undefined || on.test(name)) && (holds === undefined || JSON.stringify(body ?? '').includes(holds))
}

async function readBody(request) {
  const chunks = []
  for await (const chunk of request) chunks.push(chunk)
  const text = Buffer.concat(chunks).toString('utf8')
  return text === '' ? undefined : JSON.parse(text)
}

/** A body that is not JSON, which must be reported as an error of the server. */
async function bodyOf(request, response) {
  try {
    return { body: await readBody(request) }
  } catch (error) {
    send(response, 500, { error: error.message })
    return undefined
  }
}

async function handle(state, request, response) {
  const url = new URL(request.url, 'http://localhost')
  const read = await bodyOf(request, response)
  if (read === undefined) return
  const { body } = read
  const name = body?.method === 'tools/call' ? body.params.name : `${request.method} ${url.pathname}`
  state.requests.push({ name, url: request.url, headers: request.headers, body })
  const fault = state.faults.find((one) => one.times > 0 && fits(one, name, body))
  if (fault !== undefined) fault.times -= 1
  if (fault?.before === 'drop') return request.socket.destroy()
  if (fault?.raw !== undefined) return raw(response, fault)
  if (fault?.status !== undefined) return send(response, fault.status, fault.body ?? {}, fault.headers)
  const finish = (write) => {
    if (fault?.after === 'drop') return request.socket.destroy()
    if (fault?.after !== 'hang') write()
  }
  const call = { method: request.method, path: url.pathname, query: url.searchParams, body }
  if (url.pathname === '/sse' || url.pathname === '/messages')
    return events(state, request, response, url, body, finish, fault)
  if (url.pathname === '/ob1/mcp') return streamable(state, request, response, body, finish)
  const [status, answer] = answerRest(call, state.brain, { capabilities: state.capabilities })
  finish(() => send(response, status, answer))
}

function send(response, status, body, headers = {}) {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
}

/** Invalid responses: too large, or not text. */
function raw(response, { raw: bytes, repeat = 1, type = 'application/octet-stream' }) {
  response.writeHead(200, { 'content-type': type })
  let left = repeat
  const more = () => {
    while (left > 0) {
      left -= 1
      if (!response.write(bytes)) return response.once('drain', more)
    }
    response.end()
  }
  more()
}

function isAllowed({ key }, request) {
  return key === undefined || request.headers['x-brain-key'] === key
}

/** The old pair of MCP over HTTP: a stream of events down, single posts up. Sessions live in this process. */
function events(state, request, response, url, body, finish, fault) {
  if (url.pathname === '/sse') {
    if (request.method !== 'GET') return send(response, 404, { error: 'Not Found' })
    if (!isAllowed(state, request)) return send(response, 401, { error: 'Unauthorized' })
    const session = randomUUID()
    state.sessions.set(session, response)
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write(`event: endpoint\ndata: /messages?sessionId=${session}\n\n`)
    return
  }
  const stream = state.sessions.get(url.searchParams.get('sessionId'))
  if (stream === undefined) {
    response.writeHead(400, { 'content-type': 'text/plain' }).end('No active session. Connect to /sse first.')
    return
  }
  const answer = answerRpc(openBrain, state.brain, body, fault)
  finish(() => {
    response.writeHead(202).end('Accepted')
    if (answer !== undefined) stream.write(`event: message\ndata: ${JSON.stringify(answer)}\n\n`)
  })
}

/** The other dialect: no session, every answer one event, and a wrong key is a success with an error in it. */
function streamable(state, request, response, body, finish) {
  if (request.method !== 'POST') return send(response, 405, { error: 'Method Not Allowed' })
  if (!isAllowed(state, request)) {
    const error = { code: -32001, message: 'Unauthorized' }
    return send(response, 200, { jsonrpc: '2.0', id: body?.id ?? null, error })
  }
  const answer = answerRpc(ob1, state.brain, body)
  finish(() => {
    if (answer === undefined) return response.writeHead(202).end()
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.end(`event: message\ndata: ${JSON.stringify(answer)}\n\n`)
  })
}

function answerRpc(dialect, brain, { id, method, params }, fault) {
  if (id === undefined) return undefined
  return { jsonrpc: '2.0', id, result: resultOf(dialect, brain, method, params, fault) }
}

function resultOf(dialect, brain, method, params, fault) {
  switch (method) {
    case 'initialize':
      return { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo: dialect.serverInfo }
    case 'tools/list':
      return { tools: dialect.tools }
    case 'tools/call':
      if (fault?.toolError !== undefined) {
        return { content: [{ type: 'text', text: `Error: ${fault.toolError}` }], isError: true }
      }
      return dialect.call(brain, params.name, params.arguments ?? {})
    default:
      return {}
  }
}
