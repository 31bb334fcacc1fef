import { parsedJson } from '../shared/json.js'
import { networkFailure, StoreFailure } from './failure.js'
import { foreignText } from './foreign-text.js'

/** The maximum size of a response. No response of a memory is larger. */
export const ANSWER_BYTES_MAX = 8 * 1024 * 1024

export interface Request {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  url: URL
  headers?: Record<string, string>
  body?: unknown
  timeoutMs: number
  /** The name of the server in messages. */
  place: string
}

export interface HttpAnswer {
  status: number
  /** The body parsed as JSON; undefined when it is not valid JSON. */
  value: unknown
  text: string
}

/** Sends one request. Redirects are not followed, because the key must not be sent to an address that is not configured. */
export async function send({ method, url, headers, body, timeoutMs, place }: Request): Promise<HttpAnswer> {
  try {
    const response = await fetch(url, {
      method,
      redirect: 'manual',
      signal: AbortSignal.timeout(timeoutMs),
      headers: { accept: 'application/json', ...(body === undefined ? {} : JSON_BODY), ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const text = await textOf(response, place)
    return { status: response.status, value: parsedJson(text), text }
  } catch (error) {
    throw networkFailure(error, place)
  }
}

const JSON_BODY = { 'content-type': 'application/json' }
const EXCERPT_CHARS = 300

async function textOf(response: Response, place: string): Promise<string> {
  if (response.body === null) return ''
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
    length += chunk.length
    if (length > ANSWER_BYTES_MAX) throw tooLarge(place)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

export function tooLarge(place: string): StoreFailure {
  const message = `${place} answered with more than ${ANSWER_BYTES_MAX} bytes; the answer was not read`
  return new StoreFailure('busy', message, { isUncertain: true })
}

/** Returns the error message of a response body as one line that is safe to print. */
export function detailOf({ value, text }: HttpAnswer): string {
  const body = value as { detail?: unknown; error?: unknown; message?: unknown } | undefined
  const parts = [body?.error, body?.detail, body?.message].map(wordsOf).filter((part) => part !== '')
  return foreignText(parts.length > 0 ? parts.join(': ') : text, EXCERPT_CHARS)
}

function wordsOf(part: unknown): string {
  if (typeof part === 'string') return part
  if (typeof part === 'object' && part !== null && 'message' in part) return wordsOf(part.message)
  return ''
}
