import { effect, signal } from '@preact/signals'
import { ask } from '../connection/http.js'
import type {
  AnvilStatus,
  DeadLetter,
  DrainPass,
  HallmarkCoverage,
  Health,
  LatticeStat,
  MemoryReport,
  NameCounts,
  ProjectStatus,
  Series,
} from '../connection/shapes.js'
import { hub } from '../connection/socket.js'
import { createResource, touchAll } from './resource.js'
import { touchSearches } from './search.js'

export const PERIODS = {
  day: { label: '24 h', words: 'the last 24 hours', since: '24h', bucket: 'hour' },
  week: { label: '7 d', words: 'the last 7 days', since: '7d', bucket: 'day' },
  month: { label: '30 d', words: 'the last 30 days', since: '30d', bucket: 'day' },
  quarter: { label: '90 d', words: 'the last 90 days', since: '90d', bucket: 'week' },
} as const
export type Period = keyof typeof PERIODS

export const seriesBy = signal<'type' | 'tool'>('type')
export const seriesPeriod = signal<Period>('month')

export const health = createResource(() => ask<Health>('/health'))
export const report = createResource(() => ask<MemoryReport>('/api/memory/report'))
export const status = createResource(() => ask<ProjectStatus>('/api/memory/status'))
export const names = createResource(() => ask<NameCounts>('/api/memory/types'))
export const series = createResource(() => {
  const { since, bucket } = PERIODS[seriesPeriod.peek()]
  return ask<Series>('/api/memory/series', { query: { by: seriesBy.peek(), bucket, since } })
})
export const drains = createResource(() => ask<{ passes: DrainPass[] }>('/api/memory/drains', { query: { limit: 60 } }))
export const hallmark = createResource(() => ask<HallmarkCoverage>('/api/memory/hallmark'))
export const anvil = createResource(() => ask<AnvilStatus>('/api/anvil/status'))
export const lattice = createResource(() => ask<LatticeStat>('/api/lattice/stat'))
export const letters = createResource(async () => {
  if (anvil.value.peek() === undefined) await anvil.refresh()
  // Without the doorway there is nothing that could have given up.
  if (anvil.value.peek()?.available === false) return { letters: [], total: 0 }
  return ask<{ letters: DeadLetter[]; total: number }>('/api/dlq', { query: { limit: 1000 } })
})

const searches = { touch: touchSearches }

/** Which resources an event makes old. */
const TOUCHED: Record<string, { touch(): void }[]> = {
  'memory-captured': [report, status, names, series, hallmark, anvil, searches],
  'memory-edited': [report, status, names, series, hallmark, anvil, searches],
  'memory-forgotten': [report, status, names, hallmark, anvil, searches],
  'openbrain-flush': [report, status, drains, anvil, letters],
  'dlq-changed': [report, status, anvil, letters],
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
    void series.refresh()
  })
}
