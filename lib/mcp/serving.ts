/** The public types of `forge-memory/mcp`, without imports of other packages. */

/** The tools of a server, as `loadTools` returns them. */
export interface ToolSet {
  /** The name of the profile. */
  readonly name: string
  /** The names of its tools. */
  readonly tools: readonly string[]
}

export interface HttpOptions {
  /** The port; any free port when 0 or absent. */
  port?: number
  /** The address to listen on; 127.0.0.1 when absent. On another one, every machine that reaches it can try tokens. */
  host?: string
  /** The bearer token that clients must send; generated when absent. */
  token?: string
  /** Called with an error that no response can carry. */
  onerror?: (error: Error) => void
}

export interface HttpAddress {
  url: string
  token: string
  close(): Promise<void>
}

export interface StdioOptions {
  /** The id of an `initialize` request that the caller has answered already: the server's answer is left out. */
  answered?: string | number
  /** Called with the folder of the project that is in use, whenever it is found. */
  onproject?: (projectDir: string) => void
  /** Called with an error that no response can carry. */
  onerror?: (error: Error) => void
}

/** A server on standard input and output. */
export interface StdioHandle {
  close(): Promise<void>
}

/** A transport of the caller: anything that implements the `Transport` interface of the MCP SDK. */
export interface McpTransport {
  start(): Promise<void>
  send(message: object, options?: object): Promise<void>
  close(): Promise<void>
}

/** A server that is not connected to a transport yet. */
export interface ConnectableServer {
  connect(transport: McpTransport): Promise<void>
  close(): Promise<void>
}

export interface MemoryMcpServer {
  /** Creates a server for a transport of the caller. */
  build(): ConnectableServer
  /** Serves standard input and output until the client closes them. */
  serveStdio(options?: StdioOptions): StdioHandle
  /** Serves streamable HTTP under `/mcp`; requests must present the token. */
  serveHttp(options?: HttpOptions): Promise<HttpAddress>
}
