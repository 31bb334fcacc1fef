import { type CallToolResult, McpServer } from '@modelcontextprotocol/server'
import { isOffByEnvironment, standingOf } from '../moment/switches.js'
import { findProject } from '../native.js'
import { given } from '../shared/given.js'
import { problem } from '../shared/problem.js'
import { callTool, failed, publishedSchema, type Tool } from './answer/tool.js'
import { INSTRUCTIONS, SERVER } from './initialize.js'
import { registerPrompts } from './prompts.js'
import { registerResources } from './resources.js'

const SWITCHED_OFF = 'The memory of this project is switched off (FORGE_MEMORY=off).'

/** The components of a server. */
export interface ServerParts {
  projectDir: string | undefined
  tools: Tool[]
  /** Whether tools have output schemas and structured content. */
  structured: boolean
  instructions?: string
}

/** Creates a server with these tools and every resource and prompt. The caller connects a transport. */
export function buildServer({ projectDir, tools, structured, instructions = INSTRUCTIONS }: ServerParts): McpServer {
  const server = new McpServer(
    SERVER,
    isOffByEnvironment()
      ? { instructions: SWITCHED_OFF, capabilities: { tools: {} } }
      : { instructions, capabilities: { tools: {}, resources: {}, prompts: {} } },
  )
  // With the memory switched off, the server registers nothing, so that it costs the client no tokens.
  if (isOffByEnvironment()) return server
  for (const tool of tools) {
    const { name, title, description, output, annotations } = tool
    server.registerTool(
      name,
      {
        title,
        description,
        inputSchema: publishedSchema(tool),
        ...(structured ? { outputSchema: output } : {}),
        annotations,
      },
      async (input, context) => {
        const answer =
          paused(projectDir) ??
          (await callTool(tool, input, { ...given({ projectDir }), signal: context.mcpReq.signal }))
        // Some hosts put both the text and the structured content into the context.
        if (!structured) delete answer.structuredContent
        return answer
      },
    )
  }
  registerResources(server, projectDir)
  registerPrompts(server, projectDir)
  return server
}

/** The result of every tool while the user has paused the memory; undefined otherwise. */
function paused(projectDir: string | undefined): CallToolResult | undefined {
  const memoryState = standingOf(findProject(given({ projectDir })))
  if (memoryState.state !== 'paused') return undefined
  const until = memoryState.until === undefined ? '' : ` until ${memoryState.until}`
  return failed(problem('PAUSED', `the user has paused the memory${until}; nothing was read or stored`))
}
