import { effect, signal } from '@preact/signals'
import { ask } from '../connection/http.js'
import type {
  AnvilStatus,
  Check,
  DeadLetter,
  DrainPass,
  HallmarkCoverage,
  Health,
  InjectedNotes,
  LatticeStat,
  MemoryConflict,
  MemoryList,
  MemoryMap,
  MemoryReport,
  NameCounts,
  NoteStats,
  ProjectStatus,
  RetiredMemory,
  Settings,
  WaitingMemory,
} from '../connection/shapes.js'
import { hub } from '../connection/socket.js'
import { CAPTURE_TYPES, learnKinds } from '../show/kind.js'
import { createResource, touchAll } from './resource.js'
import { touchSearches } from './search.js'
import { loadRange, loadSeries, type Range } from './series.js'

export const PERIODS = {
  day: { label: '24 h', words: 'the last 24 hours', since: '24h', bucket: 'hour' },
  week: { label: '7 d', words: 'the last 7 days', since: '7d', bucket: 'day' },
  month: { label: '30 d', words: 'the last 30 days', since: '30d', bucket: 'day' },
  quarter: { label: '90 d', words: 'the last 90 days', since: '90d', bucket: 'week' },
  all: { label: 'All', words: 'ten years', since: '520w', bucket: 'week' },
} as const
export type Period = keyof typeof PERIODS

export const seriesBy = signal<'type' | 'tool'>('type')
export const seriesPeriod = signal<Period>('month')
/** The part of the period that is zoomed in on. */
export const seriesRange = signal<Range | undefined>(undefined)

export const health = createResource(() => ask<Health>('/health'))
export const report = createResource(() => ask<MemoryReport>('/api/memory/report'))
export const status = createResource(() => ask<ProjectStatus>('/api/memory/status'))
export const names = createResource(async () => {
  const found = await ask<NameCounts>('/api/memory/types')
  learnKinds(found.types.map(({ type }) => type))
  return found
})
export interface Tag {
  tag: string
  count: number
}
export const tags = createResource(() => ask<{ tags: Tag[] }>('/api/memory/tags'))
export const notes = createResource(() => ask<InjectedNotes>('/api/memory/notes'))
export const expiring = createResource(() => ask<MemoryList>('/api/memory/expiring'))
export const learned = createResource(() => ask<MemoryList>('/api/memory/learned'))
export const map = createResource(() => ask<MemoryMap>('/api/memory/map'))
export const settings = createResource(() => ask<Settings>('/api/settings'))
export const retired = createResource(() =>
  ask<{ retired: RetiredMemory[] }>('/api/memory/retired', { query: { since: '7d' } }),
)

/** The types that a person may choose: the built-in ones, then those of this memory. */
export function knownTypes(): string[] {
  const own = (names.value.value?.types ?? []).map(({ type }) => type)
  return [...new Set([...CAPTURE_TYPES.map(({ type }) => type), ...own])]
}
export const series = createResource(() => {
  const range = seriesRange.peek()
  return range ? loadRange(seriesBy.peek(), range) : loadSeries(seriesBy.peek(), PERIODS[seriesPeriod.peek()])
})
export const drains = createResource(() => ask<{ passes: DrainPass[] }>('/api/memory/drains', { query: { limit: 60 } }))
export const review = createResource(() => ask<{ waiting: WaitingMemory[] }>('/api/memory/review'))
export const checks = createResource(() => ask<{ findings: Check[] }>('/api/memory/health'))
export const conflicts = createResource(() => ask<{ conflicts: MemoryConflict[] }>('/api/memory/conflicts'))
export const injections = createResource(() => ask<NoteStats>('/api/memory/moments'))
export const hallmark = createResource(() => ask<HallmarkCoverage>('/api/memory/hallmark'))
export const anvil = createResource(() => ask<AnvilStatus>('/api/anvil/status'))
export const lattice = createResource(() => ask<LatticeStat>('/api/lattice/stat'))
export const letters = createResource(() =>
  ask<{ letters: DeadLetter[]; total: number }>('/api/dlq', { query: { limit: 100_000 } }),
)

const searches = { touch: touchSearches }
/** What a look at every memory tells. */
const looks = [expiring, learned, map]

/** Which resources an event invalidates. */
const TOUCHED: Record<string, { touch(): void }[]> = {
  'memory-captured': [...looks, report, status, names, tags, series, hallmark, anvil, conflicts, searches],
  'memory-edited': [...looks, report, status, names, tags, series, hallmark, anvil, conflicts, searches],
  'memory-forgotten': [...looks, report, status, names, tags, hallmark, anvil, conflicts, review, searches],
  'memory-retired': [...looks, status, conflicts, retired, searches],
  'memory-kept': [...looks, status, conflicts, retired, searches],
  'memory-contradicted': [conflicts],
  'memory-proposed': [review, searches],
  'memory-accepted': [...looks, review, report, status, names, tags, searches],
  'memory-rejected': [review, report, status, names, searches],
  'memory-wrong': [review],
  'openbrain-flush': [report, status, drains, anvil, letters, checks],
  'dlq-changed': [report, status, anvil, letters, checks],
  'lattice-indexed': [lattice],
}

export function startStores(): void {
  hub.onEvents((events) => {
    for (const { type } of events) for (const resource of TOUCHED[type] ?? []) resource.touch()
  })
  hub.onGap(touchAll)
  effect(() => {
    seriesBy.value
    seriesPeriod.value
    seriesRange.value
    void series.refresh()
  })
}
