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
  type RetiredOptions,
  recall,
  type SeriesOptions,
  type ShowOptions,
} from '../native.js'
import { given } from '../shared/given.js'
import { injectedNotes } from './notes.js'
import type { Query } from './query.js'
import type { Reply, Route } from './router.js'
import { countTags } from './tags.js'

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
        const since = query.fields<RetiredOptions>('RetiredOptions')
        return { body: { retired: listRetired({ ...project, ...since }) } }
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

function answerRecall(query: Query, projectDir: string): Reply {
  const options = { ...query.fields<RecallOptions>('RecallOptions', ['query']), projectDir }
  const text = query.text('query') ?? ''
  if (text.trim() !== '') return { body: recall(text, options) }
  const { entries, total } = listMemories(options)
  return { body: { query: '', hits: entries, searched: total } }
}

function answerList(query: Query, projectDir: string): Reply {
  return { body: listMemories({ ...query.fields<RecallOptions>('RecallOptions'), projectDir }) }
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
  const options = query.fields<ShowOptions>('ShowOptions')
  const shared = await sharedRecords([id], { projectDir }, 'show')
  const shown = shownRecord(id, { projectDir, ...options }, shared)
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
  const { by = 'type', bucket = 'day', since } = query.fields<SeriesOptions>('SeriesOptions')
  return { body: { by, bucket, ...buildCaptureSeries({ by, bucket, ...given({ since }), projectDir }) } }
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
