/** What `forge-memory/mcp` hands out, in types that ask for no other package. */

/** The tools of a server, as `loadTools` loads them. */
export interface ToolSet {
  /** The name of the profile. */
  readonly name: string
  /** The names of its tools. */
  readonly tools: readonly string[]
}

export interface HttpOptions {
  /** 0, or absent, takes any free port. */
  port?: number
  /** What callers show as `Authorization: Bearer`; a new one when absent. */
  token?: string
  /** Told of what went wrong outside of any answer. */
  onerror?: (error: Error) => void
}

export interface HttpAddress {
  url: string
  token: string
  close(): Promise<void>
}

export interface StdioOptions {
  /** Told of what went wrong outside of any answer. */
  onerror?: (error: Error) => void
}

/** A server on standard input and output. */
export interface StdioHandle {
  close(): Promise<void>
}

/** A transport of the caller's own: whatever implements the `Transport` of the protocol's SDK. */
export interface McpTransport {
  start(): Promise<void>
  send(message: object, options?: object): Promise<void>
  close(): Promise<void>
}

/** A server that waits for its transport. */
export interface ConnectableServer {
  connect(transport: McpTransport): Promise<void>
  close(): Promise<void>
}

export interface MemoryMcpServer {
  /** Makes an instance for a transport of the caller's own. */
  build(): ConnectableServer
  /** Serves standard input and output until the client closes them. */
  serveStdio(options?: StdioOptions): StdioHandle
  /** Serves streamable HTTP under `/mcp`, to callers who have the token. */
  serveHttp(options?: HttpOptions): Promise<HttpAddress>
}
