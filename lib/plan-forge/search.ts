// Searches everything in a project's files: captures with the engine's recall, all other sources by terms.
import { recall } from '../native.js'
import { given } from '../shared/given.js'
import { asLine } from '../shared/line.js'
import { problem } from '../shared/problem.js'
import { SOURCES, type TimelineEvent } from './events.js'
import { tokenize } from './similarity.js'
import { type Fields, textIn } from './soft.js'
import { momentOf, sourcesOf } from './timeline.js'

const LIMIT = 50
const LIMIT_MAX = 200
const AROUND_CHARS = 40
/** A matching correlation id outranks every match of words. */
const CORRELATED = 10

export interface SearchOptions {
  query: string
  tags?: string[] | undefined
  since?: string | undefined
  correlationId?: string | undefined
  sources?: string[] | undefined
  limit?: number | undefined
}

export interface SearchHit {
  source: string
  recordRef: string
  snippet: string
  score: number
  correlationId: string | null
  timestamp: string | null
}

export interface SearchAnswer {
  hits: SearchHit[]
  total: number
  truncated: boolean
  durationMs: number
  message?: string
}

/** Finds entries by words. Throws `INVALID_INPUT`. */
export function search(cwd: string, options: SearchOptions): SearchAnswer {
  const started = performance.now()
  const { query, tags = [], correlationId } = options
  if (typeof query !== 'string' || query.trim() === '') throw problem('INVALID_INPUT', 'query: expected a string')
  const since = options.since === undefined ? undefined : new Date(momentOf('since', options.since)).toISOString()
  const limit = Math.max(1, Math.min(options.limit ?? LIMIT, LIMIT_MAX))
  const { names, note } = sourcesOf(options.sources)
  const isWanted = ({ ts, payload, correlationId: id }: TimelineEvent) =>
    (since === undefined || ts >= since) &&
    tags.every((tag) => Array.isArray(payload.tags) && payload.tags.includes(tag)) &&
    (correlationId === undefined || id === correlationId)
  const matches = names
    .flatMap((name) => SOURCES[name]?.(cwd) ?? [])
    .filter(isWanted)
    .map((event) => hitOf(event, query, correlationId))
  const recalled = names.includes('memory') && correlationId === undefined ? recallHits(cwd, query, since, tags) : []
  const known = new Set(recalled.map(({ recordRef }) => recordRef))
  const hits = [...recalled, ...matches.filter(({ score, recordRef }) => score > 0 && !known.has(recordRef))]
  hits.sort((a, b) => b.score - a.score)
  const message = note ?? (hits.length === 0 ? `No matches for "${query}".` : undefined)
  return {
    hits: hits.slice(0, limit),
    total: hits.length,
    truncated: hits.length > limit,
    durationMs: performance.now() - started,
    ...given({ message }),
  }
}

/** Recall matches inflections and parts of identifiers too. Scores are scaled so that the best hit has a full score. */
function recallHits(cwd: string, query: string, since: string | undefined, tags: string[]): SearchHit[] {
  const filter = { projectDir: cwd, limit: LIMIT_MAX, scope: 'project' as const }
  const { hits } = recall(query, { ...filter, ...given({ since, tags: tags.length > 0 ? tags : undefined }) })
  const best = hits[0]?.score ?? 1
  return hits.map(({ id, text, score, createdAt }) => {
    const shown = { snippet: around(text, query), correlationId: null, timestamp: createdAt }
    return { source: 'memory', recordRef: id, score: thousandths(score / best), ...shown }
  })
}

function hitOf(
  { ts, source, event, correlationId, payload }: TimelineEvent,
  query: string,
  wanted?: string,
): SearchHit {
  const text = `${event} ${textIn(payload.content) ?? JSON.stringify(payload)}`
  const words = [...tokenize(query).keys()]
  const bag = tokenize(text)
  const share = words.filter((word) => bag.has(word)).length / Math.max(1, words.length)
  const bonus = wanted !== undefined && correlationId === wanted ? CORRELATED : 0
  return {
    source,
    recordRef: refOf(payload, `${source}:${ts}:${event}`),
    snippet: around(text, query),
    score: thousandths(share + bonus),
    correlationId,
    timestamp: ts === '' ? null : ts,
  }
}

const refOf = ({ id }: Fields, fallback: string) => textIn(id) ?? fallback
const thousandths = (score: number) => Math.round(score * 1000) / 1000

/** Returns an excerpt around the first matching word. */
function around(text: string, query: string): string {
  const line = asLine(text)
  const lower = line.toLowerCase()
  const places = [...tokenize(query).keys()].map((word) => lower.indexOf(word)).filter((at) => at >= 0)
  const at = places.length === 0 ? 0 : Math.min(...places)
  return line.slice(Math.max(0, at - AROUND_CHARS), at + 2 * AROUND_CHARS)
}
