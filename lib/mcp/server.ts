import { resolve } from 'node:path'
import { type CallToolResult, McpServer } from '@modelcontextprotocol/server'
import { agentStanding } from '../native.js'
import { given } from '../shared/given.js'
import { pauseOf } from '../shared/pause.js'
import { callTool, failed, publishedSchema, type Tool, type ToolContext } from './answer/tool.js'
import { CAPABILITIES, instructionsFor, SERVER } from './initialize.js'
import { withPlainErrors } from './plain-errors.js'
import { ProjectOfCalls } from './project.js'
import { registerPrompts } from './prompts.js'
import { registerResources } from './resources.js'
import { projectLine } from './whereabouts.js'

const SWITCHED_OFF = 'The memory of this project is switched off (FORGE_MEMORY=off).'

/** The components of a server. */
export interface ServerParts {
  /** The project, if it is named. */
  projectDir: string | undefined
  /** Called with the project that is in use. */
  onproject?: (projectDir: string) => void
  tools: Tool[]
  /** True if tools have output schemas and structured content. */
  structured: boolean
  instructions?: string
}

/** Creates a server with these tools and every resource and prompt. The caller connects a transport. */
export function buildServer({ projectDir, onproject, tools, structured, instructions }: ServerParts): McpServer {
  const isOff = agentStanding(given({ projectDir })).state === 'off'
  const server = new McpServer(
    SERVER,
    isOff
      ? { instructions: SWITCHED_OFF, capabilities: { tools: {} } }
      : {
          instructions: instructionsFor(projectLine(projectDir), instructions),
          capabilities: CAPABILITIES,
        },
  )
  const connect = server.connect.bind(server)
  server.connect = (transport) => connect(withPlainErrors(transport))
  // With the memory switched off, the server registers nothing, so that it costs the client no tokens.
  if (isOff) return server
  const project = new ProjectOfCalls(projectDir, onproject)
  project.follow(server)
  for (const tool of tools) {
    const { name, title, description, output, annotations } = tool
    server.registerTool(
      name,
      {
        title,
        description,
        inputSchema: publishedSchema(tool),
        ...(structured ? { outputSchema: output() } : {}),
        annotations,
      },
      async (input, context) => {
        const client = clientName(server.server.getClientVersion()?.name)
        const answer = await callIn(project, tool, input, { client, signal: context.mcpReq.signal })
        // Some hosts put both the text and the structured content into the context.
        if (!structured) delete answer.structuredContent
        return answer
      },
    )
  }
  const current = () => project.of({})
  registerResources(server, current)
  registerPrompts(server, current)
  // The SDK announces notifications of changed lists, and none of these lists changes.
  server.server.registerCapabilities(CAPABILITIES)
  return server
}

/** Calls a tool in the project that its arguments are about. Some tools take its folder as an argument. */
async function callIn(
  project: ProjectOfCalls,
  tool: Tool,
  input: unknown,
  call: Omit<ToolContext, 'projectDir'>,
): Promise<CallToolResult> {
  let projectDir: string
  try {
    projectDir = folderIn(tool, input) ?? (await project.of(input))
  } catch (error) {
    return failed(error, tool.annotations)
  }
  return paused(projectDir, tool) ?? callTool(tool, input, { projectDir, ...call })
}

function folderIn(tool: Tool, input: unknown): string | undefined {
  if (!Object.hasOwn(tool.input.shape, 'path') || typeof input !== 'object' || input === null) return undefined
  const { path: named, targetPath } = input as { path?: unknown; targetPath?: unknown }
  const path = named ?? targetPath
  return typeof path === 'string' && path !== '' ? resolve(path) : undefined
}

/** Hosts that call themselves otherwise than everything else here does. */
const CLIENTS: Record<string, string> = {
  'claude-code': 'claude',
  'cursor-vscode': 'cursor',
  'codex-mcp-client': 'codex',
}

/** Turns the name that a client gives itself into a part of a source: lower-case letters, digits, `_`, `-`, `.`. */
function clientName(given: string | undefined): string {
  const name = (given ?? '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9_.-]+/g, '-')
    .replace(/^[^a-z0-9]+/, '')
    .replace(/-+$/, '')
    .slice(0, 64)
  return Object.hasOwn(CLIENTS, name) ? (CLIENTS[name] ?? name) : name || 'agent'
}

/** The result of every tool while the user has paused the memory; undefined otherwise. */
function paused(projectDir: string, { annotations }: Tool): CallToolResult | undefined {
  const pause = pauseOf({ projectDir })
  return pause && failed(pause, annotations)
}
