import { Columns, type Part } from '../../chart/columns.js'
import type { Series } from '../../connection/shapes.js'
import { Button, Choice } from '../../part/controls.js'
import { Card, Empty, Loaded } from '../../part/panels.js'
import { kindColour } from '../../show/kind.js'
import { dateOf, day, full, hour } from '../../show/moment.js'
import { counted, whole } from '../../show/text.js'
import { addressOf, go } from '../../state/route.js'
import { rangeOf } from '../../state/series.js'
import { PERIODS, type Period, report, series, seriesBy, seriesPeriod, seriesRange } from '../../state/stores.js'

const BY = [
  { value: 'type' as const, label: 'By type' },
  { value: 'tool' as const, label: 'By tool' },
]
const PERIOD_OPTIONS = Object.entries(PERIODS).map(([value, { label }]) => ({ value: value as Period, label }))
const TOOL_COLOURS = 7

/** Returns the parts of the columns. Types have fixed colours; tools are coloured by rank. */
function columnsOf({ by, keys, points }: Series): Part[] {
  const names = [...new Set([...keys, ...(points.some(({ counts }) => counts.other) ? ['other'] : [])])]
  const columns = names.map((name, at): Part => {
    const rank = at < TOOL_COLOURS ? `tool-${at + 1}` : 'other'
    const colour = name === 'other' ? 'other' : by === 'type' ? kindColour(name) : rank
    return { name, colour, values: points.map(({ counts }) => counts[name] ?? 0) }
  })
  return columns.filter(({ values }) => values.some((value) => value > 0))
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

function periodWords(): string {
  const range = seriesRange.value
  if (!range) return `in ${PERIODS[seriesPeriod.value].words}`
  const [first, last] = [day(range.from), day(new Date(Date.parse(range.to) - 1).toISOString())]
  return first === last ? `on ${first}` : `from ${first} to ${last}`
}

function CapturesChart({ found }: { found: Series }) {
  const { points, bucket } = found
  const columns = columnsOf(found)
  const titles = points.map(({ at }) => titleOf(at, bucket))
  if (points.every(({ total }) => total === 0))
    return report.value.value?.telemetry.total === 0 ? (
      <Empty title="No captures yet">The first one begins the chart.</Empty>
    ) : (
      <Empty title={`Nothing was captured ${periodWords()}`}>Choose a longer period.</Empty>
    )
  return (
    <Columns
      label={`Captures per ${bucket}`}
      parts={columns}
      isSparse={true}
      onSelect={(first, last) => {
        seriesRange.value = rangeOf(found, first, last)
      }}
      onOpen={(at) => {
        const range = rangeOf(found, at, at)
        if (range) go(addressOf('memories', '', { from: dateOf(range.from), to: dateOf(range.to, -1) }))
      }}
      onBack={seriesRange.value && leaveRange}
      xLabel={bucket === 'hour' ? 'time of day' : bucket === 'week' ? 'week from' : 'day'}
      yLabel={`captures per ${bucket}`}
      titles={titles}
      tickOf={(at) => tickOf(points[at]?.at ?? '', bucket)}
      wordsOf={(at) => counted(points[at]?.total ?? 0, 'capture')}
      restOf={(at) => [
        { name: 'captures', value: points[at]?.total ?? 0 },
        { name: 'already known', value: points[at]?.deduped ?? 0 },
      ]}
      numbers={{
        label: 'Captures over time',
        head: ['From', 'Captures', 'Already known', ...columns.map(({ name }) => name)],
        rows: points.map(({ total, deduped }, at) => [
          titles[at] ?? '',
          total,
          deduped,
          ...columns.map(({ values }) => values[at] ?? 0),
        ]),
      }}
    >
      {found.completeFrom && (
        <p class="note">Older telemetry was rotated away: this is complete from {full(found.completeFrom)} on.</p>
      )}
    </Columns>
  )
}

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
            <Button look="small" onClick={leaveRange}>
              Whole period
            </Button>
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
