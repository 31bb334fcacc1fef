import { useState } from 'preact/hooks'
import { Button } from '../../part/controls.js'
import { Moment } from '../../part/marks.js'
import { Bars, Card, Empty, type Figure, KeyFigures, Loaded } from '../../part/panels.js'
import { Heading } from '../../shell/frame.js'
import { kindColour } from '../../show/kind.js'
import { lineOf } from '../../show/plain.js'
import { counted, oneLine, percent, short, whole } from '../../show/text.js'
import { keepRecord } from '../../state/records.js'
import { useResources } from '../../state/resource.js'
import { addressOf } from '../../state/route.js'
import { conflicts, expiring, learned, names, report, retired, review, series, status } from '../../state/stores.js'
import { CaptureBox } from './capture.js'
import { Captures } from './captures.js'
import { Feed } from './feed.js'
import { First } from './first.js'
import { RecallBox } from './recall.js'

/** What waits to be delivered, and what could not be. */
const delivery = (pending: number, failed: number): Figure => ({
  label: 'Delivery',
  value: short(pending),
  unit: 'waiting',
  detail:
    failed > 0 ? <a href={addressOf('health', 'delivery')}>{counted(failed, 'failed', 'failed')}</a> : 'none failed',
  tone: failed > 0 ? 'bad' : undefined,
})

function Figures() {
  const counts = status.value.value?.counts
  const proposed = review.value.value?.waiting.length
  const waiting = proposed === undefined ? undefined : proposed + (conflicts.value.value?.conflicts.length ?? 0)
  return (
    <Loaded from={report} lines={2}>
      {({ telemetry: { total, deduped }, queue, drainTrend }) => {
        const failed = queue.dlq + queue.failed
        const hasDelivered = drainTrend.passes + failed > 0
        return (
          <KeyFigures
            figures={[
              {
                label: 'Memories',
                value: counts ? short(counts.memories) : '–',
                detail: counts && `${whole(counts.global)} for all projects, ${whole(counts.retired)} retired`,
              },
              { label: 'Captures', value: short(total), detail: 'since counting began' },
              { label: 'Already known', value: percent(deduped, total), detail: `${whole(deduped)} not stored twice` },
              {
                label: 'To review',
                value: waiting === undefined ? '–' : short(waiting),
                detail: waiting ? <a href={addressOf('review')}>decide</a> : 'nothing waits',
                tone: waiting ? 'warning' : undefined,
              },
              ...(hasDelivered ? [delivery(queue.pending, failed)] : []),
            ]}
          />
        )
      }}
    </Loaded>
  )
}

const RETIRED_SHOWN = 5

/** Memories that newer ones retired in the last days, with the way back: a wrong retirement is noticed here or never. */
function Retired() {
  const found = retired.value.value?.retired ?? []
  if (found.length === 0) return null
  return (
    <Card title="Retired in the last 7 days" class="span-6" note={counted(found.length, 'memory', 'memories')}>
      <ul class="retired">
        {found.slice(0, RETIRED_SHOWN).map(({ id, text, retired: { why, at } }) => (
          <li key={id}>
            <div dir="auto">
              <a href={addressOf('entry', id)}>{lineOf(text).slice(0, 300)}</a>
              <p class="note">
                {oneLine(why)}, <Moment at={at} />
              </p>
            </div>
            <Button look="small" onClick={() => keepRecord(id)}>
              Keep it
            </Button>
          </li>
        ))}
      </ul>
    </Card>
  )
}

function Breakdown({ by }: { by: 'type' | 'tool' }) {
  const isType = by === 'type'
  const look = (name: string) =>
    isType ? { colour: kindColour(name), address: addressOf('memories', '', { type: name }) } : {}
  return (
    <Card title={`By ${by}`} class="span-3">
      <Loaded from={report}>
        {({ telemetry: { total, byType, byTool } }) =>
          total === 0 ? (
            <Empty title="No captures yet" />
          ) : (
            <Bars
              label={`Captures by ${by}`}
              limit={isType ? 8 : 6}
              bars={Object.entries(isType ? byType : byTool).map(([name, count]) => ({ name, count, ...look(name) }))}
            />
          )
        }
      </Loaded>
    </Card>
  )
}

/** Returns the longest word of a text, as an example of a search. */
function sampleWord(text: string): string {
  const words = text.match(/[\p{L}\p{N}]{4,}/gu) ?? []
  return words.sort((a, b) => b.length - a.length)[0] ?? ''
}

export function HomeView() {
  useResources(expiring, learned, report, status, series, review, conflicts, names, retired)
  const [suggestion, setSuggestion] = useState('')
  const known = status.value.value
  const isNew = known !== undefined && known.counts.memories === 0
  return (
    <>
      <Heading title="Home">{known ? oneLine(known.projectDir) : '\u00a0'}</Heading>
      {isNew && (
        <p class="welcome">
          This memory is empty. Write down one thing you learned, press Capture, then ask for it in other words: that is
          all there is to it. Agents and scripts do the same through the command line, the library or MCP.
        </p>
      )}
      {known !== undefined && !isNew && <First />}
      <div class="grid first">
        <div class="stack span-3">
          <Card title="Recall">
            <RecallBox suggestion={suggestion} />
          </Card>
          <CaptureBox onCaptured={(text) => setSuggestion(sampleWord(text))} />
        </div>
        <Feed />
      </div>
      <Figures />
      <div class="grid">
        <Retired />
        <Captures />
        <Breakdown by="type" />
        <Breakdown by="tool" />
      </div>
    </>
  )
}
