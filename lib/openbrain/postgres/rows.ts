import { cameFromIn } from '../../shared/came-from.js'
import { isObject } from '../../shared/json.js'
import { NOBODY } from '../person.js'
import { recordLine } from '../record.js'
import type { Delivery, KeptThought, StoredThought, ThoughtHit } from '../store.js'
import { wellFormed, wellFormedObject } from '../wellformed.js'

/** A row as the driver returns it. */
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
  /** The results of rulings on it; absent where there are none, and in databases of earlier releases. */
  marks?: { contradictedBy: string[] | null; useful: number; wrong: number } | null
}

/** A longer id is none: an index of the server could not hold it. */
const ID_BYTES_MAX = 512

/**
 * True if a row is a thought. Any writer may have written it: an infinite date, a tag that is NULL or an id of ten thousand characters must not fail the
 * searches of others. Rows that are none are left out, and a check names them (`UNSOUND`).
 */
export function isSound({ id, captured_at: made, expires_at: expires, tags }: Row): boolean {
  const isDate = (at: unknown) => at === null || (at instanceof Date && !Number.isNaN(at.getTime()))
  const isId = id !== '' && Buffer.byteLength(id) <= ID_BYTES_MAX
  const areTags = Array.isArray(tags) && tags.every((tag) => typeof tag === 'string')
  return isId && isDate(made) && isDate(expires) && areTags
}

/** The same in SQL, of a row `t` that is none. */
export const UNSOUND = `t.forgotten_at is null and (t.id = '' or octet_length(t.id) > ${ID_BYTES_MAX} or not isfinite(t.captured_at)
  or not isfinite(t.expires_at) or array_ndims(t.tags) > 1 or exists (select 1 from unnest(t.tags) tag where tag is null))`

/**
 * Converts a thought to the values of a row. PostgreSQL stores neither NUL characters nor unpaired surrogates. A person is named only in the
 * shared store: the files of a project have git for that.
 */
export function rowOf(thought: StoredThought, person = ''): Record<string, unknown> {
  const isNamed = person === '' || !NOBODY.includes(thought.createdBy)
  return {
    id: thought.id,
    content: wellFormed(thought.content),
    project: wellFormed(thought.project),
    type: wellFormed(thought.type),
    source: wellFormed(thought.source),
    created_by: wellFormed(isNamed ? thought.createdBy : person),
    captured_at: instant(thought.capturedAt),
    expires_at: instant(thought.expiresAt),
    supersedes: thought.supersedes ?? null,
    tags: thought.tags.map(wellFormed),
    confidence: Number.isFinite(thought.confidence) ? thought.confidence : null,
    metadata: wellFormedObject(thought.metadata),
  }
}

/** Converts a date. PostgreSQL accepts fewer dates than ISO 8601 allows; one that it would refuse becomes null. */
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
    createdBy: row.created_by,
    ...cameFromIn(row.metadata),
    ...marksOf(row),
  }
}

function marksOf({ marks }: Row): Pick<ThoughtHit, 'contradictedBy' | 'useful' | 'wrong'> {
  const { contradictedBy, useful = 0, wrong = 0 } = marks ?? {}
  return {
    ...(contradictedBy ? { contradictedBy } : {}),
    ...(useful > 0 ? { useful } : {}),
    ...(wrong > 0 ? { wrong } : {}),
  }
}

export function rulingOf({ id, projects, ruling }: Delivery): Record<string, unknown> {
  const { kind, other = '', why = '', at, more = {} } = ruling ?? {}
  return {
    id,
    kind,
    other: wellFormed(other),
    why: wellFormed(why),
    at: instant(at),
    more: wellFormedObject(JSON.stringify(more)),
    projects: projects.map(wellFormed),
  }
}

/** What is no object has no fields. */
function fieldsOf(metadata: unknown): object {
  return isObject(metadata) ? metadata : {}
}

export function thoughtOf(row: Row): StoredThought {
  const {
    score: _score,
    createdAt,
    contradictedBy: _,
    useful: _useful,
    wrong: _wrong,
    from: _from,
    claimedBy: _claimed,
    ...hit
  } = hitOf(row, 0)
  return {
    ...hit,
    createdBy: row.created_by,
    capturedAt: createdAt,
    confidence: row.confidence ?? 0,
    ...(row.supersedes === null ? {} : { supersedes: row.supersedes }),
    metadata: JSON.stringify(fieldsOf(row.metadata)),
  }
}

/** A thought that contradicts others, and the rulings that say so and name it first. */
export type ContradictionRow = Row & { rulings: StoredRuling[] | null }

export function contradictionLines(rows: ContradictionRow[]): string[] {
  return rows.filter(isSound).flatMap((row) => [recordLine(thoughtOf(row)), ...linesOf(row.id, row.rulings)])
}

export interface KeptRow extends Row {
  is_superseded: boolean
  is_retired: boolean
  rulings: StoredRuling[] | null
}

/** A ruling as it is stored. */
export interface StoredRuling {
  kind: string
  other: string
  why: string
  at: string
  more: Record<string, unknown>
}

export function keptOf(row: KeptRow): KeptThought {
  const { is_superseded: isSuperseded, is_retired: isRetired, rulings } = row
  const { useful = 0, wrong = 0, contradictedBy } = marksOf(row)
  return {
    thought: thoughtOf(row),
    place: row.id,
    state: isSuperseded ? 'superseded' : isRetired ? 'retired' : 'current',
    rulings: linesOf(row.id, rulings),
    ...(contradictedBy ? { contradictedBy } : {}),
    useful,
    wrong,
  }
}

/** Rulings as lines of a journal, without those whose date is none. */
function linesOf(id: string, rulings: StoredRuling[] | null): string[] {
  const dated = (rulings ?? []).filter(({ at }) => !Number.isNaN(Date.parse(at)))
  return dated.map((ruling) => rulingLine(id, ruling))
}

/** Returns a ruling as the line of a journal. */
export function rulingLine(id: string, { kind, other, why, at, more }: StoredRuling): string {
  const isMutual = kind === 'conflict' || kind === 'hold'
  const named = other === '' ? {} : isMutual ? { with: other } : { by: other }
  return JSON.stringify({
    ...more,
    _v: 1,
    _action: kind,
    id,
    ...named,
    ...(why === '' ? {} : { why }),
    at: new Date(at).toISOString(),
  })
}

export function vectorText(vector: Float32Array): string {
  return `[${vector.join(',')}]`
}

/** The type identifier of `real`. */
const FLOAT4 = 700

/** Encodes vectors, one after the other, as an array of `real` in PostgreSQL's binary format: half the size of a text, and exact. */
export function floatArray(vectors: Float32Array[]): Buffer {
  const count = vectors.reduce((sum, { length }) => sum + length, 0)
  const bytes = Buffer.alloc(20 + count * 8)
  for (const [at, value] of [count === 0 ? 0 : 1, 0, FLOAT4, count, 1].entries()) bytes.writeInt32BE(value, at * 4)
  let at = 20
  for (const vector of vectors) {
    for (const value of vector) {
      bytes.writeInt32BE(4, at)
      bytes.writeFloatBE(value, at + 4)
      at += 8
    }
  }
  return bytes
}
