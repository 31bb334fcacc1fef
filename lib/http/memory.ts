import { listAllConflicts, sharedRecords, shownRecord } from '../api/shared-memory.js'
import {
  buildCaptureSeries,
  buildMemoryReport,
  checkHallmark,
  type ExportOptions,
  exportMemory,
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
import { get, type Route } from './router.js'
import { countTags } from './tags.js'

const NOTES = 200
const NOTES_MAX = 1000

export function memoryRoutes(projectDir: string): Route[] {
  const project = { projectDir }
  return [
    get('/api/memory/report', () => buildMemoryReport(project)),
    get('/api/memory/moments', () => noteStats(project)),
    get('/api/memory/status', () => memoryStatus(project)),
    get('/api/memory/recall', (query) => answerRecall(query, projectDir)),
    get('/api/memory/list', (query) => listMemories({ ...query.fields<RecallOptions>('RecallOptions'), projectDir })),
    get('/api/memory/entry/:id', async (query, { id = '' }) => {
      const options = query.fields<ShowOptions>('ShowOptions')
      const shown = shownRecord(id, { projectDir, ...options }, await sharedRecords([id], project, 'show'))
      return { ...shown, hallmark: hallmarkOf(shown.record), delivery: { state: 'unknown' } }
    }),
    get('/api/memory/conflicts', async () => ({ conflicts: await listAllConflicts(project) })),
    get('/api/memory/retired', (query) => {
      const since = query.fields<RetiredOptions>('RetiredOptions')
      return { retired: listRetired({ ...project, ...since }) }
    }),
    get('/api/memory/review', () => ({ waiting: listReview(project) })),
    get('/api/memory/series', (query) => {
      const { by = 'type', bucket = 'day', since } = query.fields<SeriesOptions>('SeriesOptions')
      return { by, bucket, ...buildCaptureSeries({ by, bucket, ...given({ since }), projectDir }) }
    }),
    get('/api/memory/drains', (query) => {
      const limit = query.only('limit').number('limit')
      return { passes: listDrains({ ...project, ...given({ limit }) }) }
    }),
    get('/api/memory/hallmark', () => measureHallmarks(project)),
    get('/api/memory/types', () => answerTypes(projectDir)),
    get('/api/memory/tags', () => ({ tags: countTags(projectDir) })),
    get('/api/memory/notes', (query) => {
      const limit = query.only('limit', 'id').number('limit') ?? NOTES
      return injectedNotes(projectDir, Math.max(1, Math.min(limit, NOTES_MAX)), query.texts('id'))
    }),
    get('/api/memory/export', (query) => {
      const format = query.only('format').text('format') as ExportOptions['format']
      return exportMemory({ projectDir, ...given({ format }) })
    }),
  ]
}

function answerRecall(query: Query, projectDir: string): object {
  const options = { ...query.fields<RecallOptions>('RecallOptions', ['query']), projectDir }
  const text = query.text('query') ?? ''
  if (text.trim() !== '') return recall(text, options)
  const { entries, total } = listMemories(options)
  return { query: '', hits: entries, searched: total }
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

function answerTypes(projectDir: string): object {
  const { byType, byTool } = buildMemoryReport({ projectDir }).telemetry
  const sorted = (counts: Record<string, number>) =>
    Object.entries(counts).sort(([x, a], [y, b]) => b - a || (x < y ? -1 : 1))
  return {
    types: sorted(byType).map(([type, count]) => ({ type, count })),
    tools: sorted(byTool).map(([tool, count]) => ({ tool, count })),
  }
}
