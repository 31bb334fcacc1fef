import type { HookCall } from './call.js'

/** What an agent expects on standard output; nothing where there is nothing to say. */
export function answerFor({ agent, event, nativeEvent }: HookCall, context: string | undefined): string {
  if (agent === 'cursor' && event === 'prompt') return JSON.stringify({ continue: true })
  if (context === undefined) return ''
  if (agent === 'claude') {
    return JSON.stringify({ hookSpecificOutput: { hookEventName: nativeEvent, additionalContext: context } })
  }
  return JSON.stringify(agent === 'cursor' ? { additional_context: context } : { additionalContext: context })
}
