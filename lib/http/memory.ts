import { sharedRecords, shownRecord } from '../api/shared-memory.js'
import {
  buildCaptureSeries,
  buildMemoryReport,
  checkHallmark,
  type ExportOptions,
  exportMemory,
  listConflicts,
  listDrains,
  listMemories,
  listRetired,
  listReview,
  measureHallmarks,
  memoryStatus,
  noteStats,
  type RecallOptions,
  recall,
  type SeriesOptions,
} from '../native.js'
import { given } from '../shared/given.js'
import { injectedNotes } from './notes.js'
import type { Query } from './query.js'
import type { Reply, Route } from './router.js'
import { countTags } from './tags.js'

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

const NOTES = 200
const NOTES_MAX = 1000

/** Returns the routes that read a project's memory. */
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
      method: 'GET',
      pattern: '/api/memory/conflicts',
      handler: () => ({ body: { conflicts: listConflicts(project) } }),
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
    { method: 'GET', pattern: '/api/memory/tags', handler: () => ({ body: { tags: countTags(projectDir) } }) },
    { method: 'GET', pattern: '/api/memory/notes', handler: ({ query }) => answerNotes(query, projectDir) },
    { method: 'GET', pattern: '/api/memory/export', handler: ({ query }) => answerExport(query, projectDir) },
  ]
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

function answerNotes(query: Query, projectDir: string): Reply {
  const limit = query.only('limit').number('limit') ?? NOTES
  return { body: injectedNotes(projectDir, Math.max(1, Math.min(limit, NOTES_MAX))) }
}

function answerExport(query: Query, projectDir: string): Reply {
  const format = query.only('format').text('format') as ExportOptions['format']
  return { body: exportMemory({ projectDir, ...given({ format }) }) }
}

async function answerEntry(id: string, query: Query, projectDir: string): Promise<Reply> {
  const includeProposed = query.only('includeProposed').flag('includeProposed')
  const shared = await sharedRecords([id], { projectDir }, 'show')
  const shown = shownRecord(id, { projectDir, ...given({ includeProposed }) }, shared)
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
