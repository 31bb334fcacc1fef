import type { StoredThought, ThoughtHit } from '../store.js'
import { wellFormed, wellFormedObject } from '../wellformed.js'

/** One row of the table, as the driver gives it. */
export interface Row {
  id: string
  content: string
  project: string
  type: string
  source: string
  created_by: string
  captured_at: Date | null
  expires_at: Date | null
  supersedes: string | null
  tags: string[]
  confidence: number | null
  metadata: Record<string, unknown>
}

/** Makes the values of a row. The database knows neither zero characters nor halves of pairs. */
export function rowOf(thought: StoredThought): Record<string, unknown> {
  return {
    id: thought.id,
    content: wellFormed(thought.content),
    project: wellFormed(thought.project),
    type: wellFormed(thought.type),
    source: wellFormed(thought.source),
    created_by: wellFormed(thought.createdBy),
    captured_at: instant(thought.capturedAt),
    expires_at: instant(thought.expiresAt),
    supersedes: thought.supersedes ?? null,
    tags: thought.tags.map(wellFormed),
    confidence: Number.isFinite(thought.confidence) ? thought.confidence : null,
    metadata: wellFormedObject(thought.metadata),
  }
}

/** The database takes fewer dates than ISO 8601 has; a date that it would refuse counts as absent. */
function instant(text: string | undefined): string | null {
  const at = new Date(text ?? '')
  const year = at.getUTCFullYear()
  return Number.isNaN(year) || year < 1 || year > 9999 ? null : at.toISOString()
}

export function hitOf(row: Row, score: number): ThoughtHit {
  return {
    id: row.id,
    content: row.content,
    project: row.project,
    type: row.type,
    source: row.source,
    createdAt: row.captured_at?.toISOString() ?? '',
    ...(row.expires_at === null ? {} : { expiresAt: row.expires_at.toISOString() }),
    tags: row.tags,
    score,
  }
}

export function thoughtOf(row: Row): StoredThought {
  const { score: _score, createdAt, ...hit } = hitOf(row, 0)
  return {
    ...hit,
    createdBy: row.created_by,
    capturedAt: createdAt,
    confidence: row.confidence ?? 0,
    ...(row.supersedes === null ? {} : { supersedes: row.supersedes }),
    metadata: JSON.stringify(row.metadata),
  }
}

/** How a vector is written for the database. */
export function vectorText(vector: Float32Array): string {
  return `[${vector.join(',')}]`
}
