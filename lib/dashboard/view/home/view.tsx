import { useState } from 'preact/hooks'
import type { ProjectStatus } from '../../connection/shapes.js'
import { Bars } from '../../part/bars.js'
import { Card } from '../../part/card.js'
import { Kpi, KpiStrip } from '../../part/kpi.js'
import { Empty, Loaded } from '../../part/state.js'
import { Heading } from '../../shell/frame.js'
import { counted, percent, short, whole } from '../../show/amount.js'
import { kindColour } from '../../show/kind.js'
import { oneLine } from '../../show/text.js'
import { useResources } from '../../state/resource.js'
import { addressOf } from '../../state/route.js'
import { conflicts, names, report, retired, review, series, status } from '../../state/stores.js'
import { CaptureBox } from './capture.js'
import { Captures } from './captures.js'
import { Feed } from './feed.js'
import { RecallBox } from './recall.js'
import { Retired } from './retired.js'

function apartOf({ counts }: ProjectStatus): string {
  const { global, retired } = counts
  return `${whole(global)} for all projects, ${whole(retired)} retired apart`
}

function Kpis() {
  const known = status.value.value
  const proposed = review.value.value?.waiting.length
  const waiting = proposed === undefined ? undefined : proposed + (conflicts.value.value?.conflicts.length ?? 0)
  return (
    <Loaded from={report} lines={2}>
      {({ telemetry, queue }) => {
        const failed = queue.dlq + queue.failed
        return (
          <KpiStrip label="Key figures">
            <Kpi
              label="Memories"
              value={known ? short(known.counts.memories) : '–'}
              detail={known ? apartOf(known) : undefined}
            />
            <Kpi label="Captures" value={short(telemetry.total)} detail="since counting began" />
            <Kpi
              label="Already known"
              value={percent(telemetry.deduped, telemetry.total)}
              detail={`${whole(telemetry.deduped)} not stored twice`}
            />
            <Kpi
              label="To review"
              value={waiting === undefined ? '–' : short(waiting)}
              detail={waiting ? <a href={addressOf('review')}>decide</a> : 'nothing waits'}
              tone={waiting ? 'warning' : 'plain'}
            />
            <Kpi
              label="Delivery"
              value={short(queue.pending)}
              unit="waiting"
              detail={
                failed > 0 ? (
                  <a href={addressOf('health', 'delivery')}>{counted(failed, 'failed', 'failed')}</a>
                ) : (
                  'none failed'
                )
              }
              tone={failed > 0 ? 'bad' : 'plain'}
            />
          </KpiStrip>
        )
      }}
    </Loaded>
  )
}

function Breakdown() {
  return (
    <>
      <Card title="By type" class="span-3">
        <Loaded from={report}>
          {({ telemetry }) =>
            telemetry.total === 0 ? (
              <Empty title="No captures yet" />
            ) : (
              <Bars
                label="Captures by type"
                bars={Object.entries(telemetry.byType).map(([name, count]) => {
                  return { name, count, colour: kindColour(name), address: addressOf('memories', '', { type: name }) }
                })}
              />
            )
          }
        </Loaded>
      </Card>
      <Card title="By tool" class="span-3">
        <Loaded from={report}>
          {({ telemetry }) =>
            telemetry.total === 0 ? (
              <Empty title="No captures yet" />
            ) : (
              <Bars
                label="Captures by tool"
                limit={6}
                bars={Object.entries(telemetry.byTool).map(([name, count]) => ({ name, count }))}
              />
            )
          }
        </Loaded>
      </Card>
    </>
  )
}

/** Returns the longest word of a text, as an example of what to search for. */
function sampleWord(text: string): string {
  const words = text.match(/[\p{L}\p{N}]{4,}/gu) ?? []
  return words.sort((a, b) => b.length - a.length)[0] ?? ''
}

export function HomeView() {
  useResources(report, status, series, review, conflicts, names, retired)
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
      <div class="grid first">
        <div class="stack span-3">
          <Card title="Recall" class="recall-card">
            <RecallBox suggestion={suggestion} />
          </Card>
          <CaptureBox onCaptured={(text) => setSuggestion(sampleWord(text))} />
        </div>
        <Feed />
      </div>
      <Kpis />
      <div class="grid">
        <Retired />
        <Captures />
        <Breakdown />
      </div>
    </>
  )
}
