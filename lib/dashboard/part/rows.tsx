import { elementScroll, observeElementOffset, observeElementRect, Virtualizer } from '@tanstack/virtual-core'
import type { ComponentChildren } from 'preact'
import { useEffect, useLayoutEffect, useReducer, useRef, useState } from 'preact/hooks'

interface RowsProps<T> {
  count: number
  /** Rows that are not there yet are drawn as outlines. */
  itemAt: (index: number) => T | undefined
  keyOf: (item: T) => string | number
  height: number
  label: string
  /** A feed that grows at its top, or a list to go through. */
  role?: 'list' | 'log'
  /** Says which rows are on the screen, or nearly. */
  onRange?: (first: number, last: number) => void
  children: (item: T, isCurrent: boolean) => ComponentChildren
}

const MOVES: Record<string, (at: number, last: number, page: number) => number> = {
  ArrowDown: (at, last) => Math.min(last, at + 1),
  ArrowUp: (at) => Math.max(0, at - 1),
  j: (at, last) => Math.min(last, at + 1),
  k: (at) => Math.max(0, at - 1),
  PageDown: (at, last, page) => Math.min(last, at + page),
  PageUp: (at, _, page) => Math.max(0, at - page),
  Home: () => 0,
  End: (_, last) => last,
}

/**
 * A list of which only the rows on the screen exist, so that ten thousand cost what twenty do. It is one stop of the
 * tabulator; arrows, Page Up, Page Down, Home and End move inside it, and the row's own link takes the focus.
 */
export function Rows<T>({ count, itemAt, keyOf, height, label, role = 'list', onRange, children }: RowsProps<T>) {
  const frame = useRef<HTMLDivElement>(null)
  const list = useRef<HTMLUListElement>(null)
  const [, redraw] = useReducer((count: number) => count + 1, 0)
  const [current, setCurrent] = useState(0)
  const wantsFocus = useRef(false)
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
    getItemKey: (at) => {
      const item = itemAt(at)
      return item === undefined ? at : keyOf(item)
    },
    onChange: () => redraw(0),
  })
  useLayoutEffect(() => rows._didMount(), [rows])
  useLayoutEffect(() => rows._willUpdate())

  const at = Math.min(current, Math.max(0, count - 1))
  const shown = rows.getVirtualItems()
  const first = shown[0]?.index ?? 0
  const last = shown.at(-1)?.index ?? 0
  useEffect(() => {
    if (count > 0) onRange?.(first, last)
  }, [first, last, count])
  useLayoutEffect(() => {
    if (!wantsFocus.current) return
    const target = list.current?.querySelector<HTMLElement>(`[data-at="${at}"] a, [data-at="${at}"] button`)
    if (!target) return
    wantsFocus.current = false
    target.focus({ preventScroll: true })
  })

  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey) return
    const page = Math.max(1, Math.floor((frame.current?.clientHeight ?? height) / height) - 1)
    const next = MOVES[event.key]?.(at, count - 1, page)
    if (next === undefined) return
    event.preventDefault()
    event.stopPropagation()
    wantsFocus.current = true
    setCurrent(next)
    rows.scrollToIndex(next, { align: 'auto' })
    redraw(0)
  }

  return (
    <div
      class="rows"
      ref={frame}
      style={{ '--rows-height': `${count * height}px` }}
      {...(role === 'log' ? { role, 'aria-label': label } : {})}
    >
      <ul
        ref={list}
        aria-label={role === 'list' ? label : undefined}
        onKeyDown={onKeyDown}
        style={{ height: `${rows.getTotalSize()}px` }}
      >
        {shown.map(({ index, key, start }) => {
          const item = itemAt(index)
          return (
            <li
              key={String(key)}
              data-at={index}
              aria-setsize={count}
              aria-posinset={index + 1}
              style={{ transform: `translateY(${start}px)`, height: `${height}px` }}
              onFocusCapture={() => setCurrent(index)}
            >
              {item === undefined ? <span class="row-bone bone" /> : children(item, index === at)}
            </li>
          )
        })}
      </ul>
    </div>
  )
}
