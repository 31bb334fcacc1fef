// The client of MCP, bundled into a file of its own: only users of a remote store, and checks of agents, load it.
export { Client, SSEClientTransport, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
export { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
