import { elementScroll, observeElementOffset, observeElementRect, Virtualizer } from '@tanstack/virtual-core'
import type { ComponentChildren } from 'preact'
import { useEffect, useLayoutEffect, useReducer, useRef, useState } from 'preact/hooks'

/** The list of the view that is open. Views have at most one; the keys of lists go to it wherever the focus is. */
export const mainList: {
  current: { move: (key: string) => boolean; enter: () => void } | undefined
} = { current: undefined }

interface RowsProps<T> {
  count: number
  /** Returns a row; undefined while it is being loaded, when a placeholder is drawn. */
  itemAt: (index: number) => T | undefined
  keyOf: (item: T) => string | number
  height: number
  /** The height of a row that differs from the others. */
  heightAt?: (index: number) => number
  /** True if the keyboard skips a row, because nothing in it can be opened. */
  isPassed?: (index: number) => boolean
  label: string
  /** `log` for a feed that grows at its top, announced by screen readers; `list` otherwise. */
  role?: 'list' | 'log'
  /** True if this is the list of the view: `j` and `k` then work wherever the focus is. */
  isMain?: boolean
  /**
   * The value that rows depend on besides their items. While it is the same object, rendered rows are reused, so that scrolling only
   * renders rows that become visible.
   */
  madeOf?: unknown
  /** Identifies the list: another list starts at its first row. */
  of?: string
  /** The row that is current initially. */
  start?: number
  /** True if that row takes the focus. */
  isEntered?: boolean
  /** Reports the range of rows that is rendered. */
  onRange?: (first: number, last: number) => void
  onCurrent?: (index: number) => void
  children: (item: T, isCurrent: boolean, index: number) => ComponentChildren
}

type Move = (at: number, last: number, page: number) => number
const down: Move = (at, last) => Math.min(last, at + 1)
const up: Move = (at) => Math.max(0, at - 1)
const MOVES: Record<string, Move> = {
  ArrowDown: down,
  ArrowUp: up,
  j: down,
  k: up,
  PageDown: (at, last, page) => Math.min(last, at + page),
  PageUp: (at, _, page) => Math.max(0, at - page),
  Home: () => 0,
  End: (_, last) => last,
}

/** Returns the nearest row that the keyboard stops at, in the direction of the move, otherwise in the other one. */
function stopNear(from: number, step: number, count: number, isPassed: (index: number) => boolean): number {
  for (const direction of [step, -step])
    for (let at = from; at >= 0 && at < count; at += direction) if (!isPassed(at)) return at
  return from
}

const never = (): boolean => false

interface Drawn<T> {
  item: T
  isCurrent: boolean
  row: ComponentChildren
}

const KEPT_ROWS = 500

/**
 * A virtual list: only the visible rows exist in the document, so that ten thousand rows cost as much as twenty. It is one tab stop;
 * arrows, Page Up, Page Down, Home and End move the focus among the links of the rows (roving tabindex).
 */
export function Rows<T>(props: RowsProps<T>) {
  const { count, itemAt, keyOf, height, heightAt, isPassed = never, label, role = 'list', isMain = false } = props
  const { madeOf, of, start = 0, isEntered = false, onRange, onCurrent, children } = props
  const frame = useRef<HTMLDivElement>(null)
  const list = useRef<HTMLUListElement>(null)
  const [, redraw] = useReducer((count: number) => count + 1, 0)
  const [current, setCurrent] = useState(start)
  const wantsFocus = useRef(isEntered)
  const [rows] = useState(
    () =>
      new Virtualizer<HTMLDivElement, Element>({
        count: 0,
        getScrollElement: () => frame.current,
        estimateSize: () => height,
        overscan: 6,
        scrollToFn: elementScroll,
        observeElementRect,
        observeElementOffset,
      }),
  )
  rows.setOptions({
    ...rows.options,
    count,
    estimateSize: heightAt ?? (() => height),
    getItemKey: (at) => {
      const item = itemAt(at)
      return item === undefined ? at : keyOf(item)
    },
    onChange: () => redraw(0),
  })
  useLayoutEffect(() => rows._didMount(), [rows])
  useLayoutEffect(() => rows._willUpdate())
  useLayoutEffect(() => {
    if (start > 0) rows.scrollToIndex(start, { align: 'center' })
  }, [])

  const isOther = useRef(of)
  if (isOther.current !== of) {
    isOther.current = of
    setCurrent(0)
  }
  const at = stopNear(Math.min(current, Math.max(0, count - 1)), 1, count, isPassed)
  const shown = rows.getVirtualItems()
  const first = shown[0]?.index ?? 0
  const last = shown.at(-1)?.index ?? 0
  useEffect(() => {
    if (count > 0) onRange?.(first, last)
  }, [first, last, count])
  // Before the next key: Enter may follow, and leave the view.
  useLayoutEffect(() => {
    if (count > 0) onCurrent?.(at)
  }, [at, count])
  useLayoutEffect(() => {
    if (!wantsFocus.current) return
    const target = list.current?.querySelector<HTMLElement>(`[data-at="${at}"] a, [data-at="${at}"] button`)
    if (!target) return
    wantsFocus.current = false
    target.focus({ preventScroll: true })
  })

  const focusOn = (next: number): void => {
    wantsFocus.current = true
    setCurrent(next)
    rows.scrollToIndex(next, { align: 'auto' })
    redraw(0)
  }
  const move = (key: string): boolean => {
    const page = Math.max(1, Math.floor((frame.current?.clientHeight ?? height) / height) - 1)
    const next = MOVES[key]?.(at, count - 1, page)
    if (next === undefined || count === 0) return false
    focusOn(stopNear(next, next < at || key === 'End' ? -1 : 1, count, isPassed))
    return true
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey || !move(event.key)) return
    event.preventDefault()
    event.stopPropagation()
  }
  useLayoutEffect(() => {
    if (!isMain) return
    mainList.current = {
      move: (key) => {
        const isInside = list.current?.contains(document.activeElement) ?? false
        // The first key enters the list at its current row; the next ones move.
        if (isInside || document.activeElement === document.body) return move(key)
        focusOn(at)
        return true
      },
      enter: () => {
        if (!list.current?.contains(document.activeElement)) focusOn(at)
      },
    }
    return () => {
      mainList.current = undefined
    }
  })

  const drawn = useRef<{ madeOf: unknown; rows: Map<number, Drawn<T>> }>({ madeOf, rows: new Map() })
  if (drawn.current.madeOf !== madeOf) drawn.current = { madeOf, rows: new Map() }
  const draw = (item: T, index: number): ComponentChildren => {
    const isCurrent = index === at
    const kept = drawn.current.rows.get(index)
    if (madeOf !== undefined && kept?.item === item && kept.isCurrent === isCurrent) return kept.row
    const row = children(item, isCurrent, index)
    if (drawn.current.rows.size > KEPT_ROWS) drawn.current.rows.clear()
    drawn.current.rows.set(index, { item, isCurrent, row })
    return row
  }

  return (
    <div
      class="rows"
      ref={frame}
      style={{ '--rows-height': `${rows.getTotalSize()}px` }}
      {...(role === 'log' ? { role, 'aria-label': label } : {})}
    >
      <ul
        ref={list}
        aria-label={role === 'list' ? label : undefined}
        onKeyDown={onKeyDown}
        style={{ height: `${rows.getTotalSize()}px` }}
      >
        {shown.map(({ index, key, start: top, size }) => {
          const item = itemAt(index)
          return (
            <li
              key={String(key)}
              data-at={index}
              class={index === at ? 'is-at' : undefined}
              aria-setsize={count}
              aria-posinset={index + 1}
              style={{ transform: `translateY(${top}px)`, height: `${size}px` }}
              onFocusCapture={() => setCurrent(index)}
            >
              {item === undefined ? <span class="row-bone bone" /> : draw(item, index)}
            </li>
          )
        })}
      </ul>
    </div>
  )
}
