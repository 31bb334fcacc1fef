import { useMemo } from 'preact/hooks'
import { Plot, type PlotSeries } from '../chart/plot.js'
import { Legend, Numbers, Tip } from '../chart/tip.js'
import type { DrainPass } from '../connection/shapes.js'
import { duration, percent } from '../show/amount.js'
import { day, full, hour, now } from '../show/moment.js'

const DAY_MS = 86_400_000

function tickOf(pass: DrainPass | undefined): string {
  if (!pass) return ''
  return now.peek() - new Date(pass.at).getTime() < DAY_MS ? hour(pass.at) : day(pass.at)
}

interface DrainChartProps {
  passes: DrainPass[]
  /** Whether the delivered share is drawn as a line. */
  hasShare: boolean
}

const PARTS = [
  { key: 'delivered' as const, name: 'delivered', colour: 'good' },
  { key: 'deferred' as const, name: 'deferred', colour: 'warning' },
  { key: 'dlq' as const, name: 'failed', colour: 'bad' },
]

/** A stacked column per drain pass: delivered, deferred and failed records. */
export function DrainChart({ passes, hasShare }: DrainChartProps) {
  const series = useMemo((): PlotSeries[] => {
    const bars = PARTS.map(({ key, name, colour }): PlotSeries => {
      return { label: name, colour: `fill-${colour}`, shape: 'bar', values: passes.map((pass) => pass[key]) }
    })
    if (!hasShare) return bars
    const values = passes.map(({ attempted, delivered }) => (attempted === 0 ? null : (100 * delivered) / attempted))
    return [...bars, { label: 'success', colour: 'text', shape: 'line', scale: 'share', values }]
  }, [passes, hasShare])
  return (
    <>
      <Legend
        entries={[
          ...PARTS.map(({ name, colour }) => ({ name, colour })),
          ...(hasShare ? [{ name: 'success', colour: 'text' }] : []),
        ]}
      />
      <Plot
        label="Drain passes"
        count={passes.length}
        series={series}
        height={220}
        xLabel="pass, oldest first"
        yLabel="records per pass"
        {...(hasShare ? { shareLabel: 'delivered of attempted' } : {})}
        tickOf={(at) => tickOf(passes[at])}
        wordsOf={(at) => {
          const pass = passes[at]
          if (!pass) return ''
          return `${full(pass.at)}: ${PARTS.map(({ key, name }) => `${pass[key]} ${name}`).join(', ')}`
        }}
        detailOf={(at) => {
          const pass = passes[at]
          if (!pass) return null
          const parts = PARTS.map(({ key, name, colour }) => ({ name, colour, value: pass[key] }))
          const rest = [
            { name: 'success', value: percent(pass.delivered, pass.attempted) },
            { name: 'took', value: duration(pass.durationMs) },
          ]
          return <Tip title={full(pass.at)} rows={[...parts, ...rest]} />
        }}
      />
      <Numbers
        label="Drain passes"
        head={['When', 'Attempted', 'Delivered', 'Deferred', 'Failed', 'Took']}
        rows={passes.map((pass) => {
          return [full(pass.at), pass.attempted, pass.delivered, pass.deferred, pass.dlq, duration(pass.durationMs)]
        })}
      />
    </>
  )
}
