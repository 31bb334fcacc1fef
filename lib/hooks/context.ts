import { frameNotes, promptNotes, type RecallHit, sessionNotes } from '../index.js'
import { noteLine } from '../shared/note-line.js'

/** What the start of a session may take, in tokens. */
const SESSION_BUDGET = 2000
/** What a prompt may take: it is paid for on every prompt. */
const PROMPT_BUDGET = 600

/** What to know at the start of a session; `FORGE_PLAN` names the plan that it is for. */
export function sessionContext(): string | undefined {
  return framed(sessionNotes(process.env.FORGE_PLAN), SESSION_BUDGET)
}

/** What is known about a prompt. */
export function promptContext(prompt: string): string | undefined {
  return framed(promptNotes(prompt), PROMPT_BUDGET)
}

function framed(hits: RecallHit[], budget: number): string | undefined {
  return hits.length === 0 ? undefined : frameNotes(hits.map(noteLine), { budget }).text
}
