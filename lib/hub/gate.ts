import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'

/** Why a request is not let in. */
export interface Refusal {
  status: number
  code: string
  reason: string
}

const LOCAL_NAMES = ['localhost', '127.0.0.1', '[::1]']

/** Makes an unguessable token. */
export function createToken(): string {
  return randomBytes(32).toString('base64url')
}

/** Authenticates requests by token, and refuses foreign `Host` and `Origin` headers (DNS rebinding, CSRF). */
export class Gate {
  readonly token: string
  private readonly digest: Buffer
  private readonly names: Set<string>

  /** `names` are host names beyond those of the machine itself. */
  constructor(token: string, names: string[] = []) {
    this.token = token
    this.digest = digestOf(token)
    this.names = new Set([...LOCAL_NAMES, ...names.map((name) => bracketed(name.toLowerCase()))])
  }

  /** Checks that the request was meant for this server (a page of another name could lead here) and sent by no other page. */
  checkPlace(request: IncomingMessage): Refusal | undefined {
    const { host, origin } = request.headers
    if (host === undefined || !this.isOwn(host, request)) {
      return { status: 403, code: 'FORBIDDEN', reason: 'the Host header names another server' }
    }
    if (origin !== undefined && !(origin.startsWith('http://') && this.isOwn(origin.slice(7), request))) {
      return { status: 403, code: 'FORBIDDEN', reason: 'the Origin header names another page' }
    }
    return undefined
  }

  /** Checks the token, out of `Authorization: Bearer` or as it was found elsewhere. */
  checkToken(request: IncomingMessage, given?: string | null): Refusal | undefined {
    const bearer = /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? '')?.[1]
    const token = bearer ?? given
    if (token === undefined || token === null) {
      return { status: 401, code: 'UNAUTHORIZED', reason: 'a token is required: Authorization: Bearer <token>' }
    }
    // Digests have one length, so that the time it takes tells nothing.
    if (timingSafeEqual(digestOf(token), this.digest)) return undefined
    return {
      status: 401,
      code: 'UNAUTHORIZED',
      reason: 'the token is not the one that this server printed when it started',
    }
  }

  private isOwn(authority: string, request: IncomingMessage): boolean {
    const match = /^(\[[0-9a-f:.]+\]|[^:/?#@\s]+)(?::(\d+))?$/i.exec(authority)
    if (!match) return false
    const name = (match[1] ?? '').toLowerCase()
    if (Number(match[2] ?? 80) !== request.socket.localPort) return false
    return this.names.has(name) || name === bracketed(plain(request.socket.localAddress ?? ''))
  }
}

function digestOf(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}

function bracketed(name: string): string {
  return isIP(name) === 6 ? `[${name}]` : name
}

/** An IPv4 address may come in the clothes of an IPv6 one. */
function plain(address: string): string {
  return address.startsWith('::ffff:') ? address.slice(7) : address
}
