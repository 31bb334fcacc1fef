import {
  type JSONRPCMessage,
  parseJSONRPCMessage,
  serializeMessage,
  type Transport,
} from '@modelcontextprotocol/server'
import {
  HEAD_BYTES,
  INVALID_REQUEST,
  idInHead,
  MESSAGE_BYTES_MAX,
  PARSE_ERROR,
  refusedMessage,
  TOO_LARGE,
  withoutNullParameters,
} from './messages.js'

const LINE_FEED = 10

/**
 * The stdio transport: one JSON-RPC message per line. Unlike the transport of the SDK, which closes the connection
 * after an oversized message and ignores invalid JSON-RPC, it answers both with an error and continues.
 */
export class StdioTransport implements Transport {
  onclose?: () => void
  onerror?: (error: Error) => void
  onmessage?: (message: JSONRPCMessage) => void
  readonly #input: NodeJS.ReadableStream
  readonly #output: NodeJS.WritableStream
  /** The id of a request that was answered before the server was there. */
  #answered: string | number | undefined
  #parts: Buffer[] = []
  #bytes = 0
  #isClosed = false

  constructor(
    answered?: string | number,
    input: NodeJS.ReadableStream = process.stdin,
    output: NodeJS.WritableStream = process.stdout,
  ) {
    this.#answered = answered
    this.#input = input
    this.#output = output
  }

  async start(): Promise<void> {
    this.#input.on('data', this.#read).on('error', this.#fail).on('end', this.#end).on('close', this.#end)
    this.#output.on('error', this.#fail).on('error', this.#end)
  }

  async close(): Promise<void> {
    if (this.#isClosed) return
    this.#isClosed = true
    // The error listener of the output stays attached: a pending write may still fail.
    this.#input.off('data', this.#read).off('error', this.#fail).off('end', this.#end).off('close', this.#end)
    this.#input.pause()
    this.#parts = []
    this.onclose?.()
  }

  send(message: JSONRPCMessage): Promise<void> {
    if (this.#isClosed) return Promise.reject(new Error('standard output is closed'))
    if (this.#answered !== undefined && 'id' in message && !('method' in message) && message.id === this.#answered) {
      this.#answered = undefined
      return Promise.resolve()
    }
    return new Promise((resolve, reject) => {
      this.#output.write(serializeMessage(message), (error) => (error ? reject(error) : resolve()))
    })
  }

  #read = (chunk: Buffer | string): void => {
    let rest = typeof chunk === 'string' ? Buffer.from(chunk) : chunk
    for (let end = rest.indexOf(LINE_FEED); end >= 0; end = rest.indexOf(LINE_FEED)) {
      this.#hold(rest.subarray(0, end))
      this.#takeLine()
      rest = rest.subarray(end + 1)
    }
    this.#hold(rest)
  }

  #hold(part: Buffer): void {
    this.#bytes += part.length
    if (part.length === 0) return
    this.#parts.push(part)
    // Of one that is too large, the beginning says whose it is.
    if (this.#bytes > MESSAGE_BYTES_MAX) this.#parts = [Buffer.concat(this.#parts).subarray(0, HEAD_BYTES)]
  }

  #takeLine(): void {
    const isTooLarge = this.#bytes > MESSAGE_BYTES_MAX
    const line = Buffer.concat(this.#parts)
    this.#parts = []
    this.#bytes = 0
    if (isTooLarge) this.#answer(TOO_LARGE, idInHead(line))
    else this.#take(line.toString('utf8').trim())
  }

  #take(line: string): void {
    if (line === '') return
    let message: JSONRPCMessage
    try {
      message = parseJSONRPCMessage(withoutNullParameters(JSON.parse(line)))
    } catch (error) {
      if (error instanceof SyntaxError) this.#answer(PARSE_ERROR)
      else this.#answer(INVALID_REQUEST, idIn(line))
      return
    }
    try {
      this.onmessage?.(message)
    } catch (error) {
      this.#fail(error as Error)
    }
  }

  #answer(code: number, id?: string | number | null): void {
    // JSON-RPC requires the id null when the id of the request is unknown; the types of the SDK do not allow it.
    this.send(refusedMessage(code, id) as unknown as JSONRPCMessage).catch(this.#fail)
  }

  #fail = (error: Error): void => {
    this.onerror?.(error)
  }

  #end = (): void => {
    void this.close()
  }
}

function idIn(line: string): string | number | null {
  const { id } = (JSON.parse(line) ?? {}) as { id?: unknown }
  return typeof id === 'string' || typeof id === 'number' ? id : null
}
