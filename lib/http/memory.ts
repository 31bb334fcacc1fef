import {
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
  measureHallmarks,
  memoryStatus,
  type RecallOptions,
  recall,
  resolveConflict,
  type SeriesOptions,
  showMemory,
} from '../native.js'
import { given, type Query } from './query.js'
import type { Reply, Route } from './router.js'

type Filters = Omit<RecallOptions, 'projectDir'>
/** Reads a field of the library's options from the parameter that stands for it; parameters that may be repeated have singular names. */
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
  at: ['at', (query, name) => query.text(name)],
}
const PARAMETERS = Object.values(FILTERS).map(([parameter]) => parameter)
/** The source of captures that name neither tool nor source. */
const SOURCE = 'api/memory'

/** Returns the routes of one project's memory. */
export function memoryRoutes(projectDir: string): Route[] {
  const project = { projectDir }
  return [
    { method: 'GET', pattern: '/api/memory/report', handler: () => ({ body: buildMemoryReport(project) }) },
    { method: 'GET', pattern: '/api/memory/status', handler: () => ({ body: memoryStatus(project) }) },
    { method: 'GET', pattern: '/api/memory/recall', handler: ({ query }) => answerRecall(query, projectDir) },
    { method: 'GET', pattern: '/api/memory/list', handler: ({ query }) => answerList(query, projectDir) },
    { method: 'GET', pattern: '/api/memory/entry/:id', handler: ({ path }) => answerEntry(path.id ?? '', projectDir) },
    {
      method: 'PATCH',
      pattern: '/api/memory/entry/:id',
      handler: ({ path, body }) => ({ body: editMemory(path.id ?? '', body as Edit, project) }),
    },
    {
      method: 'DELETE',
      pattern: '/api/memory/entry/:id',
      handler: ({ path }) => ({ body: forget(path.id ?? '', project) }),
    },
    {
      method: 'POST',
      pattern: '/api/memory/entry/:id/keep',
      handler: ({ path }) => ({ body: keepMemory(path.id ?? '', project) }),
    },
    {
      method: 'GET',
      pattern: '/api/memory/conflicts',
      handler: () => ({ body: { conflicts: listConflicts(project) } }),
    },
    {
      method: 'POST',
      pattern: '/api/memory/conflicts',
      handler: ({ body }) => ({ body: resolveConflict(body as unknown as ConflictResolution, project) }),
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

function filtersFrom(query: Query): Filters {
  const values = Object.entries(FILTERS).map(([name, [parameter, read]]) => [name, read(query, parameter)])
  return given(Object.fromEntries(values) as Filters)
}

function answerRecall(query: Query, projectDir: string): Reply {
  const text = query.only('query', ...PARAMETERS).text('query') ?? ''
  const options = { ...filtersFrom(query), projectDir }
  if (text.trim() !== '') return { body: recall(text, options) }
  const { entries, total } = listMemories(options)
  return { body: { query: '', hits: entries, searched: total } }
}

function answerList(query: Query, projectDir: string): Reply {
  return { body: listMemories({ ...filtersFrom(query.only(...PARAMETERS)), projectDir }) }
}

function answerEntry(id: string, projectDir: string): Reply {
  const shown = showMemory(id, { projectDir })
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
  // The older tool's clients write the author as records do.
  const body = created_by === undefined ? rest : { createdBy: created_by, ...rest }
  const isNamed = body.source !== undefined || body.tool !== undefined
  const capture = (isNamed ? body : { ...body, source: SOURCE }) as unknown as Capture
  const outcome = captureMemory(capture, { projectDir })
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
