import type { StoredThought } from './store.js'

/** Returns the line of a journal that a thought was made of, as far as a store keeps it. */
export function recordLine(thought: StoredThought): string {
  const { id, content, project, type, source, createdBy, capturedAt, expiresAt, tags, confidence, supersedes } = thought
  const fields = { _v: 1, id, content, project, type, source, created_by: createdBy, captured_at: capturedAt }
  const more = { ...(expiresAt === undefined ? {} : { expiresAt }), tags, confidence }
  return JSON.stringify({
    // The author of a row is who delivered it, and no claim.
    claimed_by: '',
    ...othersOf(thought),
    ...fields,
    ...more,
    ...(supersedes === undefined ? {} : { supersedes }),
  })
}

function othersOf({ metadata }: StoredThought): object {
  const others: unknown = JSON.parse(metadata)
  return typeof others === 'object' && others !== null ? others : {}
}
