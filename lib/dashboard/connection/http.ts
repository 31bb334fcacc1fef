import { token } from './address.js'
import { hintFor, Problem } from './problem.js'

export type Query = Record<string, string | number | boolean | string[] | undefined>

interface Request {
  method?: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  query?: Query
  body?: unknown
  signal?: AbortSignal
}

function addressOf(path: string, query: Query): string {
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined || value === '') continue
    for (const one of Array.isArray(value) ? value : [value]) parameters.append(name, String(one))
  }
  const text = parameters.toString()
  return text === '' ? path : `${path}?${text}`
}

async function refusal(response: Response): Promise<Problem> {
  const body = await response.json().catch(() => undefined)
  const { code, message, hint } = body?.error ?? {}
  const known = typeof code === 'string' ? code : `HTTP_${response.status}`
  return new Problem(known, message ?? `the server answered ${response.status}`, hintFor(known, hint), response.status)
}

/** Sends a request. Every failure becomes a `Problem`, except that an aborted request stays an `AbortError`. */
export async function ask<T>(path: string, { method = 'GET', query = {}, body, signal }: Request = {}): Promise<T> {
  const headers: Record<string, string> = { authorization: `Bearer ${token.value}` }
  if (body !== undefined) headers['content-type'] = 'application/json'
  const options: RequestInit = { method, headers, cache: 'no-store' }
  if (body !== undefined) options.body = JSON.stringify(body)
  if (signal) options.signal = signal
  let response: Response
  try {
    response = await fetch(addressOf(path, query), options)
  } catch (cause) {
    if (signal?.aborted) throw cause
    throw new Problem('UNREACHABLE', 'the server does not answer', hintFor('UNREACHABLE'))
  }
  if (!response.ok) throw await refusal(response)
  return (await response.json()) as T
}
