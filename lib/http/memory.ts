import {
  acceptMemory,
  buildCaptureSeries,
  buildMemoryReport,
  type Capture,
  type ConflictResolution,
  captureMemory,
  checkHallmark,
  type Edit,
  editMemory,
  forget,
  keepMemory,
  listConflicts,
  listDrains,
  listMemories,
  listRetired,
  listReview,
  measureHallmarks,
  memoryStatus,
  noteStats,
  type RecallOptions,
  type Replacement,
  rateMemory,
  recall,
  rejectMemory,
  replaceMemory,
  resolveConflict,
  type SeriesOptions,
  showMemory,
} from '../native.js'
import { given } from '../shared/given.js'
import { problem } from '../shared/problem.js'
import { person } from '../shared/speaker.js'
import type { Query } from './query.js'
import type { Reply, Route } from './router.js'

type Filters = Omit<RecallOptions, 'projectDir'>
/** Reads each option of the library from its query parameter. Parameters that may be repeated have singular names. */
const FILTERS: {
  [Name in keyof Required<Filters>]: [parameter: string, read: (query: Query, name: string) => unknown]
} = {
  limit: ['limit', (query, name) => query.number(name)],
  offset: ['offset', (query, name) => query.number(name)],
  scope: ['scope', (query, name) => query.text(name)],
  types: ['type', (query, name) => query.texts(name)],
  tags: ['tag', (query, name) => query.texts(name)],
  since: ['since', (query, name) => query.text(name)],
  minConfidence: ['minConfidence', (query, name) => query.number(name)],
  includeExpired: ['includeExpired', (query, name) => query.flag(name)],
  includeProposed: ['includeProposed', (query, name) => query.flag(name)],
  explain: ['explain', (query, name) => query.flag(name)],
  highlights: ['highlights', (query, name) => query.flag(name)],
  at: ['at', (query, name) => query.text(name)],
  mode: ['mode', (query, name) => query.text(name)],
  rerank: ['rerank', (query, name) => query.flag(name)],
}
/** The query parameters of lists and searches. */
export const FILTER_PARAMETERS = Object.values(FILTERS).map(([parameter]) => parameter)
/** The source of captures without `tool` and `source`. */
const SOURCE = 'api/memory'

/** Returns the routes of a project's memory. */
export function memoryRoutes(projectDir: string): Route[] {
  const project = { projectDir }
  return [
    { method: 'GET', pattern: '/api/memory/report', handler: () => ({ body: buildMemoryReport(project) }) },
    { method: 'GET', pattern: '/api/memory/moments', handler: () => ({ body: noteStats({ projectDir }) }) },
    { method: 'GET', pattern: '/api/memory/status', handler: () => ({ body: memoryStatus(project) }) },
    { method: 'GET', pattern: '/api/memory/recall', handler: ({ query }) => answerRecall(query, projectDir) },
    { method: 'GET', pattern: '/api/memory/list', handler: ({ query }) => answerList(query, projectDir) },
    {
      method: 'GET',
      pattern: '/api/memory/entry/:id',
      handler: ({ path, query }) => answerEntry(path.id ?? '', query, projectDir),
    },
    {
      method: 'PATCH',
      pattern: '/api/memory/entry/:id',
      handler: ({ path, body }) => ({ body: editMemory(path.id ?? '', body as Edit, { ...project, ...person() }) }),
    },
    {
      method: 'DELETE',
      pattern: '/api/memory/entry/:id',
      handler: ({ path }) => ({ body: forget(path.id ?? '', { ...project, ...person() }) }),
    },
    {
      method: 'POST',
      pattern: '/api/memory/entry/:id/keep',
      handler: ({ path }) => ({ body: keepMemory(path.id ?? '', { ...project, ...person() }) }),
    },
    {
      method: 'GET',
      pattern: '/api/memory/conflicts',
      handler: () => ({ body: { conflicts: listConflicts(project) } }),
    },
    {
      method: 'POST',
      pattern: '/api/memory/conflicts',
      handler: ({ body }) => ({
        body: resolveConflict(body as unknown as ConflictResolution, { ...project, ...person() }),
      }),
    },
    {
      method: 'POST',
      pattern: '/api/memory/replace',
      handler: ({ body }) => ({ body: replaceMemory(body as unknown as Replacement, { ...project, ...person() }) }),
    },
    {
      method: 'GET',
      pattern: '/api/memory/retired',
      handler: ({ query }) => {
        const since = query.only('since').text('since')
        return { body: { retired: listRetired({ ...project, ...given({ since }) }) } }
      },
    },
    { method: 'GET', pattern: '/api/memory/review', handler: () => ({ body: { waiting: listReview(project) } }) },
    {
      method: 'POST',
      pattern: '/api/memory/review/:id',
      handler: ({ path, body }) => ({ body: decide(path.id ?? '', body, projectDir) }),
    },
    {
      method: 'POST',
      pattern: '/api/memory/entry/:id/feedback',
      handler: ({ path, body }) => {
        const verdict = body.verdict as 'useful' | 'wrong'
        return { body: rateMemory(path.id ?? '', verdict, { ...project, ...person() }) }
      },
    },
    { method: 'POST', pattern: '/api/memory/capture', handler: ({ body }) => answerCapture(body, projectDir) },
    { method: 'GET', pattern: '/api/memory/series', handler: ({ query }) => answerSeries(query, projectDir) },
    {
      method: 'GET',
      pattern: '/api/memory/drains',
      handler: ({ query }) => {
        const limit = query.only('limit').number('limit')
        return { body: { passes: listDrains({ ...project, ...given({ limit }) }) } }
      },
    },
    {
      method: 'GET',
      pattern: '/api/memory/hallmark',
      handler: async () => ({ body: await measureHallmarks(project) }),
    },
    { method: 'GET', pattern: '/api/memory/types', handler: () => answerTypes(projectDir) },
  ]
}

/** Accepts a record of the inbox, with a better text if one is given, or rejects it. */
function decide(id: string, { decision, text }: Record<string, unknown>, projectDir: string) {
  const { session } = person()
  const options = { projectDir, ...given({ session }) }
  if (decision === 'accept') return acceptMemory(id, { ...options, ...given({ text: text as string | undefined }) })
  if (decision === 'reject' && text === undefined) return rejectMemory(id, options)
  throw problem('INVALID_INPUT', 'decision: expected accept, with or without a text, or reject')
}

export function filtersFrom(query: Query): Filters {
  const values = Object.entries(FILTERS).map(([name, [parameter, read]]) => [name, read(query, parameter)])
  return given(Object.fromEntries(values) as Filters)
}

function answerRecall(query: Query, projectDir: string): Reply {
  const text = query.only('query', ...FILTER_PARAMETERS).text('query') ?? ''
  const options = { ...filtersFrom(query), projectDir }
  if (text.trim() !== '') return { body: recall(text, options) }
  const { entries, total } = listMemories(options)
  return { body: { query: '', hits: entries, searched: total } }
}

function answerList(query: Query, projectDir: string): Reply {
  return { body: listMemories({ ...filtersFrom(query.only(...FILTER_PARAMETERS)), projectDir }) }
}

function answerEntry(id: string, query: Query, projectDir: string): Reply {
  const includeProposed = query.only('includeProposed').flag('includeProposed')
  const shown = showMemory(id, { projectDir, ...given({ includeProposed }) })
  return { body: { ...shown, hallmark: hallmarkOf(shown.record), delivery: { state: 'unknown' } } }
}

function hallmarkOf(record: string): { state: string; stamp?: unknown } {
  const state = checkHallmark(record)
  try {
    const { hallmark } = JSON.parse(record) as { hallmark?: unknown }
    return hallmark === undefined ? { state } : { state, stamp: hallmark }
  } catch {
    return { state }
  }
}

function answerCapture({ created_by, ...rest }: Record<string, unknown>, projectDir: string): Reply {
  // Plan Forge's clients use the field name of the file format.
  const body = created_by === undefined ? rest : { createdBy: created_by, ...rest }
  const isNamed = body.source !== undefined || body.tool !== undefined
  const capture = (isNamed ? body : { ...body, source: SOURCE }) as unknown as Capture
  const outcome = captureMemory(capture, { projectDir, ...person() })
  if (outcome.deduped) return { body: outcome }
  return { status: outcome.captured ? 201 : 500, body: outcome }
}

function answerSeries(query: Query, projectDir: string): Reply {
  const by = query.only('by', 'bucket', 'since').text('by') ?? 'type'
  const bucket = query.text('bucket') ?? 'day'
  const options = { by, bucket, ...given({ since: query.text('since') }), projectDir } as SeriesOptions
  return { body: { by, bucket, ...buildCaptureSeries(options) } }
}

function answerTypes(projectDir: string): Reply {
  const { byType, byTool } = buildMemoryReport({ projectDir }).telemetry
  const sorted = (counts: Record<string, number>) =>
    Object.entries(counts).sort(([x, a], [y, b]) => b - a || (x < y ? -1 : 1))
  return {
    body: {
      types: sorted(byType).map(([type, count]) => ({ type, count })),
      tools: sorted(byTool).map(([tool, count]) => ({ tool, count })),
    },
  }
}
