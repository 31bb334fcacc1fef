import { promptNotesHere } from '../moment/scopes.js'
import type { HookCall } from './call.js'
import { injectNotes } from './moment.js'

/** What a prompt may take: it is paid for on every prompt. */
const PROMPT_BUDGET = 600
const PROMPT_MAX = 5

/** What is known about a prompt. */
export function promptContext(call: HookCall, prompt: string): string | undefined {
  const found = promptNotesHere(prompt, PROMPT_MAX, call.project === undefined ? {} : { projectDir: call.project }).map(
    (hit) => ({ hit, why: `words ${hit.matched.join(' ')}` }),
  )
  return injectNotes(call, found, { notesMax: PROMPT_MAX, budget: PROMPT_BUDGET })
}
