import type { HookCall } from './call.js'

/** The output that an agent expects on standard output; empty without context. */
export function answerFor({ agent, event, nativeEvent, calledEvent }: HookCall, context: string | undefined): string {
  if (agent === 'cursor' && event === 'prompt') return JSON.stringify({ continue: true })
  if (context === undefined) return ''
  if (agent === 'cursor') return JSON.stringify({ additional_context: context })
  const nested = { hookSpecificOutput: { hookEventName: calledEvent ?? nativeEvent, additionalContext: context } }
  // Copilot reads the one, Visual Studio Code with the same hooks the other.
  return JSON.stringify(agent === 'copilot' ? { additionalContext: context, ...nested } : nested)
}
