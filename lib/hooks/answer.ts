import type { HookCall } from './call.js'

/** The output that a host expects on standard output; empty without context. */
export function answerFor({ agent, event, nativeEvent, calledEvent }: HookCall, context: string | undefined): string {
  if (agent === 'cursor' && event === 'prompt') return JSON.stringify({ continue: true })
  // Codex reports anything but JSON at the end of a turn to its user as an error.
  if (agent === 'codex' && (event === 'stop' || event === 'subagent-stop')) return '{}'
  if (context === undefined) return ''
  switch (agent) {
    case 'cursor':
      return JSON.stringify({ additional_context: context })
    case 'cline':
      return JSON.stringify({ cancel: false, contextModification: context })
    case 'junie':
    case 'opencode':
    case 'amp':
      return JSON.stringify({ additionalContext: context })
    default: {
      // Without a decision, because adding context must neither allow nor deny the tool call.
      const nested = { hookSpecificOutput: { hookEventName: calledEvent ?? nativeEvent, additionalContext: context } }
      // Copilot reads one field, and Visual Studio Code, with the same hooks, the other.
      return JSON.stringify(agent === 'copilot' ? { additionalContext: context, ...nested } : nested)
    }
  }
}
