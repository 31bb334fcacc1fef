// The REST half: no key is asked for, and an error of any kind below it is a 502.
import { BadRecord, Broken } from './brain.mjs'

const CAPABILITIES = ['capture', 'search', 'list', 'batch', 'update', 'delete', 'stats', 'by-source', 'warning-channel']

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
  const warnings = Object.keys(body ?? {})
    .filter((name) => name === 'tags')
    .map(() => 'unknown_field')
  switch (known) {
    case 'GET /health':
      return [200, { status: 'healthy', service: 'open-brain-api', capabilities }]
    case 'POST /memories': {
      const { id, metadata, project, created_at } = brain.capture(body)
      return [
        200,
        { id, type: metadata.type, topics: metadata.topics, people: [], project, captured_at: created_at, warnings },
      ]
    }
    case 'POST /memories/batch': {
      const results = brain.captureMany(body.thoughts ?? [], body)
      return [200, { count: results.length, envelope_warnings: [], results }]
    }
    case 'POST /memories/search': {
      if (typeof body.query !== 'string') throw new BadRecord('query is required')
      const results = brain.search(body)
      return [200, { query: body.query, count: results.length, results }]
    }
    case 'GET /memories/by-source': {
      const results = brain.bySource(query.get('source'))
      return [200, { source: query.get('source'), count: results.length, results }]
    }
    case 'GET /stats':
      return [200, { total_thoughts: brain.count(query.get('project') ?? undefined), types: {}, top_topics: [] }]
  }
  const [, id] = /^\/memories\/([^/]+)$/.exec(path) ?? []
  if (method === 'DELETE' && id !== undefined) {
    return brain.remove(decodeURIComponent(id))
      ? [200, { status: 'deleted', id }]
      : [404, { error: 'Thought not found' }]
  }
  return [404, { error: 'Not Found' }]
}
