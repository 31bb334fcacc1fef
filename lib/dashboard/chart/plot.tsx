import { useEffect, useRef, useState } from 'preact/hooks'
import 'uplot/dist/uPlot.min.css'
import { isDark } from '../state/preferences.js'
import type { Drawing, PlotProps } from './draw.js'

function selectedWords(mark: number | undefined, at: number | undefined): string {
  return mark === undefined || at === undefined ? '' : `${Math.abs(mark - at) + 1} selected, to `
}

/** A pointer that moves less than this between press and release has clicked, in pixels. */
const DRAG = 4

/** A chart whose columns the pointer and the arrow keys can select. */
export function Plot(props: PlotProps) {
  const host = useRef<HTMLDivElement>(null)
  const drawing = useRef<Drawing | undefined>(undefined)
  const [at, setAt] = useState<number>()
  /** Where a selection with the keyboard began. */
  const [mark, setMark] = useState<number>()
  const pressedAt = useRef(0)
  const latest = useRef(props)
  latest.current = props
  const shape = JSON.stringify([props.count, props.yLabel, props.series.map(({ label, colour }) => [label, colour])])

  useEffect(() => {
    const frame = host.current
    if (!frame) return
    let isOver = false
    void import('./draw.js').then(({ draw }) => {
      if (!isOver) drawing.current = draw(frame, latest, setAt)
    })
    return () => {
      isOver = true
      drawing.current?.end()
      drawing.current = undefined
    }
  }, [isDark.value, shape])
  useEffect(() => drawing.current?.redraw(), [props.series])
  useEffect(() => {
    const observer = new ResizeObserver(() => drawing.current?.fit())
    if (host.current) observer.observe(host.current)
    return () => observer.disconnect()
  }, [])

  const move = (to: number | undefined): void => {
    drawing.current?.point(to)
    setAt(to)
  }
  const clear = (): void => {
    setMark(undefined)
    drawing.current?.select()
  }
  /** Selects columns with Shift and the arrow keys, and leaves the selection or the range. True if the key was one of these. */
  const select = ({ key, shiftKey }: KeyboardEvent): boolean => {
    const step = key === 'ArrowLeft' ? -1 : key === 'ArrowRight' ? 1 : 0
    if (shiftKey && step !== 0 && props.onSelect && drawing.current) {
      const from = mark ?? at ?? props.count - 1
      const to = Math.min(props.count - 1, Math.max(0, (at ?? props.count - 1) + (mark === undefined ? 0 : step)))
      setMark(from)
      move(to)
      drawing.current.select([from, to])
      return true
    }
    if (key === 'Enter' && mark !== undefined && at !== undefined) {
      clear()
      props.onSelect?.(Math.min(mark, at), Math.max(mark, at))
      return true
    }
    if (key === 'Enter' && at !== undefined && props.onOpen) {
      props.onOpen(at)
      return true
    }
    if (key === 'Shift') return false
    if (key !== 'Escape' || (mark === undefined && !props.onBack)) {
      if (mark !== undefined) clear()
      return false
    }
    if (mark === undefined) props.onBack?.()
    clear()
    return true
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    if (select(event)) {
      event.preventDefault()
      event.stopPropagation()
      return
    }
    const last = props.count - 1
    const from = at ?? last + 1
    const steps: Record<string, number | undefined> = {
      ArrowLeft: Math.max(0, from - 1),
      ArrowRight: Math.min(last, (at ?? -1) + 1),
      Home: 0,
      End: last,
    }
    if (event.key === 'Escape') move(undefined)
    if (steps[event.key] === undefined) return
    event.preventDefault()
    move(steps[event.key])
  }
  const known = at !== undefined && at < props.count ? at : undefined
  const share = known === undefined || props.count === 0 ? 0 : (known + 0.5) / props.count
  return (
    <div class="plot">
      <div
        class="plot-host"
        ref={host}
        role="slider"
        tabIndex={0}
        aria-label={props.label}
        aria-valuemin={0}
        aria-valuemax={Math.max(0, props.count - 1)}
        aria-valuenow={known ?? Math.max(0, props.count - 1)}
        aria-valuetext={
          props.count === 0 ? 'nothing yet' : `${selectedWords(mark, known)}${props.wordsOf(known ?? props.count - 1)}`
        }
        onKeyDown={onKeyDown}
        onPointerDown={({ clientX }) => {
          pressedAt.current = clientX
        }}
        onClick={({ clientX }) => {
          // A drag selects columns, and ends with a click as well.
          if (known !== undefined && Math.abs(clientX - pressedAt.current) < DRAG) props.onOpen?.(known)
        }}
        onBlur={() => {
          clear()
          move(undefined)
        }}
        style={{ minHeight: `${props.height ?? 240}px` }}
      />
      {known !== undefined && (
        <div
          class={`plot-tip ${share > 0.5 ? 'at-left' : 'at-right'}`}
          style={{ '--at': String(share) }}
          aria-hidden="true"
        >
          {props.detailOf(known)}
        </div>
      )}
    </div>
  )
}
