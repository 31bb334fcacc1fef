import type { Hub } from '../hub/hub.js'
import { embeddingStatus, localRecallStatus, memoryLanding, memoryPresets } from '../plan-forge/presets.js'
import { search } from '../plan-forge/search.js'
import { timeline } from '../plan-forge/timeline.js'
import { problem } from '../shared/problem.js'
import { onlyFields } from './body.js'
import type { Query } from './query.js'
import type { Reply, Route } from './router.js'

const EXCERPT_CHARS = 200

/** Returns the routes of Plan Forge, with its response shapes. */
export function planForgeRoutes(projectDir: string, hub: Hub): Route[] {
  const get = (pattern: string, answer: (query: Query) => unknown): Route => ({
    method: 'GET',
    pattern,
    handler: async ({ query }) => ({ body: await answer(query) }),
  })
  return [
    get('/api/memory', (query) => {
      query.only()
      return memoryLanding(projectDir)
    }),
    get('/api/memory/presets', (query) => {
      query.only()
      return memoryPresets(projectDir)
    }),
    get('/api/hub', (query) => {
      query.only()
      return { running: true, port: hub.port, clients: hub.getClients() }
    }),
    get('/api/local-recall/status', (query) => {
      query.only()
      return localRecallStatus(projectDir)
    }),
    get('/api/embedding/status', (query) => {
      query.only()
      return embeddingStatus(projectDir)
    }),
    get('/api/search', (query) => answerSearch(query, projectDir)),
    get('/api/timeline', (query) => answerTimeline(query, projectDir)),
    { method: 'POST', pattern: '/api/memory/search', handler: ({ body }) => answerMemorySearch(body, projectDir) },
  ]
}

const listOf = (text: string | undefined) => text?.split(',').filter((part) => part !== '')

function answerSearch(query: Query, projectDir: string) {
  query.only('query', 'tags', 'since', 'correlationId', 'sources', 'limit')
  return search(projectDir, {
    query: query.text('query') ?? '',
    tags: listOf(query.text('tags')),
    since: query.text('since'),
    correlationId: query.text('correlationId'),
    sources: listOf(query.text('sources')),
    limit: query.number('limit'),
  })
}

function answerTimeline(query: Query, projectDir: string) {
  query.only('from', 'to', 'correlationId', 'sources', 'events', 'groupBy', 'limit')
  const groupBy = query.text('groupBy')
  if (groupBy !== undefined && groupBy !== 'time' && groupBy !== 'correlation') {
    throw problem('INVALID_INPUT', 'groupBy: expected time or correlation')
  }
  return timeline(projectDir, {
    from: query.text('from'),
    to: query.text('to'),
    correlationId: query.text('correlationId'),
    sources: listOf(query.text('sources')),
    events: listOf(query.text('events')),
    groupBy,
    limit: query.number('limit'),
  })
}

function answerMemorySearch(body: Record<string, unknown>, projectDir: string): Reply {
  onlyFields(body, ['query'])
  const { query } = body
  if (typeof query !== 'string') throw problem('INVALID_INPUT', 'query: expected a string')
  const { hits } = search(projectDir, { query, sources: ['memory'] })
  const results = hits.map(({ recordRef, snippet }) => ({
    file: recordRef,
    excerpt: snippet.slice(0, EXCERPT_CHARS),
    line: 1,
  }))
  const note = 'Results from the memory of this project; GET /api/memory/search searches the shared store.'
  return { body: { configured: memoryLanding(projectDir).configured, results, note } }
}
