import type { ComponentChildren } from 'preact'
import { useMemo } from 'preact/hooks'
import { Swatch } from '../part/marks.js'
import { Table } from '../part/panels.js'
import { oneLine, whole } from '../show/text.js'
import type { PlotProps, PlotSeries } from './draw.js'
import { Plot } from './plot.js'

/** A part of every column: its name, its colour, and its amount in each of them. */
export interface Part {
  name: string
  colour: string
  values: number[]
}

interface ColumnsProps
  extends Pick<PlotProps, 'xLabel' | 'yLabel' | 'height' | 'tickOf' | 'onSelect' | 'onOpen' | 'onBack'> {
  label: string
  parts: Part[]
  /** A share in percent, drawn as a line over the columns. */
  share?: { name: string; label: string; values: (number | null)[] }
  /** True if most columns lack some parts: the legend has the sums, and a column names those that it has. */
  isSparse?: boolean
  titles: string[]
  /** The words of a screen reader about a column before its parts. */
  wordsOf?: (at: number) => string
  /** The rows of the tooltip beside the parts. */
  restOf: (at: number) => { name: string; value: number | string }[]
  /** The same as a table, for those who cannot or do not want to read the drawing. */
  numbers: { label?: string; head: string[]; rows: (string | number)[][] }
  children?: ComponentChildren
}

export function Columns({
  parts,
  share,
  isSparse = false,
  titles,
  wordsOf,
  restOf,
  numbers,
  children,
  ...props
}: ColumnsProps) {
  const shape = JSON.stringify([parts, share])
  const series = useMemo((): PlotSeries[] => {
    const bars = parts.map(({ name, colour, values }): PlotSeries => {
      return { label: name, colour: `fill-${colour}`, shape: 'bar', values }
    })
    return share
      ? [...bars, { label: share.name, colour: 'text', shape: 'line', scale: 'share', values: share.values }]
      : bars
  }, [shape])
  const partsOf = (at: number) =>
    parts.flatMap(({ name, colour, values }) => {
      const value = values[at] ?? 0
      return isSparse && value === 0 ? [] : [{ name, colour, value }]
    })
  const words = (at: number) => {
    const said = partsOf(at).map(({ name, value }) => (isSparse ? `${name} ${value}` : `${value} ${name}`))
    return `${titles[at]}: ${wordsOf ? `${wordsOf(at)}${isSparse ? '. ' : ', '}` : ''}${said.join(', ')}`
  }
  const legend = share ? [...parts, { name: share.name, colour: 'text', values: [] }] : parts
  return (
    <>
      <ul class="legend">
        {legend.map(({ name, colour, values }) => (
          <li key={name}>
            <Swatch colour={colour} />
            {oneLine(name)}
            {isSparse && <span class="number faint">{whole(values.reduce((sum, value) => sum + value, 0))}</span>}
          </li>
        ))}
      </ul>
      <Plot
        {...props}
        count={titles.length}
        series={series}
        shareLabel={share?.label}
        wordsOf={(at) => (titles[at] === undefined ? '' : words(at))}
        detailOf={(at) => (
          <>
            <p class="tip-title">{titles[at]}</p>
            <ul>
              {[...partsOf(at), ...restOf(at).map((one) => ({ ...one, colour: undefined }))].map(
                ({ name, colour, value }) => (
                  <li key={name}>
                    <Swatch colour={colour} />
                    <span class="tip-name clip faint">{oneLine(name)}</span>
                    <span class="tip-value number">{typeof value === 'number' ? whole(value) : value}</span>
                  </li>
                ),
              )}
            </ul>
          </>
        )}
      />
      {children}
      <details class="numbers note">
        <summary>Show the numbers</summary>
        <Table label={numbers.label ?? props.label} head={numbers.head} rows={numbers.rows} />
      </details>
    </>
  )
}
