/** `forge-memory/mcp`: the memory as a server of the Model Context Protocol. */
import type { Transport } from '@modelcontextprotocol/server'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import type { ProjectOptions } from '../native.js'
import { given } from '../shared/given.js'
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
  /** The tools, as `loadTools` returns them; the six tools of the profile `core` when absent. */
  tools?: ToolSet
  /**
   * Whether answers contain structured content too, with an output schema for each tool. Agents read the text alone.
   */
  structured?: boolean
}

/**
 * Loads tools by name: a profile (`core`, `full`, `plan-forge`), a tool, or a comma-separated list of both. Rejects
 * with `INVALID_INPUT` for an unknown name.
 */
export function loadTools(name: string): Promise<ToolSet> {
  // Wrapped in a function, so that the type declarations of the package do not import the tools and their schemas.
  return loadProfile(name)
}

/** Creates the MCP server of a project. It serves both generations of the protocol. */
export function createMcpServer(options: McpServerOptions = {}): MemoryMcpServer {
  onlyKnown(options, { projectDir: true, tools: true, structured: true })
  const { projectDir, structured = false } = options
  const { tools, instructions } = profileOf(options.tools)
  const build = (onproject?: (projectDir: string) => void) =>
    buildServer({ projectDir, tools, structured, ...given({ instructions, onproject }) })
  return {
    build: () => {
      const server = build()
      return { connect: (transport) => server.connect(transport as Transport), close: () => server.close() }
    },
    serveStdio: ({ answered, onproject, ...options } = {}) =>
      serveStdio(() => build(onproject), { ...options, transport: new StdioTransport(answered) }),
    // Imported on demand: most agents use stdio, and do not need the HTTP server.
    serveHttp: async (options) => (await import('./http.js')).serveHttp(() => build(), options),
  }
}
