import { isOwnTerminal, type WriteOptions } from '../native.js'
import { agentIn } from './agent-signs.js'

type Speaker = Pick<WriteOptions, 'author' | 'session' | 'door'>

/** Who gives a command: only what is proven is a person. */
export type Kind = 'person' | 'agent' | 'script'

let serverSession: string | undefined

/** The speaker of the tools of an MCP server: one session per process, whichever client connects. */
export const AGENT_OF_SERVER: Speaker = {
  author: 'agent',
  get session() {
    serverSession ??= `mcp:${process.getBuiltinModule('node:crypto').randomUUID()}`
    return serverSession
  },
  door: 'mcp',
}

/** Names the agent that started this process, as far as the environment shows it. */
export function startingAgent(): string | undefined {
  return agentIn(process.env)
}

export function isStartedByAgent(): boolean {
  return startingAgent() !== undefined
}

let isPersonsScript = false

/** From now on this process speaks as a person: a person has given leave for that, on a terminal. */
export function speakAsPerson(): void {
  isPersonsScript = true
}

/**
 * Returns who gives the command. An agent is recognised by its environment, also on a terminal: hosts make terminals. A person types on the
 * terminal that controls the command. Everything else is a script, unless a person gave it leave.
 */
export function commandKind(): Kind {
  if (isStartedByAgent()) return 'agent'
  return isPersonsScript || isOwnTerminal() ? 'person' : 'script'
}

/** The speaker of the command line. */
export function commandSpeaker(): Speaker {
  const kind = commandKind()
  return kind === 'person' ? person() : { author: kind, door: 'cli' }
}

/** The speaker of terminal dialogs, and with its door of the dashboard. */
export function person(door: 'cli' | 'page' | 'undo' = 'cli') {
  return { author: 'person', session: `person:${userName()}`, door } as const
}

function userName(): string {
  try {
    return process.getBuiltinModule('node:os').userInfo().username
  } catch {
    // The user has no entry in the passwd database, as in some containers.
    return String(process.getuid?.() ?? 'somebody')
  }
}
