import type { Hub } from '../hub/hub.js'
import { problem } from '../hub/problem.js'
import * as library from '../index.js'
import { buildMemoryReport, listDrains } from '../index.js'
import { onlyFields } from './body.js'
import { given, type Query } from './query.js'
import type { Reply, Route } from './router.js'

type Anything = (...args: unknown[]) => unknown

/** Returns a function of the library that this build may not have. */
function feature(name: string): Anything | undefined {
  const found = (library as Record<string, unknown>)[name]
  return typeof found === 'function' ? (found as Anything) : undefined
}

function required(name: string, what: string): Anything {
  const found = feature(name)
  if (!found) throw problem('UNAVAILABLE', `${what} is not part of this build`)
  return found
}

/** Returns the routes of the shared store: its queue, its dead letters, its search. */
export function storeRoutes(projectDir: string, hub: Hub): Route[] {
  const project = { projectDir }
  return [
    { method: 'GET', pattern: '/api/anvil/status', handler: () => answerStatus(projectDir) },
    { method: 'GET', pattern: '/api/dlq', handler: ({ query }) => answerLetters(query, projectDir) },
    { method: 'POST', pattern: '/api/dlq', handler: ({ body }) => settleLetters(body, projectDir, hub) },
    {
      method: 'POST',
      pattern: '/api/memory/drain',
      handler: async ({ body }) => {
        onlyFields(body, ['maxBatch'])
        return { body: await required('drainOpenBrain', 'the shared store')({ ...body, ...project }) }
      },
    },
    { method: 'GET', pattern: '/api/memory/search', handler: ({ query }) => answerSearch(query, projectDir) },
  ]
}

/** Returns the routes of the code graph. */
export function latticeRoutes(projectDir: string): Route[] {
  const numbers = ['limit', 'depth']
  const route = (name: string, run: string): Route => ({
    method: 'GET',
    pattern: `/api/lattice/${name}`,
    handler: async ({ query }) => {
      const names = ['query', 'name', 'chunkId', 'kind', 'language', 'filePath', 'direction']
      query.only(...names, ...numbers)
      const texts = Object.fromEntries(names.map((key) => [key, query.text(key)]))
      const counts = Object.fromEntries(numbers.map((key) => [key, query.number(key)]))
      return { body: await required(run, 'the code graph')({ ...given({ ...texts, ...counts }), projectDir }) }
    },
  })
  return [
    route('stat', 'latticeStat'),
    route('query', 'latticeQuery'),
    route('callers', 'latticeCallers'),
    route('callees', 'latticeCallees'),
    route('blast', 'latticeBlast'),
  ]
}

async function answerStatus(projectDir: string): Promise<Reply> {
  const status = feature('openBrainStatus')
  const lastDrain = listDrains({ projectDir, limit: 1 }).at(-1) ?? null
  if (status) return { body: { available: true, ...((await status({ projectDir })) as object), lastDrain } }
  const { queue } = buildMemoryReport({ projectDir })
  return { body: { available: false, queued: queue.pending, deadLetters: queue.dlq, lastDrain } }
}

async function answerLetters(query: Query, projectDir: string): Promise<Reply> {
  const limit = query.only('limit', 'offset').number('limit') ?? 100
  const offset = query.number('offset') ?? 0
  const letters = (await required('listDeadLetters', 'the shared store')({ projectDir })) as unknown[]
  return { body: { letters: letters.slice(offset, offset + limit), total: letters.length } }
}

async function settleLetters(body: Record<string, unknown>, projectDir: string, hub: Hub): Promise<Reply> {
  onlyFields(body, ['action', 'ids'])
  const { action, ids } = body
  if (action !== 'retry' && action !== 'drop') throw problem('INVALID_INPUT', 'action: retry or drop is due')
  const areIds = Array.isArray(ids) && ids.every((id) => typeof id === 'string')
  if (!(areIds || (ids === undefined && action === 'retry'))) {
    throw problem('INVALID_INPUT', 'ids: a list of ids is due')
  }
  const run = required(action === 'retry' ? 'retryDeadLetters' : 'dropDeadLetters', 'the shared store')
  const outcome = await run(ids, { projectDir })
  const { queue } = buildMemoryReport({ projectDir })
  hub.broadcast({ type: 'dlq-changed', queued: queue.pending, deadLetters: queue.dlq })
  return { body: { action, count: countOf(outcome, ids) } }
}

function countOf(outcome: unknown, ids: unknown): number {
  if (typeof outcome === 'number') return outcome
  if (Array.isArray(outcome)) return outcome.length
  const counts = Object.values((outcome ?? {}) as object).filter((value) => typeof value === 'number')
  return counts[0] ?? (Array.isArray(ids) ? ids.length : 0)
}

async function answerSearch(query: Query, projectDir: string): Promise<Reply> {
  const search = required('searchThoughts', 'the shared store')
  const text = query.only('query', 'limit', 'type', 'since', 'project').text('query')
  if (text === undefined) throw problem('INVALID_INPUT', 'query: a text is due')
  const options = given({
    limit: query.number('limit'),
    type: query.text('type'),
    since: query.text('since'),
    project: query.text('project'),
  })
  return { body: await search(text, { ...options, projectDir }) }
}
