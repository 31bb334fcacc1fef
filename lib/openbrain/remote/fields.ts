import { cameFromIn } from '../../shared/came-from.js'
import { sha256 } from '../../shared/digest.js'
import { given } from '../../shared/given.js'
import type { StoredThought, ThoughtHit } from '../store.js'
import { wellFormedObject } from '../wellformed.js'
import type { Fields, Found } from './server.js'

/** Maps a thought to the six fields that a server knows. A further field would be dropped, or refused by a strict server. */
export function fieldsOf(thought: StoredThought): Fields {
  const rest = wellFormedObject(thought.metadata)
  const hallmark = rest.hallmark as { contentHash?: unknown } | undefined
  return {
    content: thought.content,
    project: thought.project,
    source: thought.source,
    created_by: thought.createdBy,
    metadata: {
      ...rest,
      // Search results do not contain the project otherwise.
      project: thought.project,
      type: thought.type,
      tags: thought.tags,
      confidence: thought.confidence,
      captured_at: thought.capturedAt,
      ...given({ expiresAt: thought.expiresAt, supersedes: thought.supersedes }),
      // The id is also a topic, for servers that can only be queried by topic.
      topics: [...thought.tags, thought.id],
      provenance: {
        origin: thought.id,
        ...(typeof hallmark?.contentHash === 'string' ? { contentHash: hallmark.contentHash } : {}),
      },
    },
  }
}

/** Returns our id of a stored thought; undefined for thoughts of other programs. */
export function originOf({ metadata }: Found): string | undefined {
  const provenance = metadata.provenance as { origin?: unknown } | undefined
  return typeof provenance?.origin === 'string' ? provenance.origin : undefined
}

export function supersededBy({ metadata }: Found): string | undefined {
  return typeof metadata.supersedes === 'string' ? metadata.supersedes : undefined
}

/** Parses one thought of an untrusted response; undefined when it is not a thought. */
export function foundFrom(value: unknown): Found | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const { id, content, metadata, project, created_at: createdAt } = value as Record<string, unknown>
  if (typeof content !== 'string') return undefined
  return {
    ...(typeof id === 'string' || typeof id === 'number' ? { serverId: String(id) } : {}),
    content,
    metadata: typeof metadata === 'object' && metadata !== null ? (metadata as Record<string, unknown>) : {},
    ...(typeof project === 'string' ? { project } : {}),
    ...(typeof createdAt === 'string' ? { createdAt } : {}),
  }
}

/** Returns the id of a thought; for thoughts of other programs one made from the server's id or a hash of the text. */
function idOf(found: Found): string {
  const origin = originOf(found)
  if (origin !== undefined) return origin
  return `openbrain_${found.serverId ?? sha256(found.content).slice(0, 24)}`
}

export function hitFrom(found: Found, project: string | undefined, score: number): ThoughtHit {
  const { metadata } = found
  const text = (name: string) => (typeof metadata[name] === 'string' ? (metadata[name] as string) : undefined)
  const expiresAt = text('expiresAt')
  return {
    id: idOf(found),
    content: found.content,
    project: found.project ?? text('project') ?? project ?? '',
    type: text('type') ?? '',
    source: text('source') ?? '',
    createdAt: text('captured_at') ?? found.createdAt ?? '',
    ...given({ expiresAt }),
    tags: Array.isArray(metadata.tags) ? metadata.tags.filter((tag): tag is string => typeof tag === 'string') : [],
    score,
    ...cameFromIn(metadata),
  }
}
