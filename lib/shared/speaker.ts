import { randomUUID } from 'node:crypto'
import { userInfo } from 'node:os'
import type { WriteOptions } from '../native.js'

type Speaker = Pick<WriteOptions, 'author' | 'session'>

/** Environment variables that coding agents set for the commands that they run. */
const AGENT_VARIABLES = ['CLAUDECODE', 'CURSOR_AGENT', 'GEMINI_CLI', 'CODEX_SANDBOX', 'CODEX_SANDBOX_NETWORK_DISABLED']

/** One session id per server process, whichever client connects. */
const SERVER_SESSION = `mcp:${randomUUID()}`

/** The speaker of the tools of an MCP server. */
export const AGENT_OF_SERVER: Speaker = { author: 'agent', session: SERVER_SESSION }

/** Tells whether an agent started this process, as far as the environment shows it. */
export function isStartedByAgent(): boolean {
  return AGENT_VARIABLES.some((name) => (process.env[name] ?? '') !== '')
}

/** The speaker of the command line. */
export function commandSpeaker(): Speaker {
  return isStartedByAgent() ? { author: 'agent' } : person()
}

/** The speaker of the dashboard and of terminal dialogs. */
export function person(): Speaker {
  return { author: 'person', session: `person:${userName()}` }
}

function userName(): string {
  try {
    return userInfo().username
  } catch {
    // The user has no entry in the passwd database, as in some containers.
    return String(process.getuid?.() ?? 'somebody')
  }
}
