import { readConfinedText } from '../shared/confined.js'
import { given } from '../shared/given.js'
import { withoutComments } from '../shared/json-comments.js'
import { SERVER_FILE_BYTES_MAX, SERVER_FILES } from '../shared/named-store.js'

export { withoutComments } from '../shared/json-comments.js'

/** An OpenBrain server in the configuration of an agent of this project. */
export interface DiscoveredServer {
  url: string
  key?: string
  /** The environment variables that the file names for the address and for the key. The user has to approve them. */
  urlVariable?: string
  keyVariable?: string
}

const VARIABLE = /^\$\{(?:env:)?(\w+)\}$/

type Entry = { url?: unknown; headers?: Record<string, unknown> }

/** Finds an OpenBrain server in the MCP configuration files of agents, which may contain comments. */
export function discoverServer(projectDir: string, env: NodeJS.ProcessEnv = process.env): DiscoveredServer | undefined {
  for (const file of SERVER_FILES) {
    const found = serverIn(projectDir, file, env)
    if (found !== undefined) return found
  }
  return undefined
}

function serverIn(projectDir: string, file: string, env: NodeJS.ProcessEnv): DiscoveredServer | undefined {
  const config = readJson(projectDir, file) as
    | { servers?: Record<string, Entry>; mcpServers?: Record<string, Entry> }
    | undefined
  const servers = config?.servers ?? config?.mcpServers
  if (typeof servers !== 'object' || servers === null) return undefined
  const [, entry] = Object.entries(servers).find(([name]) => /open-?brain/i.test(name)) ?? []
  const url = resolved(entry?.url, env)
  if (url === undefined) return undefined
  const header = Object.entries(entry?.headers ?? {}).find(([name]) => name.toLowerCase() === 'x-brain-key')
  const key = resolved(header?.[1], env)
  const [urlVariable, keyVariable] = [variableIn(entry?.url), variableIn(header?.[1])]
  return {
    url,
    ...given({ key, urlVariable, keyVariable }),
  }
}

function variableIn(value: unknown): string | undefined {
  return typeof value === 'string' ? VARIABLE.exec(value.trim())?.[1] : undefined
}

function resolved(value: unknown, env: NodeJS.ProcessEnv): string | undefined {
  if (typeof value !== 'string' || value.trim() === '') return undefined
  const name = variableIn(value)
  return name === undefined ? value.trim() : env[name]?.trim() || undefined
}

function readJson(projectDir: string, file: string): unknown {
  try {
    const text = readConfinedText(projectDir, file, SERVER_FILE_BYTES_MAX)
    return text === undefined ? undefined : JSON.parse(withoutComments(text))
  } catch {
    // Unreadable or invalid; the agent that owns the file reports that.
    return undefined
  }
}
