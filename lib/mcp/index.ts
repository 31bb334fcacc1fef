/** `forge-memory/mcp`: the memory as a server of the Model Context Protocol. */
import type { Transport } from '@modelcontextprotocol/server'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import type { ProjectOptions } from '../native.js'
import { onlyKnown } from '../shared/known.js'
import { loadTools as loadProfile, profileOf } from './profiles.js'
import { buildServer } from './server.js'
import type { MemoryMcpServer, ToolSet } from './serving.js'
import { StdioTransport } from './stdio.js'

export { keepDrained } from './drain.js'
export type {
  ConnectableServer,
  HttpAddress,
  HttpOptions,
  McpTransport,
  MemoryMcpServer,
  StdioHandle,
  StdioOptions,
  ToolSet,
} from './serving.js'

export interface McpServerOptions extends ProjectOptions {
  /** Which tools there are: `await loadTools('plan-forge')`; all that agents use when absent. */
  tools?: ToolSet
}

/** Loads the tools that a name stands for: `full` or `plan-forge`. Rejects with `INVALID_INPUT` when there is no such profile. */
export function loadTools(name: string): Promise<ToolSet> {
  // A function of its own, so that the package's declarations lead to no schema of a tool.
  return loadProfile(name)
}

/** Makes the MCP server of a project. Both generations of the protocol are served. */
export function createMcpServer(options: McpServerOptions = {}): MemoryMcpServer {
  onlyKnown(options, { projectDir: true, tools: true })
  const { projectDir } = options
  const { tools, instructions } = profileOf(options.tools)
  const build = () => buildServer(projectDir, tools, instructions)
  return {
    build: () => {
      const server = build()
      return { connect: (transport) => server.connect(transport as Transport), close: () => server.close() }
    },
    serveStdio: (options = {}) => serveStdio(build, { ...options, transport: new StdioTransport() }),
    // Most agents start the server on their own pipes: those never wait for the HTTP of it.
    serveHttp: async (options) => (await import('./http.js')).serveHttp(build, options),
  }
}
