// The drawing of a chart, with the library that draws it: it is large, and loaded when a chart is shown.
import type { ComponentChildren } from 'preact'
import uPlot from 'uplot'

export interface PlotSeries {
  label: string
  /** A custom property of the style sheet, without its leading dashes. */
  colour: string
  shape: 'bar' | 'line'
  scale?: 'y' | 'share'
  values: (number | null)[]
}

export interface PlotProps {
  /** The title of the chart, also its accessible name. */
  label: string
  count: number
  series: PlotSeries[]
  xLabel: string
  yLabel: string
  shareLabel?: string | undefined
  tickOf: (at: number) => string
  /** The tooltip of one column, for pointer and arrow keys. */
  detailOf: (at: number) => ComponentChildren
  /** The same as text, for screen readers. */
  wordsOf: (at: number) => string
  height?: number
  /** Called with the first and the last of the columns that were selected, by dragging or with Shift, the arrow keys and Enter. */
  onSelect?: (first: number, last: number) => void
  /** Called by Escape when nothing is selected. */
  /** Opens what a column stands for. */
  onOpen?: ((at: number) => void) | undefined
  onBack?: (() => void) | undefined
}

/** The latest props: callbacks of the drawing, which outlives a render, read them from here. */
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

const NOTHING = { left: 0, top: 0, width: 0, height: 0 }
/** The narrowest drag, in pixels, that is not a click. */
const DRAG_MIN = 5

function finishDrag(plot: uPlot, { current }: Latest): void {
  const { left, width } = plot.select
  if (width < DRAG_MIN) return
  plot.setSelect(NOTHING, false)
  const columnAt = (x: number): number => Math.min(current.count - 1, Math.max(0, Math.round(plot.posToVal(x, 'x'))))
  current.onSelect?.(columnAt(left), columnAt(left + width))
}

/** Returns a function that resolves colours of the style sheet for a canvas, which cannot use CSS variables. */
function colourReader(host: HTMLElement): (name: string) => string {
  const style = getComputedStyle(host)
  return (name) => {
    host.style.color = `var(--${name})`
    const { color } = style
    host.style.color = ''
    return color
  }
}

export interface Drawing {
  redraw(): void
  fit(): void
  /** Puts the cursor on a column, or away. */
  point(at: number | undefined): void
  /** Marks the columns between two as selected, or none. */
  select(range?: [one: number, other: number]): void
  end(): void
}

export function draw(host: HTMLElement, latest: Latest, onCursor: (at: number | undefined) => void): Drawing {
  const props = latest.current
  const read = colourReader(host)
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
    axes: axes(latest, read('text-2'), read('border')),
    series: [{}, ...drawn.map((series) => drawnSeries(series, read))],
    cursor: { y: false, drag: { x: props.onSelect !== undefined, y: false, setScale: false }, points: { show: false } },
    hooks: {
      setCursor: [(plot) => onCursor(plot.cursor.idx ?? undefined)],
      setSelect: [(plot) => finishDrag(plot, latest)],
    },
  }
  const plot = new uPlot(options, dataOf(props), host)
  return {
    redraw: () => plot.setData(dataOf(latest.current)),
    fit: () => {
      if (plot.width !== host.clientWidth) plot.setSize({ width: host.clientWidth, height: plot.height })
    },
    point: (at) =>
      plot.setCursor(at === undefined ? { left: -10, top: -10 } : { left: plot.valToPos(at, 'x'), top: 20 }),
    select: (range) => {
      if (!range) return plot.setSelect(NOTHING, false)
      const left = plot.valToPos(Math.min(...range) - 0.5, 'x')
      const width = plot.valToPos(Math.max(...range) + 0.5, 'x') - left
      plot.setSelect({ left, width, top: 0, height: plot.over.clientHeight }, false)
    },
    end: () => plot.destroy(),
  }
}
