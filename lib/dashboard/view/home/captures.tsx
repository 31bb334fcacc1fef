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
import { rangeOf } from '../../state/series.js'
import { PERIODS, type Period, report, series, seriesBy, seriesPeriod, seriesRange } from '../../state/stores.js'

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

/** Returns the columns of the chart. Types have fixed colours; tools are coloured by rank. */
function columnsOf({ by, keys, points }: Series): Column[] {
  const names = [...new Set([...keys, ...(points.some(({ counts }) => counts.other) ? ['other'] : [])])]
  const columns = names.map((key, at) => {
    const total = points.reduce((sum, { counts }) => sum + (counts[key] ?? 0), 0)
    const rank = at < TOOL_COLOURS ? `tool-${at + 1}` : 'other'
    return { key, total, colour: key === 'other' ? 'other' : by === 'type' ? kindColour(key) : rank }
  })
  return columns.filter(({ total }) => total > 0)
}

function titleOf(at: string, bucket: Series['bucket']): string {
  if (bucket === 'hour') return `${day(at)}, ${hour(at)}`
  return bucket === 'week' ? `Week from ${day(at)}` : day(at)
}

function tickOf(at: string, bucket: Series['bucket']): string {
  if (bucket !== 'hour') return day(at)
  // A range of several days begins each of them with its date.
  return seriesRange.value && hour(at) === '00:00' ? day(at) : hour(at)
}

function leaveRange(): void {
  seriesRange.value = undefined
}

/** Names the time that the chart covers. */
function periodWords(): string {
  const range = seriesRange.value
  if (!range) return `in ${PERIODS[seriesPeriod.value].words}`
  const [first, last] = [day(range.from), day(new Date(Date.parse(range.to) - 1).toISOString())]
  return first === last ? `on ${first}` : `from ${first} to ${last}`
}

function CapturesChart({ found }: { found: Series }) {
  const { points, bucket } = found
  const columns = columnsOf(found)
  const colours = columns.map(({ colour }) => colour).join()
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
    [found, colours],
  )
  const total = points.reduce((sum, point) => sum + point.total, 0)
  if (total === 0 && report.value.value?.telemetry.total === 0)
    return <Empty title="No captures yet">The first one begins the chart.</Empty>
  if (total === 0) return <Empty title={`Nothing was captured ${periodWords()}`}>Choose a longer period.</Empty>
  const presentAt = (at: number): Column[] => columns.filter(({ key }) => (points[at]?.counts[key] ?? 0) > 0)
  return (
    <>
      <Legend entries={columns.map(({ key, colour, total: count }) => ({ name: key, colour, count }))} />
      <Plot
        label={`Captures per ${bucket}`}
        onSelect={(first, last) => {
          seriesRange.value = rangeOf(found, first, last)
        }}
        {...(seriesRange.value ? { onBack: leaveRange } : {})}
        count={points.length}
        series={plotted}
        xLabel={bucket === 'hour' ? 'time of day' : bucket === 'week' ? 'week from' : 'day'}
        yLabel={`captures per ${bucket}`}
        tickOf={(at) => tickOf(points[at]?.at ?? '', bucket)}
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

/** A chart of captures over time. */
export function Captures() {
  const total = (series.value.value?.points ?? []).reduce((sum, point) => sum + point.total, 0)
  return (
    <Card
      title="Captures over time"
      class="span-6"
      note={`${whole(total)} ${periodWords()}`}
      actions={
        <>
          {seriesRange.value && (
            <button type="button" class="button small" onClick={leaveRange}>
              Whole period
            </button>
          )}
          <Choice
            label="Grouped by"
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
              leaveRange()
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
