import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Gate } from '../hub/gate.js'
import type { Answer } from '../hub/guarded-server.js'
import { targetOf } from '../hub/target.js'
import { problem } from '../shared/problem.js'
import { sendError, sendJson } from './answer.js'
import { readBody } from './body.js'
import { sendFile } from './files.js'
import { Query } from './query.js'
import { findRoute, type Route } from './router.js'

export interface ListenerOptions {
  gate: Gate
  routes: Route[]
  /** Where the pages are. */
  folder: string
  /** What `/health` says; more when the token was shown. */
  health(isKnown: boolean): object
}

/** Answers HTTP: `/health` and the pages for every user of this machine, `/api/` for clients with the token. */
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
  } else if (url.pathname.startsWith('/api/')) {
    await answerCall(options, request, response, url)
  } else if (request.method === 'GET' || request.method === 'HEAD') {
    sendFile(request, response, options.folder, url.pathname)
  } else {
    throw problem('METHOD_NOT_ALLOWED', 'the method is not allowed; expected GET or HEAD')
  }
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
  sendJson(request, response, reply.status ?? 200, reply.body)
}
