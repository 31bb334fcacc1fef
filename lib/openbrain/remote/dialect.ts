import type { Tool } from '@modelcontextprotocol/client'
import { withoutLastSlashes } from '../../shared/slashes.js'
import { StoreFailure } from '../failure.js'
import { isLoopback, type StoreSettings, type StoreTarget } from '../settings.js'
import { restServer } from './rest.js'
import type { Server } from './server.js'
import type { Transport } from './session.js'

/** The settings of a project that concern servers. */
export type RemoteOptions = Pick<StoreSettings, 'textOnly' | 'insecure' | 'timeoutMs'> & { projectDir?: string }

export type RemoteTarget = Extract<StoreTarget, { backend: 'remote' }>

/**
 * Detects the protocol of a server and opens it: REST when offered, else MCP over server-sent events, else MCP over
 * streamable HTTP.
 */
export async function connect(
  { url, key, isMcp }: RemoteTarget,
  settings: RemoteOptions,
  place: string,
): Promise<Server> {
  if (key !== undefined && url.protocol === 'http:' && !isLoopback(url.hostname) && !settings.insecure) {
    const how = 'use https, or set openbrain.insecure to true for a network that you trust'
    throw new StoreFailure('misconfigured', `the key would travel unencrypted to ${place}: ${how}`)
  }
  const isMcpPath = /\/(sse|mcp)\/?$/.test(url.pathname)
  const rest = isMcp || isMcpPath ? undefined : await restServer({ base: url, key, place }, settings.timeoutMs)
  if (rest !== undefined) return rest
  for (const [transport, address] of endpoints(url)) {
    const server = await tryEndpoint(address, key, place, transport, settings)
    if (server !== undefined) return server
  }
  throw new StoreFailure('misconfigured', `${place} is not an OpenBrain server: neither REST nor MCP answered there`)
}

function endpoints(url: URL): [Transport, URL][] {
  const events = new URL(url)
  if (!/\/(sse|mcp)\/?$/.test(url.pathname)) events.pathname = `${withoutLastSlashes(url.pathname)}/sse`
  return /\/mcp\/?$/.test(url.pathname)
    ? [['http', url]]
    : [
        ['sse', events],
        ['http', url],
      ]
}

async function tryEndpoint(
  url: URL,
  key: string | undefined,
  place: string,
  transport: Transport,
  settings: RemoteOptions,
) {
  const { Session } = await import('./session.js')
  const session = new Session(url, key, place, transport, settings.timeoutMs)
  let tools: Tool[]
  try {
    tools = await session.tools()
  } catch (error) {
    await session.close()
    if (isOtherTransport(error)) return undefined
    throw error
  }
  return serverFor(session, tools, transport, place, settings.textOnly)
}

/**
 * True if an error means that the endpoint does not exist or is not meant for this kind of request, so that another
 * transport may work.
 */
function isOtherTransport(error: unknown): boolean {
  if (!(error instanceof StoreFailure)) return false
  return [400, 404, 405, 406, 415, 426, 501].includes(Number(error.status))
}

async function serverFor(
  session: import('./session.js').Session,
  tools: Tool[],
  transport: Transport,
  place: string,
  textOnly: boolean,
): Promise<Server> {
  const capture = tools.find(({ name }) => name === 'capture_thought')
  if (capture === undefined) {
    await session.close()
    throw new StoreFailure('misconfigured', `${place} is an MCP server without capture_thought, so it is not OpenBrain`)
  }
  const fields = Object.keys(capture.inputSchema.properties ?? {})
  if (fields.includes('project')) {
    const { McpServer } = await import('./mcp.js')
    return new McpServer(session, tools, transport, place)
  }
  if (!textOnly) {
    await session.close()
    const how = 'set openbrain.textOnly to true to send the rest inside of the text'
    const loss = 'it would silently drop project, source, type and id'
    throw new StoreFailure('misconfigured', `${place} keeps only the text of a thought; ${loss}: ${how}`)
  }
  const { ProseServer } = await import('./prose.js')
  return new ProseServer(session, tools)
}
