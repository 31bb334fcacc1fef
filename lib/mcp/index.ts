/** `forge-memory/mcp`: the memory as a server of the Model Context Protocol. */
import type { McpServer } from '@modelcontextprotocol/server'
import { type StdioServerHandle, serveStdio } from '@modelcontextprotocol/server/stdio'
import type { ProjectOptions } from '../index.js'
import { type HttpAddress, type HttpOptions, serveHttp } from './http.js'
import { buildServer } from './server.js'

export { keepDrained } from './drain.js'
export type { HttpAddress, HttpOptions }

export interface MemoryMcpServer {
  /** Makes an instance for a transport of the caller's own. */
  build(): McpServer
  /** Serves standard input and output until the client closes them. */
  serveStdio(options?: { onerror?: (error: Error) => void }): StdioServerHandle
  /** Serves streamable HTTP under `/mcp`, to callers who have the token. */
  serveHttp(options?: HttpOptions): Promise<HttpAddress>
}

/** Makes the MCP server of a project. Both generations of the protocol are served. */
export function createMcpServer({ projectDir }: ProjectOptions = {}): MemoryMcpServer {
  const build = () => buildServer(projectDir)
  return {
    build,
    serveStdio: (options = {}) => serveStdio(build, options),
    serveHttp: (options) => serveHttp(build, options),
  }
}
