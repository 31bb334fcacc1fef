import type { IncomingMessage } from 'node:http'
import { problem } from '../shared/problem.js'

/**
 * Parses the request target: origin form (`/path?query`) or absolute form (`http://host/path`) of RFC 9112, section 3.2.
 * Throws `INVALID_INPUT` for the others.
 */
export function targetOf({ url = '' }: IncomingMessage): URL {
  const parsed = isOriginForm(url) ? parse(`http://localhost${url}`) : parse(url)
  if (parsed?.protocol === 'http:') return parsed
  throw problem('INVALID_INPUT', 'the address cannot be read: send a path such as /health')
}

/**
 * True if a target is in origin form. One that begins with two slashes would be parsed as a protocol-relative URL with
 * a host.
 */
function isOriginForm(target: string): boolean {
  return target.startsWith('/') && !target.startsWith('//')
}

function parse(text: string): URL | undefined {
  return URL.canParse(text) ? new URL(text) : undefined
}
