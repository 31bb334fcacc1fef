import type { IncomingMessage } from 'node:http'
import { problem } from '../shared/problem.js'

/**
 * Reads the target of a request: the origin form (`/path?query`) or the absolute form (`http://host/path`) of RFC 9112. Throws
 * `INVALID_INPUT` for every other one.
 */
export function targetOf({ url = '' }: IncomingMessage): URL {
  const parsed = isOriginForm(url) ? parse(`http://localhost${url}`) : parse(url)
  if (parsed?.protocol === 'http:') return parsed
  throw problem('INVALID_INPUT', 'the address cannot be read: send a path such as /health')
}

/** A target that begins with two slashes resolves to a host (a protocol-relative URL), so it is not one of our paths. */
function isOriginForm(target: string): boolean {
  return target.startsWith('/') && !target.startsWith('//')
}

function parse(text: string): URL | undefined {
  return URL.canParse(text) ? new URL(text) : undefined
}
