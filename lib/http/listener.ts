import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Gate } from '../hub/gate.js'
import type { Answer } from '../hub/guarded-server.js'
import { targetOf } from '../hub/target.js'
import { problem } from '../shared/problem.js'
import { sendError, sendJson, sendText } from './answer.js'
import { readBody } from './body.js'
import { sendFile } from './files.js'
import { Query } from './query.js'
import { findRoute, type Route } from './router.js'

export interface ListenerOptions {
  gate: Gate
  routes: Route[]
  /** The folder of the dashboard's files. */
  folder: string
  /** Returns the body of `/health`, with more details when the request has the token. */
  health(isKnown: boolean): object
  /** Returns the figures for a monitor, with their media type. */
  metrics(): { type: string; text: string }
}

/** Creates the request handler: `/health` and the dashboard are open to every user of this machine, `/api/` and `/metrics` need the token. */
export function createListener(options: ListenerOptions): Answer {
  return async (request, response) => {
    try {
      await answer(options, request, response)
    } catch (error) {
      sendError(request, response, error)
    }
  }
}

async function answer(options: ListenerOptions, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const refusal = options.gate.checkPlace(request)
  if (refusal) throw problem(refusal.code, refusal.reason)
  const url = targetOf(request)
  if (url.pathname === '/health') {
    const isKnown = request.headers.authorization !== undefined && !options.gate.checkToken(request)
    sendJson(request, response, 200, options.health(isKnown))
  } else if (url.pathname === '/metrics') {
    sendMetrics(options, request, response)
  } else if (url.pathname.startsWith('/api/')) {
    await answerCall(options, request, response, url)
  } else if (request.method === 'GET' || request.method === 'HEAD') {
    sendFile(request, response, options.folder, url.pathname)
  } else {
    throw problem('METHOD_NOT_ALLOWED', 'the method is not allowed; expected GET or HEAD')
  }
}

/** Figures tell as much about a project as its records do, so they need the token too. */
function sendMetrics({ gate, metrics }: ListenerOptions, request: IncomingMessage, response: ServerResponse): void {
  const refusal = gate.checkToken(request)
  if (refusal) throw problem(refusal.code, refusal.reason)
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    throw problem('METHOD_NOT_ALLOWED', 'the method is not allowed; expected GET or HEAD')
  }
  const { type, text } = metrics()
  sendText(request, response, type, text)
}

async function answerCall(
  { gate, routes }: ListenerOptions,
  request: IncomingMessage,
  response: ServerResponse,
  url: URL,
): Promise<void> {
  const refusal = gate.checkToken(request)
  if (refusal) throw problem(refusal.code, refusal.reason)
  const match = findRoute(routes, request.method ?? 'GET', url.pathname)
  if (!match) throw problem('NOT_FOUND', `no such path: ${url.pathname.slice(0, 128)}`)
  if ('allow' in match) {
    response.setHeader('Allow', match.allow.join(', '))
    throw problem('METHOD_NOT_ALLOWED', `the method is not allowed; expected ${match.allow.join(', ')}`)
  }
  const body = await readBody(request)
  const reply = await match.handler({ path: match.path, query: new Query(url.searchParams), body, request })
  sendJson(request, response, reply.status ?? 200, reply.body, reply.headers)
}
