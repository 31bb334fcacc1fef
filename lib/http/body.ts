import type { IncomingMessage } from 'node:http'
import { isObject } from '../shared/json.js'
import { problem } from '../shared/problem.js'

const BODY_BYTES_MAX = 1 << 20

/** Reads the JSON object of a request. Throws `TOO_LARGE`, `UNSUPPORTED_MEDIA` or `INVALID_INPUT`. */
export async function readBody(request: IncomingMessage): Promise<Record<string, unknown>> {
  if (request.method === 'GET' || request.method === 'HEAD') return {}
  const bytes = await collect(request)
  if (bytes.length === 0) return {}
  // A page of another origin can send `text/plain` without a CORS preflight, but not JSON.
  if (!/^application\/json\b/i.test(request.headers['content-type'] ?? '')) {
    throw problem('UNSUPPORTED_MEDIA', 'the body has to be application/json')
  }
  return parse(bytes)
}

function parse(bytes: Buffer): Record<string, unknown> {
  let value: unknown
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch {
    throw problem('INVALID_INPUT', 'body: expected JSON in UTF-8')
  }
  if (isObject(value)) return value
  throw problem('INVALID_INPUT', 'body: expected an object')
}

async function collect(request: IncomingMessage): Promise<Buffer> {
  const tooLarge = () => problem('TOO_LARGE', `the body is larger than ${BODY_BYTES_MAX} bytes`)
  if (Number(request.headers['content-length'] ?? 0) > BODY_BYTES_MAX) throw tooLarge()
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > BODY_BYTES_MAX) throw tooLarge()
    chunks.push(chunk)
  }
  return Buffer.concat(chunks, bytes)
}

/** Refuses unknown fields in a body, so that a misspelled one is not ignored. */
export function onlyFields(body: Record<string, unknown>, names: string[]): void {
  for (const name of Object.keys(body)) {
    if (!names.includes(name)) throw problem('INVALID_INPUT', `${name.slice(0, 64)}: unknown field`)
  }
}
