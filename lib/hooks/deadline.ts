/** The deadline of a call that blocks the agent, in milliseconds: it delays every prompt and every tool. */
export const CONTEXT_MS = 300

/** The deadline that the environment sets for all calls, in milliseconds. */
export function givenDeadline(): number | undefined {
  const given = Number(process.env.FORGE_MEMORY_HOOK_DEADLINE_MS)
  return Number.isInteger(given) && given > 0 ? given : undefined
}
