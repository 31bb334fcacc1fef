import { frameNotes, promptNotes, type RecallHit, sessionNotes } from '../native.js'
import { noteLine } from '../shared/note-line.js'
import { type HookCall, NO_SESSION } from './call.js'

/** What the start of a session may take, in tokens. */
const SESSION_BUDGET = 2000
/** What a prompt may take: it is paid for on every prompt. */
const PROMPT_BUDGET = 600

/** How an agent adds to the memory. Not at the beginning of a line: it is no mark itself. */
const HOW_TO_ADD = `This project has a memory. What should outlive the session is stored from a line of its own such as "[remember:gotcha] The build needs Node 20." (lesson, gotcha, decision, convention, pattern; without a type it is a lesson). The MCP server forge-memory has memory_recall to find what is known, memory_save and capture_thought to store.`

/** What to know at the start of a session; `FORGE_PLAN` names the plan that it is for. */
export function sessionContext({ sessionId }: HookCall): string | undefined {
  const known = framed(sessionNotes(process.env.FORGE_PLAN), SESSION_BUDGET)
  // A call that names no session is no agent that could add something.
  const how = known === undefined && sessionId === NO_SESSION ? undefined : HOW_TO_ADD
  return [known, how].filter((part) => part !== undefined).join('\n\n') || undefined
}

/** What is known about a prompt. */
export function promptContext(prompt: string): string | undefined {
  return framed(promptNotes(prompt), PROMPT_BUDGET)
}

function framed(hits: RecallHit[], budget: number): string | undefined {
  return hits.length === 0 ? undefined : frameNotes(hits.map(noteLine), { budget }).text
}
