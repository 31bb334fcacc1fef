import type { Duplex } from 'node:stream'
import type WebSocket from 'ws'
import { encodeFrame } from './frames.js'

/** The maximum number of unread bytes before a client is dropped. */
export const WAITING_BYTES_MAX = 1 << 20
/** How long a dropped client has to read the reason. */
const CLOSE_TIMEOUT_MS = 1000

export const LABEL_CHARS_MAX = 256
export const HANDLES_MAX = 256
const HANDLE_CHARS_MAX = 128

/** The public information about a client. */
export interface ClientInfo {
  clientId: string
  label: string
  connectedAt: string
  /** The event types it handles; null when it handles all. */
  handles: string[] | null
}

/** The reason why a client was dropped. */
export interface Drop {
  clientId: string
  label: string
  reason: string
  bufferedBytes: number
}

interface ClientOptions {
  clientId: string
  label: string
  handles: string[] | null
  ws: WebSocket
  socket: Duplex
  dropped(drop: Drop): void
}

/** A subscriber. Frames are encoded once and sent unchanged to every client. */
export class Client {
  readonly clientId: string
  readonly connectedAt = new Date().toISOString()
  label: string
  handles: string[] | null
  isAlive = true
  refusals = 0
  readonly ws: WebSocket
  private readonly socket: Duplex
  private readonly dropped: (drop: Drop) => void
  private isDropped = false

  constructor({ clientId, label, handles, ws, socket, dropped }: ClientOptions) {
    this.clientId = clientId
    this.label = label
    this.handles = handles
    this.ws = ws
    this.socket = socket
    this.dropped = dropped
  }

  info(): ClientInfo {
    return { clientId: this.clientId, label: this.label, connectedAt: this.connectedAt, handles: this.handles }
  }

  get isOpen(): boolean {
    return !this.isDropped && this.ws.readyState === 1 && !this.socket.destroyed
  }

  /** The number of bytes that the client has not read yet. */
  get waitingBytes(): number {
    return this.socket.writableLength
  }

  /** Sends frames. A client whose buffer is full is dropped (bounded buffer). */
  write(frames: Buffer): void {
    if (!this.isOpen) return
    if (this.waitingBytes + frames.length > WAITING_BYTES_MAX) this.drop('too slow: a mebibyte is waiting to be read')
    else this.socket.write(frames)
  }

  send(event: object): void {
    this.write(encodeFrame(JSON.stringify(event)))
  }

  /** Resolves when the buffer has space again, or when the client is gone. */
  drained(): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        this.socket.off('drain', done)
        this.socket.off('close', done)
        resolve()
      }
      this.socket.once('drain', done)
      this.socket.once('close', done)
      if (!this.isOpen || this.waitingBytes === 0) done()
    })
  }

  drop(reason: string): void {
    if (this.isDropped) return
    const bufferedBytes = this.waitingBytes
    this.isDropped = true
    this.ws.close(1013, reason.slice(0, 120))
    const timer = setTimeout(() => this.terminate(), CLOSE_TIMEOUT_MS)
    timer.unref()
    this.dropped({ clientId: this.clientId, label: this.label, reason, bufferedBytes })
  }

  close(code: number, reason: string): void {
    this.ws.close(code, reason)
  }

  ping(): void {
    this.isAlive = false
    if (this.isOpen) this.ws.ping()
  }

  terminate(): void {
    this.ws.terminate()
  }
}

/** Parses the list of types that a client handles; undefined when it is invalid. */
export function readHandles(value: unknown): string[] | null | undefined {
  if (value === null) return null
  if (!Array.isArray(value) || value.length > HANDLES_MAX) return undefined
  const isName = (name: unknown) => typeof name === 'string' && name !== '' && name.length <= HANDLE_CHARS_MAX
  return value.every(isName) ? [...new Set(value as string[])].sort() : undefined
}
