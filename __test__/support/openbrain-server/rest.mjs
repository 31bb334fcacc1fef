// The REST half: no key is asked for, and an error of any kind below it is a 502.
import { BadRecord, Broken } from './brain.mjs'

const CAPABILITIES = [
  'capture',
  'search',
  'list',
  'batch',
  'update',
  'delete',
  'stats',
  'by-source',
  'strict-validation',
  'warning-channel',
  'embed-truncation-warning',
]
/** What a capture may have at its top; the rest is dropped or moved, with a warning. */
const FIELDS = ['content', 'source', 'project', 'created_by', 'supersedes', 'metadata']
const MOVED = ['type', 'topics', 'people', 'tags', 'action_items', 'captured_at', 'expiresAt', 'provenance', 'hallmark']
const SAFE_BYTES = 6000

function warningsFor(body) {
  const extra = Object.keys(body).filter((name) => !FIELDS.includes(name))
  const named = extra.map((field) => ({
    code: MOVED.includes(field) ? 'deprecated_top_level' : 'unknown_field',
    field,
  }))
  const isLong = Buffer.byteLength(String(body.content)) > SAFE_BYTES
  return isLong ? [...named, { code: 'embedding_truncated', field: 'content' }] : named
}

export function answerRest({ method, path, query, body }, brain, { capabilities = CAPABILITIES } = {}) {
  try {
    return route({ method, path, query, body }, brain, capabilities)
  } catch (error) {
    if (error instanceof BadRecord) return [400, { error: error.message }]
    if (error instanceof Broken) return [502, { error: 'upstream failed', detail: error.message }]
    throw error
  }
}

function route({ method, path, query, body }, brain, capabilities) {
  const known = `${method} ${path}`
  switch (known) {
    case 'GET /health':
      return [200, { status: 'healthy', service: 'open-brain-api', capabilities }]
    case 'POST /memories': {
      const { id, metadata, project, created_at } = brain.capture(body)
      const { type, topics, people } = metadata
      return [200, { id, type, topics, people, project, captured_at: created_at, warnings: warningsFor(body) }]
    }
    case 'POST /memories/batch': {
      const thoughts = body.thoughts ?? []
      const results = brain.captureMany(thoughts, body).map((row, at) => {
        const { id, content, metadata, project, created_at } = row
        return { id, content, metadata, project, captured_at: created_at, warnings: warningsFor(thoughts[at]) }
      })
      return [200, { count: results.length, envelope_warnings: [], results }]
    }
    case 'POST /memories/search': {
      if (typeof body.query !== 'string') throw new BadRecord('query is required')
      const results = brain.search(body)
      return [200, { query: body.query, count: results.length, results }]
    }
    case 'POST /memories/list': {
      const results = brain.list(body)
      return [200, { count: results.length, results }]
    }
    case 'GET /memories/by-source': {
      const results = brain.bySource(query.get('source')).slice(0, Number(query.get('limit') ?? 50))
      return [200, { source: query.get('source'), count: results.length, results }]
    }
    case 'GET /stats':
      return [200, brain.stats(query.get('project') ?? undefined)]
  }
  const [, id] = /^\/memories\/([^/]+)$/.exec(path) ?? []
  if (method === 'DELETE' && id !== undefined) {
    return brain.remove(decodeURIComponent(id))
      ? [200, { status: 'deleted', id }]
      : [404, { error: 'Thought not found' }]
  }
  return [404, { error: 'Not Found' }]
}
