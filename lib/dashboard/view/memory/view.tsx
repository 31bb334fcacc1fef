import { useState } from 'preact/hooks'
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
import { drains, report, series, status } from '../../state/stores.js'
import { DrainChart } from '../drain-chart.js'
import { CaptureBox } from './capture.js'
import { Captures } from './captures.js'
import { Feed } from './feed.js'
import { Files, Orphans } from './files.js'
import { RecallBox } from './recall.js'

function Kpis() {
  const known = status.value.value
  return (
    <Loaded from={report} lines={2}>
      {({ telemetry, queue, cache }) => (
        <KpiStrip label="Key figures">
          <Kpi
            label="Memories"
            value={known ? short(known.memories) : '–'}
            detail={known ? `${counted(known.patterns + known.globalPatterns, 'pattern')} more` : undefined}
          />
          <Kpi label="Captures" value={short(telemetry.total)} detail={`${whole(telemetry.deduped)} already known`} />
          <Kpi label="Dedup rate" value={percent(telemetry.deduped, telemetry.total)} detail="were already known" />
          <Kpi
            label="Queue"
            value={short(queue.pending)}
            unit="waiting"
            detail={queue.deferred > 0 ? `${whole(queue.deferred)} deferred` : `${whole(queue.delivered)} delivered`}
            tone={queue.deferred > 0 ? 'warning' : 'plain'}
          />
          <Kpi
            label="Dead letters"
            value={short(queue.dlq + queue.failed)}
            detail={queue.dlq + queue.failed > 0 ? <a href={addressOf('anvil')}>look at them</a> : 'none'}
            tone={queue.dlq + queue.failed > 0 ? 'bad' : 'plain'}
          />
          <Kpi
            label="Search cache"
            value={short(cache.freshEntries)}
            unit="fresh"
            detail={`of ${whole(cache.totalEntries)}`}
          />
        </KpiStrip>
      )}
    </Loaded>
  )
}

function Breakdown() {
  return (
    <>
      <Card title="By type">
        <Loaded from={report}>
          {({ telemetry }) =>
            telemetry.total === 0 ? (
              <Empty title="No captures yet" />
            ) : (
              <Bars
                label="Captures by type"
                bars={Object.entries(telemetry.byType).map(([name, count]) => {
                  return { name, count, colour: kindColour(name), address: addressOf('records', '', { type: name }) }
                })}
              />
            )
          }
        </Loaded>
      </Card>
      <Card title="By tool">
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

function Drain() {
  return (
    <Card
      title="Drain trend"
      class="span-6"
      note="The outcome of each pass that delivers the queue to the shared store"
    >
      <Loaded from={drains} lines={5}>
        {({ passes }) =>
          passes.length === 0 ? (
            <Empty title="No drain has run yet">
              Captures stay in the queue until they are delivered to the shared store, so none is lost. The{' '}
              <a href={addressOf('anvil')}>Anvil</a> page shows the store.
            </Empty>
          ) : (
            <DrainChart passes={passes} hasShare={false} />
          )
        }
      </Loaded>
    </Card>
  )
}

/** A long word says more about a text than a short one. */
function sampleWord(text: string): string {
  const words = text.match(/[\p{L}\p{N}]{4,}/gu) ?? []
  return words.sort((a, b) => b.length - a.length)[0] ?? ''
}

export function MemoryView() {
  useResources(report, status, series, drains)
  const [suggestion, setSuggestion] = useState('')
  const known = status.value.value
  const isNew = known !== undefined && known.memories + known.patterns === 0
  return (
    <>
      <Heading title="Memory">{known ? oneLine(known.projectDir) : '\u00a0'}</Heading>
      {isNew && (
        <p class="welcome">
          This memory is empty. Write down one thing you learned, press Capture, then ask for it in other words: that is
          all there is to it. Agents and scripts do the same through the command line, the library or MCP.
        </p>
      )}
      <div class="grid">
        <Card title="Capture" class="half">
          <CaptureBox onCaptured={(text) => setSuggestion(sampleWord(text))} />
        </Card>
        <Card title="Recall" class="half">
          <RecallBox suggestion={suggestion} />
        </Card>
      </div>
      <Kpis />
      <div class="grid">
        <Captures />
        <Feed />
        <div class="stack span-2">
          <Breakdown />
        </div>
        <Drain />
        <Files />
        <Orphans />
      </div>
    </>
  )
}
