// Search over everything that a project's files tell: captures by the engine's recall, everything else by its words.
import { recall } from '../native.js'
import { given } from '../shared/given.js'
import { asLine } from '../shared/line.js'
import { problem } from '../shared/problem.js'
import { type Happening, SOURCES } from './events.js'
import { tokenize } from './similarity.js'
import { type Fields, textIn } from './soft.js'
import { momentOf, sourcesOf } from './timeline.js'

const LIMIT = 50
const LIMIT_MAX = 200
const AROUND_CHARS = 40
/** A match of the correlation is a match whatever the words are. */
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

/** Finds what is told about some words. Throws `INVALID_INPUT`. */
export function search(cwd: string, options: SearchOptions): SearchAnswer {
  const started = performance.now()
  const { query, tags = [], correlationId } = options
  if (typeof query !== 'string' || query.trim() === '') throw problem('INVALID_INPUT', 'query: expected a text')
  const since = options.since === undefined ? undefined : new Date(momentOf('since', options.since)).toISOString()
  const limit = Math.max(1, Math.min(options.limit ?? LIMIT, LIMIT_MAX))
  const names = sourcesOf(options.sources)
  const isTold = ({ ts, payload, correlationId: id }: Happening) =>
    (since === undefined || ts >= since) &&
    tags.every((tag) => Array.isArray(payload.tags) && payload.tags.includes(tag)) &&
    (correlationId === undefined || id === correlationId)
  const told = names
    .flatMap((name) => SOURCES[name]?.(cwd) ?? [])
    .filter(isTold)
    .map((happening) => hitOf(happening, query, correlationId))
  const recalled = names.includes('memory') && correlationId === undefined ? recallHits(cwd, query, since, tags) : []
  const known = new Set(recalled.map(({ recordRef }) => recordRef))
  const hits = [...recalled, ...told.filter(({ score, recordRef }) => score > 0 && !known.has(recordRef))]
  hits.sort((a, b) => b.score - a.score)
  return {
    hits: hits.slice(0, limit),
    total: hits.length,
    truncated: hits.length > limit,
    durationMs: performance.now() - started,
    ...(hits.length === 0 ? { message: 'No matches.' } : {}),
  }
}

/** The engine finds inflections and parts of identifiers; its best hit counts as a full match. */
function recallHits(cwd: string, query: string, since: string | undefined, tags: string[]): SearchHit[] {
  const asked = { projectDir: cwd, limit: LIMIT_MAX, scope: 'project' as const }
  const { hits } = recall(query, { ...asked, ...given({ since, tags: tags.length > 0 ? tags : undefined }) })
  const best = hits[0]?.score ?? 1
  return hits.map(({ id, text, score, createdAt }) => {
    const shown = { snippet: around(text, query), correlationId: null, timestamp: createdAt }
    return { source: 'memory', recordRef: id, score: thousandths(score / best), ...shown }
  })
}

function hitOf({ ts, source, event, correlationId, payload }: Happening, query: string, wanted?: string): SearchHit {
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

/** The text around the first word that matches. */
function around(text: string, query: string): string {
  const line = asLine(text)
  const lower = line.toLowerCase()
  const places = [...tokenize(query).keys()].map((word) => lower.indexOf(word)).filter((at) => at >= 0)
  const at = places.length === 0 ? 0 : Math.min(...places)
  return line.slice(Math.max(0, at - AROUND_CHARS), at + 2 * AROUND_CHARS)
}
