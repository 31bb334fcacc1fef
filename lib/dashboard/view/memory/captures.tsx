import { useMemo } from 'preact/hooks'
import { Plot, type PlotSeries } from '../../chart/plot.js'
import { Legend, Numbers, Tip } from '../../chart/tip.js'
import type { Series } from '../../connection/shapes.js'
import { Card } from '../../part/card.js'
import { Choice } from '../../part/choice.js'
import { Empty, Loaded } from '../../part/state.js'
import { counted, whole } from '../../show/amount.js'
import { kindColour } from '../../show/kind.js'
import { day, full, hour } from '../../show/moment.js'
import { PERIODS, type Period, series, seriesBy, seriesPeriod } from '../../state/stores.js'

const BY = [
  { value: 'type' as const, label: 'By type' },
  { value: 'tool' as const, label: 'By tool' },
]
const PERIOD_OPTIONS = Object.entries(PERIODS).map(([value, { label }]) => ({ value: value as Period, label }))
const TOOL_COLOURS = 7

interface Column {
  key: string
  colour: string
  total: number
}

/** Tools have no colours of their own: each gets the one of its rank. */
function columnsOf({ by, keys, points }: Series): Column[] {
  const names = [...new Set([...keys, ...(points.some(({ counts }) => counts.other) ? ['other'] : [])])]
  return names.map((key, at) => {
    const total = points.reduce((sum, { counts }) => sum + (counts[key] ?? 0), 0)
    const rank = at < TOOL_COLOURS ? `tool-${at + 1}` : 'other'
    return { key, total, colour: by === 'type' || key === 'other' ? kindColour(key) : rank }
  })
}

function titleOf(at: string, bucket: Series['bucket']): string {
  if (bucket === 'hour') return `${day(at)}, ${hour(at)}`
  return bucket === 'week' ? `Week from ${day(at)}` : day(at)
}

function CapturesChart({ found }: { found: Series }) {
  const { points, bucket } = found
  const columns = useMemo(() => columnsOf(found), [found])
  const plotted = useMemo(
    () =>
      columns.map(({ key, colour }): PlotSeries => {
        return {
          label: key,
          colour: `fill-${colour}`,
          shape: 'bar',
          values: points.map(({ counts }) => counts[key] ?? 0),
        }
      }),
    [columns, points],
  )
  const total = points.reduce((sum, point) => sum + point.total, 0)
  if (total === 0)
    return <Empty title={`Nothing was captured in ${PERIODS[seriesPeriod.value].words}`}>Choose a longer period.</Empty>
  const presentAt = (at: number): Column[] => columns.filter(({ key }) => (points[at]?.counts[key] ?? 0) > 0)
  return (
    <>
      <Legend entries={columns.map(({ key, colour, total: count }) => ({ name: key, colour, count }))} />
      <Plot
        label={`Captures per ${bucket}`}
        count={points.length}
        series={plotted}
        xLabel={bucket === 'hour' ? 'time of day' : bucket === 'week' ? 'week from' : 'day'}
        yLabel={`captures per ${bucket}`}
        tickOf={(at) => (bucket === 'hour' ? hour(points[at]?.at ?? '') : day(points[at]?.at ?? ''))}
        wordsOf={(at) => {
          const point = points[at]
          if (!point) return ''
          const parts = presentAt(at).map(({ key }) => `${key} ${point.counts[key] ?? 0}`)
          return `${titleOf(point.at, bucket)}: ${counted(point.total, 'capture')}. ${parts.join(', ')}`
        }}
        detailOf={(at) => {
          const point = points[at]
          if (!point) return null
          const parts = presentAt(at).map(({ key, colour }) => ({ name: key, colour, value: point.counts[key] ?? 0 }))
          const sums = [
            { name: 'captures', value: point.total },
            { name: 'already known', value: point.deduped },
          ]
          return <Tip title={titleOf(point.at, bucket)} rows={[...parts, ...sums]} />
        }}
      />
      {found.completeFrom && (
        <p class="note">Older telemetry was rotated away: this is complete from {full(found.completeFrom)} on.</p>
      )}
      <Numbers
        label="Captures over time"
        head={['From', 'Captures', 'Already known', ...columns.map(({ key }) => key)]}
        rows={points.map((point) => [
          titleOf(point.at, bucket),
          point.total,
          point.deduped,
          ...columns.map(({ key }) => point.counts[key] ?? 0),
        ])}
      />
    </>
  )
}

/** What was captured when. */
export function Captures() {
  const total = (series.value.value?.points ?? []).reduce((sum, point) => sum + point.total, 0)
  return (
    <Card
      title="Captures over time"
      class="span-6"
      note={`${whole(total)} in ${PERIODS[seriesPeriod.value].words}`}
      actions={
        <>
          <Choice
            label="Divided by"
            options={BY}
            value={seriesBy.value}
            onChange={(value) => {
              seriesBy.value = value
            }}
          />
          <Choice
            label="Period"
            options={PERIOD_OPTIONS}
            value={seriesPeriod.value}
            onChange={(value) => {
              seriesPeriod.value = value
            }}
          />
        </>
      }
    >
      <Loaded from={series} lines={6}>
        {(found) => <CapturesChart found={found} />}
      </Loaded>
    </Card>
  )
}
