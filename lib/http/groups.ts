import type { Hub } from '../hub/hub.js'
import { countMemories, listMemories, type RecallHit, type RecallOptions } from '../native.js'
import { eachMemory } from '../shared/expiring.js'
import { given } from '../shared/given.js'
import { problem } from '../shared/problem.js'
import type { Query } from './query.js'
import { get, type Route } from './router.js'

const PAGE = 100
/** How long an order is cached. A file that is edited by hand causes no event, so its new order is shown after this time. */
const KEPT_MS = 30_000

const twoDigits = (value: number): string => String(value).padStart(2, '0')

/** The day of an instant in the time zone of the server, such as `2026-11-22`. */
function dayOf(instant: string): string {
  const at = new Date(instant)
  return `${at.getFullYear()}-${twoDigits(at.getMonth() + 1)}-${twoDigits(at.getDate())}`
}

const KEYS: Record<string, (hit: RecallHit) => string> = {
  type: ({ type }) => type,
  source: ({ source }) => source,
}

interface Grouped {
  groups: { key: string; count: number }[]
  entries: RecallHit[]
}

/** The cached order of one list: scrolling requests its pages one after the other. */
interface Kept extends Grouped {
  asked: string
  seq: number
  until: number
}

export function groupRoutes(projectDir: string, hub: Hub): Route[] {
  let kept: Kept | undefined
  const answer = async (query: Query) => {
    const { limit = PAGE, offset = 0, ...filters } = query.fields<RecallOptions>('RecallOptions', ['by'])
    const by = query.text('by') ?? 'type'
    const page = { ...filters, ...given({ limit, offset }), projectDir }
    if (by === 'day') return { by, ...byDay(page) }
    const keyOf = KEYS[by]
    if (!keyOf) throw problem('INVALID_INPUT', 'by: expected type, day or source')
    // The engine validates the page and the filters.
    listMemories(page)
    const asked = JSON.stringify([by, filters])
    const isGood = kept?.asked === asked && kept.seq === hub.seq && kept.until > Date.now()
    if (!kept || !isGood) {
      const { seq } = hub
      const hits: RecallHit[] = []
      await eachMemory(page, (hit) => hits.push(hit))
      kept = { ...groupedBy(keyOf, hits), asked, seq, until: Date.now() + KEPT_MS }
    }
    const { groups, entries } = kept
    return { by, groups, entries: entries.slice(offset, offset + limit), total: entries.length }
  }
  return [get('/api/memory/groups', answer)]
}

/** The newest day comes first, as in every list, so that only the days have to be counted. */
function byDay(page: RecallOptions): Grouped & { total: number } {
  const { entries, total } = listMemories(page)
  const days = new Map<string, number>()
  for (const { key, count } of countMemories('quarter', page).reverse()) {
    const day = dayOf(key)
    days.set(day, (days.get(day) ?? 0) + count)
  }
  return { groups: [...days].map(([key, count]) => ({ key, count })), entries, total }
}

/** Groups are sorted by their size. Within a group the newest comes first. */
function groupedBy(keyOf: (hit: RecallHit) => string, hits: RecallHit[]): Grouped {
  const groups = new Map<string, RecallHit[]>()
  for (const hit of hits) {
    const key = keyOf(hit)
    const group = groups.get(key)
    if (group) group.push(hit)
    else groups.set(key, [hit])
  }
  const bySize = ([x, a]: [string, RecallHit[]], [y, b]: [string, RecallHit[]]) =>
    b.length - a.length || (x < y ? -1 : 1)
  const sorted = [...groups].sort(bySize)
  return {
    groups: sorted.map(([key, { length }]) => ({ key, count: length })),
    entries: sorted.flatMap(([, entries]) => entries),
  }
}
