import type { Action } from '../moment/evidence.js'
import { actionOf, toolIn } from './action.js'
import { type Agent, folderOf, type HookEvent, hostOf, nativeEvent, sessionOf } from './hosts.js'
import { type Fields, object, objectIn, parseObject, text } from './payload.js'

export type { Agent, HookEvent } from './hosts.js'
export { EVENT_NAMES } from './hosts.js'

/** The session of calls that name none. */
export const NO_SESSION = 'unknown'

/** A hook call, normalized across hosts. What the host does not report is absent. */
export interface HookCall {
  agent: Agent
  event: HookEvent
  /** The event by the agent's own name, which its answer repeats. */
  nativeEvent: string
  /** The event by the name that the payload gives it, where that is another one. */
  calledEvent?: string
  sessionId: string
  /** The id of a subagent, which has a context of its own. */
  branchId?: string
  cwd?: string
  prompt?: string
  /** Why a session starts. After a compaction or a clear, the context holds none of the earlier notes. */
  source?: string
  /** A file with one JSON document a line: what was said so far. */
  transcript?: string
  /** What the agent has just said, where it is handed over as such. */
  said?: string
  /** A command of the shell, and how it went. */
  command?: { line: string; exitCode?: number; output?: string }
  /** What a tool does, or has done. */
  action?: Action
  /** The id of the tool call. It distinguishes two hosts that report one call from one host that repeats it. */
  toolUseId?: string
  /** When the process of the call started, in milliseconds since 1970; absent in that process itself. */
  startedAt?: number
  /** The project, if it is known; otherwise it is found from the working directory. */
  project?: string
}

/** Reads what an agent hands to its hook. Undefined when the event is unknown or the payload is not a JSON object. */
export function readCall(name: string, input: string, host?: string): HookCall | undefined {
  const native = nativeEvent(name)
  const payload = parseObject(input.startsWith('\u{feff}') ? input.slice(1) : input)
  if (native === undefined || payload === undefined) return undefined
  const { sessionId = NO_SESSION, branchId } = sessionOf(payload)
  const call: HookCall = {
    agent: hostOf(payload, native.agent, host),
    event: native.event,
    nativeEvent: name,
    sessionId,
  }
  const tool = toolIn(payload)
  const last = text(payload, 'last_assistant_message', 'finalMessage', 'prompt_response')
  const facts = {
    branchId,
    cwd: folderOf(payload),
    transcript: text(payload, 'agent_transcript_path', 'transcript_path', 'transcriptPath'),
    prompt: text(payload, 'prompt') ?? text(object(payload.userPromptSubmit), 'prompt'),
    source: text(payload, 'source'),
    said: name === 'afterAgentResponse' ? text(payload, 'text') : last,
    command: commandOf(payload, name, tool?.input),
    calledEvent: text(payload, 'hookEventName', 'hook_event_name'),
    action: tool === undefined ? undefined : actionOf(tool),
    toolUseId: text(payload, 'tool_use_id', 'toolUseId', 'callID', 'tool_call_id'),
  }
  for (const [key, value] of Object.entries(facts)) if (value !== undefined) Object.assign(call, { [key]: value })
  return call
}

/** The shell command that was run, which each host reports in another form. */
function commandOf(payload: Fields, event: string, input: Fields | undefined): HookCall['command'] | undefined {
  const line = text(payload, 'command') ?? text(input, 'command', 'cmd', 'command_line')
  if (line === undefined) return undefined
  const result =
    object(payload.tool_response) ??
    object(payload.toolResult) ??
    objectIn(payload.tool_output) ??
    object(payload.postToolUse)
  const command: NonNullable<HookCall['command']> = { line }
  const output = outputOf(payload, result)
  // Codex passes the output alone, whatever became of the command.
  const isBare = typeof payload.tool_response === 'string'
  const exitCode = exitCodeOf(payload, result) ?? (isBare ? writtenFailure(output) : impliedExitCode(event))
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
  if (typeof result?.success === 'boolean') return result.success ? 0 : 1
  if (object(result?.error) !== undefined || text(result, 'error') !== undefined) return 1
  if (result?.is_error === true || result?.interrupted === true || result?.resultType === 'failure') return 1
  // Copilot CLI calls every command a success that could be started.
  const ended = COPILOT_END.exec(text(result, 'textResultForLlm')?.slice(-REPORT_TAIL_CHARS) ?? '')
  if (ended !== null) return Number(ended[1])
  if (result?.is_error === false || result?.resultType === 'success') return 0
  return writtenExitCode(text(result, 'llmContent'))
}

/** What Copilot CLI appends to the output of a command for the model. */
const COPILOT_END = /<shellId: [^<>\n]{1,64} completed with exit code (\d{1,10})>\s*$/

/** What Gemini CLI and Qwen Code append to the output of a command for the model. */
const SHELL_REPORT = /(?:^|\n)Output: /
const EXIT_CODE =
  /\nExit Code: (\d{1,10}|\(none\))(?:\n(?:Signal|Background PIDs|Process Group PGID): [^\n]*)*(?:\n<\/untrusted_context>)?\s*$/
/** The length of that report at the end; the output before it may be of any length. */
const REPORT_TAIL_CHARS = 2000

/** Gemini CLI and Qwen Code pass no field with the exit code, and Gemini CLI writes no line for 0. */
function writtenExitCode(report: string | undefined): number | undefined {
  if (report === undefined || !SHELL_REPORT.test(report)) return undefined
  const [, code = '0'] = EXIT_CODE.exec(report.slice(-REPORT_TAIL_CHARS)) ?? []
  return code === '(none)' ? 0 : Number(code)
}

/** How the last lines of a command begin that has failed, in the languages of its programs. */
const FAILED =
  /^(?:\s*(?:[A-Z]\w*(?:Error|Exception)\b|Error\b|error(?:\[\w+\])?:|ERROR\b|fatal:|FAILED?\b|FAILURE\b|Traceback\b|panic:|npm (?:ERR!|error)|make(?:\[\d+\])?: \*\*\*|thread '.*' panicked)|(?:[\w./-]+: ){1,3}(?:command not found|No such file or directory|Permission denied))/m

/** Returns 1 when an output says at its end that the command has failed, else 0. */
function writtenFailure(output: string | undefined): number {
  return FAILED.test(output?.slice(-REPORT_TAIL_CHARS) ?? '') ? 1 : 0
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
    ...['stdout', 'stderr', 'output', 'textResultForLlm', 'llmContent', 'error', 'result'].map((name) =>
      text(result, name),
    ),
    typeof payload.tool_response === 'string' ? payload.tool_response : undefined,
  ].filter((part) => part !== undefined)
  return parts.length === 0 ? undefined : parts.join('\n')
}
