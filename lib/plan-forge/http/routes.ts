import { onlyFields } from '../../http/body.js'
import type { Query } from '../../http/query.js'
import { get, post, type Route } from '../../http/router.js'
import type { Hub } from '../../hub/hub.js'
import { problem } from '../../shared/problem.js'
import { embeddingStatus, localRecallStatus, memoryLanding, memoryPresets } from '../presets.js'
import { search } from '../search.js'
import { timeline } from '../timeline.js'

const EXCERPT_CHARS = 200

/** Returns the routes of Plan Forge, with its response shapes. */
export function planForgeRoutes(projectDir: string, hub: Hub): Route[] {
  const plain = (pattern: string, answer: () => unknown): Route =>
    get(pattern, (query) => {
      query.only()
      return answer()
    })
  return [
    plain('/api/memory', () => memoryLanding(projectDir)),
    plain('/api/memory/presets', () => memoryPresets(projectDir)),
    plain('/api/hub', () => ({ running: true, port: hub.port, clients: hub.getClients() })),
    plain('/api/local-recall/status', () => localRecallStatus(projectDir)),
    plain('/api/embedding/status', () => embeddingStatus(projectDir)),
    get('/api/search', (query) => answerSearch(query, projectDir)),
    get('/api/timeline', (query) => answerTimeline(query, projectDir)),
    post('/api/memory/search', (body) => answerMemorySearch(body, projectDir)),
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

function answerMemorySearch(body: Record<string, unknown>, projectDir: string): object {
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
  return { configured: memoryLanding(projectDir).configured, results, note }
}
