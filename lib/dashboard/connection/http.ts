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
export async function ask<T>(path: string, request: Request = {}): Promise<T> {
  return (await (await send(path, request)).json()) as T
}

/** The answer to a change, and the name under which it can be taken back; absent when it cannot. */
export interface Changed<T> {
  answer: T
  undo: string | undefined
}

export async function change<T>(path: string, request: Request): Promise<Changed<T>> {
  const response = await send(path, request)
  return { answer: (await response.json()) as T, undo: response.headers.get('forge-undo') ?? undefined }
}

async function send(path: string, { method = 'GET', query = {}, body, signal }: Request): Promise<Response> {
  // The server keeps the changes of this page for `undo`, as the command line does.
  const headers: Record<string, string> = { authorization: `Bearer ${token.value}`, 'forge-page': 'yes' }
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
  return response
}
