import { drainOpenBrain, openBrainStatus, searchThoughts } from '../api/shared-memory.js'
import type { Hub } from '../hub/hub.js'
import {
  buildMemoryReport,
  dropDeadLetters,
  listDeadLetters,
  listDrains,
  retryDeadLetters,
  type SearchOptions,
} from '../native.js'
import { problem } from '../shared/problem.js'
import { onlyFields } from './body.js'
import type { Query } from './query.js'
import { get, post, type Route } from './router.js'

/** Returns the routes of the shared store: queue, dead letters and search. */
export function storeRoutes(projectDir: string, hub: Hub): Route[] {
  return [
    get('/api/anvil/status', async () => {
      const status = await openBrainStatus({ projectDir })
      const lastDrain = listDrains({ projectDir, limit: 1 }).at(-1) ?? null
      return { available: true, ...status, lastDrain }
    }),
    get('/api/dlq', (query) => answerLetters(query, projectDir)),
    post('/api/dlq', (body) => settleLetters(body, projectDir, hub)),
    post('/api/memory/drain', (body) => {
      onlyFields(body, ['maxBatch'])
      return drainOpenBrain({ ...body, projectDir })
    }),
    get('/api/memory/search', (query) => answerSearch(query, projectDir)),
  ]
}

function answerLetters(query: Query, projectDir: string): object {
  const limit = query.only('limit', 'offset').number('limit') ?? 100
  const offset = query.number('offset') ?? 0
  const letters = listDeadLetters({ projectDir })
  return { letters: letters.slice(offset, offset + limit), total: letters.length }
}

function settleLetters(body: Record<string, unknown>, projectDir: string, hub: Hub): object {
  onlyFields(body, ['action', 'ids'])
  const { action, ids } = body
  if (action !== 'retry' && action !== 'drop') throw problem('INVALID_INPUT', 'action: expected retry or drop')
  if (action === 'drop' && ids === undefined) throw problem('INVALID_INPUT', 'ids: expected a list of ids')
  const before = listDeadLetters({ projectDir }).length
  if (action === 'retry') retryDeadLetters(ids as string[] | undefined, { projectDir })
  else dropDeadLetters(ids as string[], { projectDir })
  tellOfLetters(projectDir, hub)
  return { action, count: Math.max(0, before - listDeadLetters({ projectDir }).length) }
}

/** Tells the page that dead letters were retried or dropped. */
export function tellOfLetters(projectDir: string, hub: Hub): void {
  const { queue } = buildMemoryReport({ projectDir })
  hub.broadcast({ type: 'dlq-changed', queued: queue.pending, deadLetters: queue.dlq })
}

function answerSearch(query: Query, projectDir: string): Promise<object> {
  const options = query.fields<SearchOptions>('SearchOptions', ['query'])
  const text = query.text('query')
  if (text === undefined) throw problem('INVALID_INPUT', 'query: expected a string')
  return searchThoughts(text, { ...options, projectDir })
}
