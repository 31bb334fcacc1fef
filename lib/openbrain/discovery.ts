import { readConfinedText } from '../shared/confined.js'
import { withoutComments } from '../shared/json-comments.js'

export { withoutComments } from '../shared/json-comments.js'

/** An OpenBrain server that is set up for an agent in this project. */
export interface DiscoveredServer {
  url: string
  key?: string
  /** The variables of the environment that the file names for the address and for the key; the user has to approve them. */
  urlVariable?: string
  keyVariable?: string
}

const FILES = ['.mcp.json', '.vscode/mcp.json', '.claude/mcp.json']
/** Lists of servers are short; a longer file is ignored. */
const BYTES_MAX = 1024 * 1024
const VARIABLE = /^\$\{(?:env:)?(\w+)\}$/

type Entry = { url?: unknown; headers?: Record<string, unknown> }

/** Finds an OpenBrain entry in the files where agents keep their servers. Comments are allowed there. */
export function discoverServer(projectDir: string, env: NodeJS.ProcessEnv = process.env): DiscoveredServer | undefined {
  for (const file of FILES) {
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
    ...(key === undefined ? {} : { key }),
    ...(urlVariable === undefined ? {} : { urlVariable }),
    ...(keyVariable === undefined ? {} : { keyVariable }),
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
    const text = readConfinedText(projectDir, file, BYTES_MAX)
    return text === undefined ? undefined : JSON.parse(withoutComments(text))
  } catch {
    // Not readable, or not ours to judge: agents tell their users about their own files.
    return undefined
  }
}
