import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import uPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import { isDark } from '../state/preferences.js'
import { colourReader } from './colour.js'

export interface PlotSeries {
  label: string
  /** A name of the style sheet, without its dashes. */
  colour: string
  shape: 'bar' | 'line'
  scale?: 'y' | 'share'
  values: (number | null)[]
}

interface PlotProps {
  /** What the chart is about; also how it is announced. */
  label: string
  count: number
  series: PlotSeries[]
  xLabel: string
  yLabel: string
  shareLabel?: string
  tickOf: (at: number) => string
  /** What the pointer, or the arrow keys, show of one column. */
  detailOf: (at: number) => ComponentChildren
  /** The same in words. */
  wordsOf: (at: number) => string
  height?: number
}

const INCREMENTS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1e3, 2e3, 5e3, 1e4, 2e4, 5e4, 1e5, 2e5, 5e5, 1e6, 1e7, 1e8]
const COLUMNS = [1, 2, 3, 4, 6, 7, 10, 12, 14, 20, 24, 30, 48, 60, 90, 120, 180, 365]
const FONT = '12px "Inter Variable", system-ui, sans-serif'

function axes(props: PlotProps, ink: string, grid: string): uPlot.Axis[] {
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
      values: (_, splits) => splits.map((at) => (Number.isInteger(at) && at < props.count ? props.tickOf(at) : '')),
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

/** Bars are stacked: each is drawn as high as itself and all below it, the highest first. */
function stacked(series: PlotSeries[], count: number): { drawn: PlotSeries[]; columns: (number | null)[][] } {
  const sums = new Array<number>(count).fill(0)
  const bars = series.filter(({ shape }) => shape === 'bar')
  const heights = bars.map(({ values }) =>
    values.map((value, at) => {
      sums[at] = (sums[at] ?? 0) + (value ?? 0)
      return value ? (sums[at] ?? 0) : null
    }),
  )
  const lines = series.filter(({ shape }) => shape === 'line')
  return {
    drawn: [...bars].reverse().concat(lines),
    columns: [...heights].reverse().concat(lines.map((l) => l.values)),
  }
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

function build(host: HTMLElement, props: PlotProps, onCursor: (at: number | undefined) => void): uPlot {
  const colours = colourReader(host)
  const { drawn, columns } = stacked(props.series, props.count)
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
    axes: axes(props, colours.read('text-2'), colours.read('border')),
    series: [{}, ...drawn.map((series) => drawnSeries(series, colours.read))],
    cursor: { y: false, drag: { x: false, y: false }, points: { show: false } },
    hooks: { setCursor: [(plot) => onCursor(plot.cursor.idx ?? undefined)] },
  }
  colours.end()
  const xs = Array.from({ length: props.count }, (_, at) => at)
  return new uPlot(options, [xs, ...columns] as uPlot.AlignedData, host)
}

/** A chart that the pointer and the arrow keys can read out column by column. */
export function Plot(props: PlotProps) {
  const host = useRef<HTMLDivElement>(null)
  const plot = useRef<uPlot | undefined>(undefined)
  const [at, setAt] = useState<number>()
  const dark = isDark.value

  useEffect(() => {
    if (!host.current) return
    const made = build(host.current, props, setAt)
    plot.current = made
    return () => {
      plot.current = undefined
      made.destroy()
    }
  }, [dark, props.series, props.count])

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
  const onKeyDown = (event: KeyboardEvent): void => {
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
        aria-valuetext={props.count === 0 ? 'nothing yet' : props.wordsOf(known ?? props.count - 1)}
        onKeyDown={onKeyDown}
        onBlur={() => move(undefined)}
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
