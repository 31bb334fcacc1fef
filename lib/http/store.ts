import { drainOpenBrain, openBrainStatus, searchThoughts } from '../api/shared-memory.js'
import type { Hub } from '../hub/hub.js'
import { buildMemoryReport, dropDeadLetters, listDeadLetters, listDrains, retryDeadLetters } from '../native.js'
import { given } from '../shared/given.js'
import { problem } from '../shared/problem.js'
import { onlyFields } from './body.js'
import type { Query } from './query.js'
import type { Reply, Route } from './router.js'

/** Returns the routes of the shared store: queue, dead letters and search. */
export function storeRoutes(projectDir: string, hub: Hub): Route[] {
  return [
    { method: 'GET', pattern: '/api/anvil/status', handler: () => answerStatus(projectDir) },
    { method: 'GET', pattern: '/api/dlq', handler: ({ query }) => answerLetters(query, projectDir) },
    { method: 'POST', pattern: '/api/dlq', handler: ({ body }) => settleLetters(body, projectDir, hub) },
    {
      method: 'POST',
      pattern: '/api/memory/drain',
      handler: async ({ body }) => {
        onlyFields(body, ['maxBatch'])
        return { body: await drainOpenBrain({ ...body, projectDir }) }
      },
    },
    { method: 'GET', pattern: '/api/memory/search', handler: ({ query }) => answerSearch(query, projectDir) },
  ]
}

async function answerStatus(projectDir: string): Promise<Reply> {
  const status = await openBrainStatus({ projectDir })
  const lastDrain = listDrains({ projectDir, limit: 1 }).at(-1) ?? null
  return { body: { available: true, ...status, lastDrain } }
}

function answerLetters(query: Query, projectDir: string): Reply {
  const limit = query.only('limit', 'offset').number('limit') ?? 100
  const offset = query.number('offset') ?? 0
  const letters = listDeadLetters({ projectDir })
  return { body: { letters: letters.slice(offset, offset + limit), total: letters.length } }
}

function settleLetters(body: Record<string, unknown>, projectDir: string, hub: Hub): Reply {
  onlyFields(body, ['action', 'ids'])
  const { action, ids } = body
  if (action !== 'retry' && action !== 'drop') throw problem('INVALID_INPUT', 'action: expected retry or drop')
  if (action === 'drop' && ids === undefined) throw problem('INVALID_INPUT', 'ids: expected a list of ids')
  const before = listDeadLetters({ projectDir }).length
  if (action === 'retry') retryDeadLetters(ids as string[] | undefined, { projectDir })
  else dropDeadLetters(ids as string[], { projectDir })
  const { queue } = buildMemoryReport({ projectDir })
  hub.broadcast({ type: 'dlq-changed', queued: queue.pending, deadLetters: queue.dlq })
  return { body: { action, count: Math.max(0, before - listDeadLetters({ projectDir }).length) } }
}

async function answerSearch(query: Query, projectDir: string): Promise<Reply> {
  const text = query.only('query', 'limit', 'type', 'since', 'project').text('query')
  if (text === undefined) throw problem('INVALID_INPUT', 'query: expected a string')
  const options = given({
    limit: query.number('limit'),
    type: query.text('type'),
    since: query.text('since'),
    project: query.text('project'),
  })
  return { body: await searchThoughts(text, { ...options, projectDir }) }
}
