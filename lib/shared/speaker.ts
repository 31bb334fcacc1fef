import { randomUUID } from 'node:crypto'
import { userInfo } from 'node:os'
import type { WriteOptions } from '../native.js'

type Speaker = Pick<WriteOptions, 'author' | 'session' | 'door'>

/** Environment variables that coding agents set for the commands that they run, and the agent of each. */
const AGENT_VARIABLES: Record<string, string> = {
  CLAUDECODE: 'claude',
  CURSOR_AGENT: 'cursor',
  GEMINI_CLI: 'gemini',
  CODEX_SANDBOX: 'codex',
  CODEX_SANDBOX_NETWORK_DISABLED: 'codex',
}

/** One session id per server process, whichever client connects. */
const SERVER_SESSION = `mcp:${randomUUID()}`

/** The speaker of the tools of an MCP server. */
export const AGENT_OF_SERVER: Speaker = { author: 'agent', session: SERVER_SESSION, door: 'mcp' }

/** Names the agent that started this process, as far as the environment shows it. */
export function startingAgent(): string | undefined {
  return Object.entries(AGENT_VARIABLES).find(([name]) => (process.env[name] ?? '') !== '')?.[1]
}

export function isStartedByAgent(): boolean {
  return startingAgent() !== undefined
}

/** The speaker of the command line. */
export function commandSpeaker(): Speaker {
  return isStartedByAgent() ? { author: 'agent', door: 'cli' } : person()
}

/** The speaker of terminal dialogs, and with its door of the dashboard. */
export function person(door: 'cli' | 'page' = 'cli') {
  return { author: 'person', session: `person:${userName()}`, door } as const
}

function userName(): string {
  try {
    return userInfo().username
  } catch {
    // The user has no entry in the passwd database, as in some containers.
    return String(process.getuid?.() ?? 'somebody')
  }
}
