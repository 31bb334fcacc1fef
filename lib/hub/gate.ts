import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'
import { variable } from '../shared/environment.js'
import { isOfThisUser } from './peer.js'

/** Why a request is refused. */
export interface Refusal {
  status: number
  code: string
  reason: string
}

const LOCAL_NAMES = ['localhost', '127.0.0.1', '[::1]']

/** Who may connect: clients with the token, or also those of this machine that are, as far as the system tells, of the same user. */
export type Auth = 'token' | 'local'

/** Makes an unguessable token. */
export function createToken(): string {
  return randomBytes(32).toString('base64url')
}

/** Authenticates requests by token, and refuses foreign `Host` and `Origin` headers (DNS rebinding, CSRF). */
export class Gate {
  readonly token: string
  private readonly digest: Buffer
  private readonly names: Set<string>
  /** True if programs of this machine are let in without the token. */
  readonly isLocal: boolean

  /** `names` are accepted host names other than those of the machine itself. */
  constructor(token: string, names: string[] = [], auth: Auth = 'token') {
    this.token = token
    this.isLocal = auth === 'local'
    this.digest = digestOf(token)
    this.names = new Set([...LOCAL_NAMES, ...names.map((name) => bracketed(name.toLowerCase()))])
  }

  /** Checks `Host` (DNS rebinding) and `Origin` (requests of other pages). */
  checkPlace(request: IncomingMessage): Refusal | undefined {
    const { host, origin } = request.headers
    if (host === undefined || !this.isOwn(host, request)) {
      return { status: 403, code: 'FORBIDDEN', reason: 'the Host header names another server' }
    }
    if (origin !== undefined && !this.isAdmitted(origin, request)) {
      return { status: 403, code: 'FORBIDDEN', reason: 'the Origin header names another page' }
    }
    return undefined
  }

  /** Checks the token of the `Authorization: Bearer` header, or one that was passed in another way. */
  checkToken(request: IncomingMessage, given?: string | null): Refusal | undefined {
    const bearer = /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? '')?.[1]
    const token = bearer ?? given
    if (this.isLocal && isFromHere(request) && isOfThisUser(request.socket)) return undefined
    if (token === undefined || token === null) {
      return { status: 401, code: 'UNAUTHORIZED', reason: 'a token is required: Authorization: Bearer <token>' }
    }
    // Digests of equal length are compared in constant time (no timing side channel).
    if (timingSafeEqual(digestOf(token), this.digest)) return undefined
    return {
      status: 401,
      code: 'UNAUTHORIZED',
      reason: 'the token is not the one that this server printed when it started',
    }
  }

  private isAdmitted(origin: string, request: IncomingMessage): boolean {
    if (!origin.startsWith('http://')) return false
    const authority = origin.slice(7)
    return this.isOwn(authority, request) || (this.isLocal && isDashboard(authority, request))
  }

  private isOwn(authority: string, request: IncomingMessage): boolean {
    const { name, port } = partsOf(authority)
    if (port !== request.socket.localPort) return false
    return this.names.has(name) || name === bracketed(plain(request.socket.localAddress ?? ''))
  }
}

/** Splits an authority into host and port; the port is `NaN` when the authority is invalid. */
function partsOf(authority: string): { name: string; port: number } {
  const match = /^(\[[0-9a-f:.]+\]|[^:/?#@\s]+)(?::(\d+))?$/i.exec(authority)
  return { name: (match?.[1] ?? '').toLowerCase(), port: match ? Number(match[2] ?? 80) : Number.NaN }
}

/**
 * True if an origin is the dashboard of clients without a token: port 3100 beside a hub on 3101, else the port before
 * the hub's.
 */
function isDashboard(authority: string, request: IncomingMessage): boolean {
  const { name, port } = partsOf(authority)
  const ports = [Number(variable('PLAN_FORGE_HTTP_PORT')), (request.socket.localPort ?? 0) - 1]
  return LOCAL_NAMES.includes(name) && ports.includes(port)
}

function isFromHere({ socket }: IncomingMessage): boolean {
  const address = plain(socket.remoteAddress ?? '')
  return address === '::1' || address.startsWith('127.')
}

function digestOf(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}

function bracketed(name: string): string {
  return isIP(name) === 6 ? `[${name}]` : name
}

/** Unwraps an IPv4-mapped IPv6 address. */
function plain(address: string): string {
  return address.startsWith('::ffff:') ? address.slice(7) : address
}
