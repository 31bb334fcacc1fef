/** What a hook call means, whichever agent makes it. */
export type HookEvent =
  | 'session-start'
  | 'prompt'
  | 'tool-used'
  | 'compaction'
  | 'stop'
  | 'subagent-stop'
  | 'session-end'

/** The session of calls that name none. */
export const NO_SESSION = 'unknown'

export type Agent = 'claude' | 'cursor' | 'copilot'

/** A call in the words of this package. What an agent does not tell is absent. */
export interface HookCall {
  agent: Agent
  event: HookEvent
  /** The event by the agent's own name, which its answer repeats. */
  nativeEvent: string
  /** The event by the name that the payload gives it, where that is another one. */
  calledEvent?: string
  sessionId: string
  cwd?: string
  prompt?: string
  /** A file with one JSON document a line: what was said so far. */
  transcript?: string
  /** What the agent has just said, where it is handed over as such. */
  said?: string
  /** A command of the shell, and how it went. */
  command?: { line: string; exitCode?: number; output?: string }
}

interface NativeEvent {
  agent: Agent
  event: HookEvent
}

/** The names that agents give their events. Claude Code's are the ones to type; the others come from their payloads. */
const EVENTS: Record<string, NativeEvent> = {
  SessionStart: { agent: 'claude', event: 'session-start' },
  UserPromptSubmit: { agent: 'claude', event: 'prompt' },
  PostToolUse: { agent: 'claude', event: 'tool-used' },
  PostToolUseFailure: { agent: 'claude', event: 'tool-used' },
  PreCompact: { agent: 'claude', event: 'compaction' },
  Stop: { agent: 'claude', event: 'stop' },
  SubagentStop: { agent: 'claude', event: 'subagent-stop' },
  SessionEnd: { agent: 'claude', event: 'session-end' },
  // Cursor
  beforeSubmitPrompt: { agent: 'cursor', event: 'prompt' },
  afterShellExecution: { agent: 'cursor', event: 'tool-used' },
  afterAgentResponse: { agent: 'cursor', event: 'stop' },
  preCompact: { agent: 'cursor', event: 'compaction' },
  stop: { agent: 'cursor', event: 'stop' },
  // Copilot (and, with other payloads, Cursor: the payload tells which)
  sessionStart: { agent: 'copilot', event: 'session-start' },
  sessionEnd: { agent: 'copilot', event: 'session-end' },
  userPromptSubmitted: { agent: 'copilot', event: 'prompt' },
  postToolUse: { agent: 'copilot', event: 'tool-used' },
  postToolUseFailure: { agent: 'copilot', event: 'tool-used' },
  agentStop: { agent: 'copilot', event: 'stop' },
  subagentStop: { agent: 'copilot', event: 'subagent-stop' },
}

export const EVENT_NAMES: string[] = Object.keys(EVENTS)

/** Reads what an agent hands to its hook. Undefined when the event is unknown or the payload is not a JSON object. */
export function readCall(name: string, input: string): HookCall | undefined {
  const native = EVENTS[name]
  const payload = parseObject(input)
  if (native === undefined || payload === undefined) return undefined
  const call: HookCall = {
    agent: agentOf(payload, native.agent),
    event: native.event,
    nativeEvent: name,
    sessionId:
      text(payload, 'session_id') ?? text(payload, 'conversation_id') ?? text(payload, 'sessionId') ?? NO_SESSION,
  }
  const [firstRoot] = Array.isArray(payload.workspace_roots) ? payload.workspace_roots : []
  const cwd =
    text(payload, 'cwd') ?? text(payload, 'workingDirectory') ?? (typeof firstRoot === 'string' ? firstRoot : undefined)
  const transcript =
    text(payload, 'agent_transcript_path') ?? text(payload, 'transcript_path') ?? text(payload, 'transcriptPath')
  const prompt = text(payload, 'prompt')
  const last = text(payload, 'last_assistant_message') ?? text(payload, 'finalMessage')
  const said = name === 'afterAgentResponse' ? text(payload, 'text') : last
  const command = commandOf(payload, name)
  const called = text(payload, 'hookEventName') ?? text(payload, 'hook_event_name')
  if (called !== undefined) call.calledEvent = called
  if (cwd !== undefined) call.cwd = cwd
  if (transcript !== undefined) call.transcript = transcript
  if (prompt !== undefined) call.prompt = prompt
  if (said !== undefined) call.said = said
  if (command !== undefined) call.command = command
  return call
}

/** Which agent calls: several read the files of Claude Code as well, and call its hooks by its names. */
function agentOf(payload: Fields, named: Agent): Agent {
  if ('conversation_id' in payload || 'cursor_version' in payload) return 'cursor'
  return 'timestamp' in payload ? 'copilot' : named
}

/** The shell command that was run: each agent tells it in another shape. */
function commandOf(payload: Fields, event: string): HookCall['command'] | undefined {
  const input = object(payload.tool_input) ?? parseObject(payload.toolArgs) ?? object(payload.toolArgs)
  const line = text(payload, 'command') ?? (input === undefined ? undefined : text(input, 'command'))
  if (line === undefined) return undefined
  const result =
    object(payload.tool_response) ??
    object(payload.toolResult) ??
    parseObject(payload.tool_output) ??
    object(payload.tool_output)
  const command: NonNullable<HookCall['command']> = { line }
  const exitCode = exitCodeOf(payload, result) ?? impliedExitCode(event)
  const output = outputOf(payload, result)
  if (exitCode !== undefined) command.exitCode = exitCode
  if (output !== undefined) command.output = output
  return command
}

function exitCodeOf(payload: Fields, result: Fields | undefined): number | undefined {
  for (const fields of [result, payload]) {
    for (const name of ['exit_code', 'exitCode', 'returnCode', 'code']) {
      const value = fields?.[name]
      if (typeof value === 'number') return value
    }
  }
  if (result?.is_error === true || result?.interrupted === true || result?.resultType === 'failure') return 1
  if (result?.is_error === false || result?.resultType === 'success') return 0
  return undefined
}

/** Claude Code names no exit code: commands that fail have an event of their own. */
function impliedExitCode(event: string): number | undefined {
  if (event === 'PostToolUse') return 0
  return event === 'PostToolUseFailure' || event === 'postToolUseFailure' ? 1 : undefined
}

function outputOf(payload: Fields, result: Fields | undefined): string | undefined {
  const parts = [
    text(payload, 'output'),
    text(payload, 'error'),
    text(payload, 'error_message'),
    ...['stdout', 'stderr', 'output', 'textResultForLlm'].map((name) =>
      result === undefined ? undefined : text(result, name),
    ),
    typeof payload.tool_response === 'string' ? payload.tool_response : undefined,
  ].filter((part) => part !== undefined)
  return parts.length === 0 ? undefined : parts.join('\n')
}

type Fields = Record<string, unknown>

function text(fields: Fields, name: string): string | undefined {
  const value = fields[name]
  return typeof value === 'string' && value !== '' ? value : undefined
}

function object(value: unknown): Fields | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : undefined
}

function parseObject(value: unknown): Fields | undefined {
  if (typeof value !== 'string') return undefined
  try {
    return object(JSON.parse(value))
  } catch {
    return undefined
  }
}
