// The hosts: the names of their events, how payloads identify the host, and at which events a host accepts context.
import type { HookEventName } from '../moment/switches.js'
import { type Fields, object, text } from './payload.js'

/** The events of hook calls, common to all hosts. */
export type HookEvent = HookEventName

export const HOSTS = [
  'claude',
  'cursor',
  'copilot',
  'codex',
  'gemini',
  'qwen',
  'devin',
  'cline',
  'junie',
  'opencode',
  'amp',
] as const
export type Agent = (typeof HOSTS)[number]

interface NativeEvent {
  agent: Agent
  event: HookEvent
}

/** The names of events. Most hosts use those of Claude Code; the others are recognised by their payloads. */
const EVENTS: Record<string, NativeEvent> = {
  SessionStart: { agent: 'claude', event: 'session-start' },
  UserPromptSubmit: { agent: 'claude', event: 'prompt' },
  PreToolUse: { agent: 'claude', event: 'before-tool' },
  PostToolUse: { agent: 'claude', event: 'after-tool' },
  PostToolUseFailure: { agent: 'claude', event: 'after-tool' },
  PreCompact: { agent: 'claude', event: 'compaction' },
  Stop: { agent: 'claude', event: 'stop' },
  SubagentStop: { agent: 'claude', event: 'subagent-stop' },
  SessionEnd: { agent: 'claude', event: 'session-end' },
  // Cursor
  beforeSubmitPrompt: { agent: 'cursor', event: 'prompt' },
  afterShellExecution: { agent: 'cursor', event: 'after-tool' },
  afterAgentResponse: { agent: 'cursor', event: 'stop' },
  preCompact: { agent: 'cursor', event: 'compaction' },
  stop: { agent: 'cursor', event: 'stop' },
  // Copilot, and Cursor with other payloads
  sessionStart: { agent: 'copilot', event: 'session-start' },
  sessionEnd: { agent: 'copilot', event: 'session-end' },
  userPromptSubmitted: { agent: 'copilot', event: 'prompt' },
  preToolUse: { agent: 'copilot', event: 'before-tool' },
  postToolUse: { agent: 'copilot', event: 'after-tool' },
  postToolUseFailure: { agent: 'copilot', event: 'after-tool' },
  agentStop: { agent: 'copilot', event: 'stop' },
  subagentStop: { agent: 'copilot', event: 'subagent-stop' },
  // Gemini CLI
  BeforeAgent: { agent: 'gemini', event: 'prompt' },
  AfterTool: { agent: 'gemini', event: 'after-tool' },
  AfterAgent: { agent: 'gemini', event: 'stop' },
  PreCompress: { agent: 'gemini', event: 'compaction' },
}

export const EVENT_NAMES: string[] = Object.keys(EVENTS)

export function nativeEvent(name: string): NativeEvent | undefined {
  return Object.hasOwn(EVENTS, name) ? EVENTS[name] : undefined
}

/** Identifies the calling host: several also read the files of Claude Code, and call its hooks with its names. */
export function hostOf(payload: Fields, named: Agent, told: string | undefined): Agent {
  const known = HOSTS.find((host) => host === told)
  if (known !== undefined) return known
  if ('conversation_id' in payload || 'cursor_version' in payload) return 'cursor'
  if ('clineVersion' in payload || 'hookName' in payload) return 'cline'
  if ('turn_id' in payload) return 'codex'
  // Payloads of Gemini CLI have a timestamp too, but its events have names of their own.
  if (named === 'gemini') return 'gemini'
  return 'timestamp' in payload ? 'copilot' : named
}

/** Hosts that accept context before a tool call. The others get it right after the call. */
const TOLD_BEFORE: ReadonlySet<Agent> = new Set(['claude', 'copilot', 'codex', 'cline', 'junie'])
/** Hosts that accept no context after a tool call. */
const NOT_TOLD_AFTER: ReadonlySet<Agent> = new Set(['junie'])

/** Returns whether the host accepts notes about an action at this event. */
export function takesMoments(agent: Agent, event: HookEvent): boolean {
  if (event === 'before-tool') return TOLD_BEFORE.has(agent)
  return event === 'after-tool' && !TOLD_BEFORE.has(agent)
}

/** Returns whether the host accepts a note about an earlier fix after a failed command. */
export function takesRemedies(agent: Agent, nativeName: string): boolean {
  if (agent === 'cursor' && nativeName !== 'postToolUse') return false
  return !NOT_TOLD_AFTER.has(agent)
}

/** Returns the id of the session and, for a call by a subagent, the id of that, because it has a context of its own. */
export function sessionOf(payload: Fields): { sessionId?: string; branchId?: string } {
  const sessionId = text(payload, 'session_id', 'conversation_id', 'sessionId', 'taskId', 'sessionID', 'trajectory_id')
  const branchId = text(payload, 'agent_id')
  return {
    ...(sessionId === undefined ? {} : { sessionId }),
    ...(branchId === undefined ? {} : { branchId }),
  }
}

/** Returns the folder that the host works in. */
export function folderOf(payload: Fields): string | undefined {
  const roots = payload.workspace_roots ?? payload.workspaceRoots
  const [first] = Array.isArray(roots) ? roots : []
  const root = typeof first === 'string' ? first : text(object(first), 'path')
  return text(payload, 'cwd', 'workingDirectory', 'project_path') ?? root
}
