// The event and the payload that each host passes to its hook for one step of a session.

const claude = {
  edit: ({ edit, old, new: next }) => ['PreToolUse', 'Edit', { file_path: edit, old_string: old, new_string: next }],
  read: ({ read }) => ['PostToolUse', 'Read', { file_path: read }],
  run: ({ run }) => ['PreToolUse', 'Bash', { command: run }],
  fail: ({ fail, says }) => ['PostToolUseFailure', 'Bash', { command: fail }, { error: says }],
}

const cursor = {
  edit: ({ edit, new: next }) => ['postToolUse', 'Write', { file_path: edit, content: next }],
  read: ({ read }) => ['postToolUse', 'Read', { file_path: read }],
  run: ({ run }) => ['postToolUse', 'Shell', { command: run }, { tool_output: '{"exitCode":0,"output":""}' }],
  fail: ({ fail, says }) => [
    'postToolUse',
    'Shell',
    { command: fail },
    { tool_output: JSON.stringify({ exitCode: 1, output: says }) },
  ],
}

const copilot = {
  edit: ({ edit, old, new: next }) => ['preToolUse', 'edit', { path: edit, old_str: old, new_str: next }],
  read: ({ read }) => ['postToolUse', 'view', { path: read }],
  run: ({ run }) => ['preToolUse', 'bash', { command: run }],
  fail: ({ fail, says }) => ['postToolUseFailure', 'bash', { command: fail }, { error: says }],
}

const codex = {
  ...claude,
  edit: ({ edit, old, new: next }) => [
    'PreToolUse',
    'apply_patch',
    { command: `*** Begin Patch\n*** Update File: ${edit}\n@@\n-${old}\n+${next}\n*** End Patch` },
  ],
  fail: ({ fail, says }) => [
    'PostToolUse',
    'Bash',
    { command: fail },
    { tool_response: { exit_code: 1, output: says } },
  ],
}

const KINDS = ['edit', 'read', 'run', 'fail']
export const kindOf = (step) => KINDS.find((kind) => kind in step)

/** Returns the arguments of the program of hooks and its standard input. */
export function callOf(host, step, { session, cwd, id }) {
  const shapes = { claude, cursor, copilot, codex }[host]
  const [event, tool, input, more = {}] = shapes[kindOf(step)](step)
  const own = {
    claude: { session_id: session, hook_event_name: event, tool_name: tool, tool_input: input },
    codex: { session_id: session, turn_id: id, hook_event_name: event, tool_name: tool, tool_input: input },
    cursor: { conversation_id: session, cursor_version: '3', tool_name: tool, tool_input: input },
    copilot: { sessionId: session, timestamp: 1, toolName: tool, toolArgs: JSON.stringify(input) },
  }[host]
  return { args: [event, `--host=${host}`], payload: { ...own, tool_use_id: id, cwd, ...more } }
}
