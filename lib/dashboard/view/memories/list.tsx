import { useLayoutEffect, useState } from 'preact/hooks'
import type { Hit } from '../../connection/shapes.js'
import { Rows } from '../../part/rows.js'
import { day, dayName } from '../../show/moment.js'
import { oneLine, whole } from '../../show/text.js'
import { isHead, type ListRow, outlineOf } from '../../state/rows.js'
import type { Group } from '../../state/search.js'
import { HitRow } from '../hit.js'
import type { Selection } from './selection.js'

const ROW_HEIGHT = 80
const HEAD_HEIGHT = 32

/** The source of the list's records. */
export interface Found {
  total: number
  groups: Group[] | undefined
  hitAt: (index: number) => Hit | undefined
  want?: (first: number, last: number) => void
}

interface RecordListProps {
  found: Found
  pinned: Hit[]
  /** The search that found the records. */
  of: string
  /** True if the keys of groups are days. */
  hasDays: boolean
  selection: Selection
  start: number
  isEntered: boolean
  onSelect: (hits: Hit[], isSelected: boolean) => void
  onCurrent: (row: number, hit: Hit | undefined) => void
}

const PINNED = 'Pinned'

function sectionsOf({ total, groups }: Found, pinned: Hit[]): Group[] {
  if (pinned.length === 0) return groups ?? []
  return [{ key: PINNED, count: pinned.length }, ...(groups ?? [{ key: 'Everything', count: total }])]
}

export function RecordList(props: RecordListProps) {
  const { found, pinned, of, hasDays, selection, start, isEntered, onSelect, onCurrent } = props
  const [row, setRow] = useState(start)
  const [lastSelected, setLastSelected] = useState<number>()
  const sections = sectionsOf(found, pinned)
  const outline = outlineOf(sections)
  const hasHeads = sections.length > 0
  const count = hasHeads ? outline.count : found.total
  const recordAt = (at: number): Hit | undefined => (at < pinned.length ? pinned[at] : found.hitAt(at - pinned.length))
  const rowAt = (at: number): ListRow | undefined => {
    if (!hasHeads) return recordAt(at)
    const place = outline.at(at)
    return 'head' in place ? place.head : recordAt(place.record)
  }
  const isHeadAt = (at: number): boolean => hasHeads && 'head' in outline.at(at)
  const current = rowAt(row)
  const hit = isHead(current) ? undefined : current
  useLayoutEffect(() => onCurrent(row, hit), [row, hit?.id])
  const select = (at: number, one: Hit, event: MouseEvent): void => {
    const isSelected = !selection.has(one.id)
    const from = event.shiftKey && lastSelected !== undefined ? lastSelected : at
    const rows = Array.from({ length: Math.abs(at - from) + 1 }, (_, step) => rowAt(Math.min(at, from) + step))
    onSelect(
      rows.filter((found): found is Hit => found !== undefined && !isHead(found)),
      isSelected,
    )
    setLastSelected(at)
  }
  return (
    <Rows<ListRow>
      count={count}
      itemAt={rowAt}
      keyOf={(item) => (isHead(item) ? `group ${item.group}` : item.id)}
      height={ROW_HEIGHT}
      heightAt={(at) => (isHeadAt(at) ? HEAD_HEIGHT : ROW_HEIGHT)}
      isPassed={isHeadAt}
      label="Memories"
      of={of}
      madeOf={selection}
      isMain={true}
      isEntered={isEntered}
      start={start}
      onCurrent={setRow}
      onRange={(first, last) => {
        const [from, to] = hasHeads ? [outline.recordsBefore(first), outline.recordsBefore(last)] : [first, last]
        found.want?.(Math.max(0, from - pinned.length), Math.max(0, to - pinned.length))
      }}
    >
      {(item, isCurrent, at) =>
        isHead(item) ? (
          <p class="group-head">
            <strong>{hasDays && item.group !== PINNED ? dayName(item.group) : oneLine(item.group) || 'without'}</strong>
            <span class="note">{whole(item.count)}</span>
          </p>
        ) : (
          <div class={`record ${selection.has(item.id) ? 'is-selected' : ''}`}>
            <input
              type="checkbox"
              checked={selection.has(item.id)}
              tabIndex={-1}
              aria-label={`Select the memory of ${day(item.createdAt)}: ${oneLine(item.text).slice(0, 60)}`}
              onClick={(event) => select(at, item, event)}
            />
            <HitRow hit={item} isReachable={isCurrent} />
          </div>
        )
      }
    </Rows>
  )
}
