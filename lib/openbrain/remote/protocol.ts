// The client of MCP, bundled into a file of its own: only who uses a remote store, or checks agents, loads it.
export { Client, SSEClientTransport, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
export { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
