import type { IncomingMessage } from 'node:http'
import { decoded } from '../shared/json.js'
import type { Query } from './query.js'

export interface Call {
  /** The values of the path's parameters, decoded. */
  path: Record<string, string>
  query: Query
  /** The JSON object of the body; empty when there is no body. */
  body: Record<string, unknown>
  request: IncomingMessage
}

export interface Reply {
  status?: number
  headers?: Record<string, string>
  body: unknown
}

type Handler = (call: Call) => Reply | Promise<Reply>

export interface Route {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  /** The path. A segment that begins with a colon is a parameter. */
  pattern: string
  handler: Handler
}

/** A route that reads: its answer is the body of the reply. */
export function get(pattern: string, answer: (query: Query, path: Call['path']) => unknown): Route {
  return { method: 'GET', pattern, handler: async ({ query, path }) => ({ body: await answer(query, path) }) }
}

/** A route that changes something: its answer is the body of the reply. */
export function post(pattern: string, answer: (body: Call['body']) => unknown): Route {
  return { method: 'POST', pattern, handler: async ({ body }) => ({ body: await answer(body) }) }
}

type Match = { handler: Handler; path: Record<string, string> } | { allow: string[] } | undefined

/**
 * Finds the route of a request. Returns the allowed methods when only the method differs, and undefined when no pattern
 * matches.
 */
export function findRoute(routes: Route[], method: string, pathname: string): Match {
  const allow: string[] = []
  for (const route of routes) {
    const path = matchPath(route.pattern, pathname)
    if (!path) continue
    if (route.method === method || (method === 'HEAD' && route.method === 'GET'))
      return { handler: route.handler, path }
    allow.push(route.method)
  }
  return allow.length > 0 ? { allow } : undefined
}

function matchPath(pattern: string, pathname: string): Record<string, string> | undefined {
  const wanted = pattern.split('/')
  const given = pathname.split('/')
  if (wanted.length !== given.length) return undefined
  const path: Record<string, string> = {}
  for (const [at, part] of wanted.entries()) {
    const text = given[at] ?? ''
    if (!part.startsWith(':')) {
      if (part !== text) return undefined
      continue
    }
    const value = decoded(text)
    if (value === undefined || value === '') return undefined
    path[part.slice(1)] = value
  }
  return path
}
