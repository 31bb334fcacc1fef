import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import uPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import { isDark } from '../state/preferences.js'
import { colourReader } from './colour.js'

export interface PlotSeries {
  label: string
  /** A custom property of the style sheet, without its leading dashes. */
  colour: string
  shape: 'bar' | 'line'
  scale?: 'y' | 'share'
  values: (number | null)[]
}

interface PlotProps {
  /** The title of the chart, also its accessible name. */
  label: string
  count: number
  series: PlotSeries[]
  xLabel: string
  yLabel: string
  shareLabel?: string
  tickOf: (at: number) => string
  /** The tooltip of one column, for pointer and arrow keys. */
  detailOf: (at: number) => ComponentChildren
  /** The same as text, for screen readers. */
  wordsOf: (at: number) => string
  height?: number
  /** Called with the first and the last of the columns that were selected, by dragging or with Shift, the arrow keys and Enter. */
  onSelect?: (first: number, last: number) => void
  /** Called by Escape when nothing is selected. */
  onBack?: () => void
}

/** The latest props: callbacks of the plot, which outlive a render, read them from here. */
type Latest = { current: PlotProps }

const INCREMENTS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1e3, 2e3, 5e3, 1e4, 2e4, 5e4, 1e5, 2e5, 5e5, 1e6, 1e7, 1e8]
const COLUMNS = [1, 2, 3, 4, 6, 7, 10, 12, 14, 20, 24, 30, 48, 60, 90, 120, 180, 365]
const FONT = '12px "Inter Variable", system-ui, sans-serif'

function axes(latest: Latest, ink: string, grid: string): uPlot.Axis[] {
  const props = latest.current
  const common = { stroke: ink, font: FONT, labelFont: FONT, labelSize: 20 }
  const lines = { grid: { stroke: grid, width: 1 }, ticks: { show: false } }
  const found: uPlot.Axis[] = [
    {
      ...common,
      scale: 'x',
      label: props.xLabel,
      grid: { show: false },
      ticks: { stroke: grid, width: 1, size: 4 },
      size: 30,
      space: 64,
      incrs: COLUMNS,
      values: (_, splits) => {
        const { count, tickOf } = latest.current
        return splits.map((at) => (Number.isInteger(at) && at < count ? tickOf(at) : ''))
      },
    },
    {
      ...common,
      ...lines,
      scale: 'y',
      label: props.yLabel,
      size: 44,
      incrs: INCREMENTS,
      space: 36,
      values: (_, splits) => splits.map((value) => value.toLocaleString('en', { notation: 'compact' })),
    },
  ]
  if (props.shareLabel)
    found.push({
      ...common,
      scale: 'share',
      side: 1,
      label: props.shareLabel,
      size: 48,
      grid: { show: false },
      ticks: { show: false },
      space: 36,
      values: (_, splits) => splits.map((value) => `${Math.round(value)}%`),
    })
  return found
}

/** The least height of a part that is not zero, as a share of the highest column: small values stay visible beside large ones. */
const LEAST_SHARE = 0.012

/** Stacks bars: each is drawn from zero to its cumulated height, the highest first, so that the lower ones cover it. */
function stacked(series: PlotSeries[], count: number): { drawn: PlotSeries[]; columns: (number | null)[][] } {
  const sums = new Array<number>(count).fill(0)
  const bars = series.filter(({ shape }) => shape === 'bar')
  const least = LEAST_SHARE * highest(bars, count)
  const heights = bars.map(({ values }) =>
    values.map((value, at) => {
      if (!value) return null
      sums[at] = (sums[at] ?? 0) + Math.max(value, least)
      return sums[at] ?? 0
    }),
  )
  const lines = series.filter(({ shape }) => shape === 'line')
  return {
    drawn: [...bars].reverse().concat(lines),
    columns: [...heights].reverse().concat(lines.map((l) => l.values)),
  }
}

function highest(bars: PlotSeries[], count: number): number {
  const totals = Array.from({ length: count }, (_, at) => bars.reduce((sum, { values }) => sum + (values[at] ?? 0), 0))
  return Math.max(0, ...totals)
}

function drawnSeries(series: PlotSeries, read: (name: string) => string): uPlot.Series {
  const colour = read(series.colour)
  const common = { label: series.label, scale: series.scale ?? 'y' }
  if (series.shape === 'line')
    return {
      ...common,
      stroke: colour,
      width: 2,
      spanGaps: true,
      points: { show: true, size: 5, fill: colour, width: 0 },
    }
  const bars = uPlot.paths.bars?.({ size: [0.72, 36], radius: 0.12 })
  return {
    ...common,
    fill: colour,
    stroke: colour,
    width: 0,
    points: { show: false },
    ...(bars ? { paths: bars } : {}),
  }
}

function dataOf({ series, count }: PlotProps): uPlot.AlignedData {
  const xs = Array.from({ length: count }, (_, at) => at)
  return [xs, ...stacked(series, count).columns] as uPlot.AlignedData
}

/** The narrowest drag, in pixels, that is not a click. */
const DRAG_MIN = 5

function finishDrag(plot: uPlot, { current }: Latest): void {
  const { left, width } = plot.select
  if (width < DRAG_MIN) return
  plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false)
  const columnAt = (x: number): number => Math.min(current.count - 1, Math.max(0, Math.round(plot.posToVal(x, 'x'))))
  current.onSelect?.(columnAt(left), columnAt(left + width))
}

/** Marks the columns between two as selected. */
function drawSelection(plot: uPlot, one: number, other: number): void {
  const left = plot.valToPos(Math.min(one, other) - 0.5, 'x')
  const width = plot.valToPos(Math.max(one, other) + 0.5, 'x') - left
  plot.setSelect({ left, width, top: 0, height: plot.over.clientHeight }, false)
}

function build(host: HTMLElement, latest: Latest, onCursor: (at: number | undefined) => void): uPlot {
  const props = latest.current
  const colours = colourReader(host)
  const { drawn } = stacked(props.series, props.count)
  const options: uPlot.Options = {
    width: host.clientWidth,
    height: props.height ?? 240,
    padding: [12, props.shareLabel ? 0 : 8, 0, 0],
    legend: { show: false },
    scales: {
      x: { time: false, range: [-0.5, Math.max(0.5, props.count - 0.5)] },
      y: { range: (_, __, max) => [0, Math.max(4, (max ?? 0) * 1.08)] },
      ...(props.shareLabel ? { share: { range: [0, 105] as [number, number] } } : {}),
    },
    axes: axes(latest, colours.read('text-2'), colours.read('border')),
    series: [{}, ...drawn.map((series) => drawnSeries(series, colours.read))],
    cursor: { y: false, drag: { x: props.onSelect !== undefined, y: false, setScale: false }, points: { show: false } },
    hooks: {
      setCursor: [(plot) => onCursor(plot.cursor.idx ?? undefined)],
      setSelect: [(plot) => finishDrag(plot, latest)],
    },
  }
  colours.end()
  return new uPlot(options, dataOf(props), host)
}

function selectedWords(mark: number | undefined, at: number | undefined): string {
  return mark === undefined || at === undefined ? '' : `${Math.abs(mark - at) + 1} selected, to `
}

/** A chart whose columns the pointer and the arrow keys can select. */
export function Plot(props: PlotProps) {
  const host = useRef<HTMLDivElement>(null)
  const plot = useRef<uPlot | undefined>(undefined)
  const [at, setAt] = useState<number>()
  /** Where a selection with the keyboard began. */
  const [mark, setMark] = useState<number>()
  const dark = isDark.value

  const latest = useRef(props)
  latest.current = props
  const shape = JSON.stringify([props.count, props.yLabel, props.series.map(({ label, colour }) => [label, colour])])

  useEffect(() => {
    if (!host.current) return
    const made = build(host.current, latest, setAt)
    plot.current = made
    return () => {
      plot.current = undefined
      made.destroy()
    }
  }, [dark, shape])

  useEffect(() => {
    plot.current?.setData(dataOf(props))
  }, [props.series])

  useEffect(() => {
    const frame = host.current
    if (!frame) return
    const observer = new ResizeObserver(() => {
      const made = plot.current
      if (made && made.width !== frame.clientWidth) made.setSize({ width: frame.clientWidth, height: made.height })
    })
    observer.observe(frame)
    return () => observer.disconnect()
  }, [])

  const move = (to: number | undefined): void => {
    const made = plot.current
    if (!made) return
    if (to === undefined) made.setCursor({ left: -10, top: -10 })
    else made.setCursor({ left: made.valToPos(to, 'x'), top: 20 })
    setAt(to)
  }
  const clear = (): void => {
    setMark(undefined)
    plot.current?.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false)
  }
  /** Selects columns with Shift and the arrow keys, and leaves the selection or the range. Tells whether the key was one of these. */
  const select = ({ key, shiftKey }: KeyboardEvent): boolean => {
    const step = key === 'ArrowLeft' ? -1 : key === 'ArrowRight' ? 1 : 0
    if (shiftKey && step !== 0 && props.onSelect && plot.current) {
      const from = mark ?? at ?? props.count - 1
      const to = Math.min(props.count - 1, Math.max(0, (at ?? props.count - 1) + (mark === undefined ? 0 : step)))
      setMark(from)
      move(to)
      drawSelection(plot.current, from, to)
      return true
    }
    if (key === 'Enter' && mark !== undefined && at !== undefined) {
      clear()
      props.onSelect?.(Math.min(mark, at), Math.max(mark, at))
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
