import { useState } from 'preact/hooks'
import { ask } from '../../connection/http.js'
import { asProblem } from '../../connection/problem.js'
import type { DrainPass } from '../../connection/shapes.js'
import { Card } from '../../part/card.js'
import { Kpi, KpiStrip } from '../../part/kpi.js'
import { Moment } from '../../part/moment.js'
import { Empty, Loaded } from '../../part/state.js'
import { Heading } from '../../shell/frame.js'
import { counted, duration, percent, short, whole } from '../../show/amount.js'
import { notify, notifyProblem } from '../../state/notice.js'
import { touchAll, useResources } from '../../state/resource.js'
import { anvil, drains, letters } from '../../state/stores.js'
import { DrainChart } from '../drain-chart.js'
import { HealthParts } from '../parts.js'
import { Endpoint } from './endpoint.js'
import { Letters } from './letters.js'

function Kpis() {
  const passes = drains.value.value?.passes ?? []
  const attempted = passes.reduce((sum, pass) => sum + pass.attempted, 0)
  const delivered = passes.reduce((sum, pass) => sum + pass.delivered, 0)
  return (
    <Loaded from={anvil} lines={2}>
      {({ queued, due, deadLetters, lastDrain }) => (
        <KpiStrip label="Key figures">
          <Kpi
            label="Queue depth"
            value={short(queued)}
            unit="waiting"
            detail={due === undefined ? undefined : `${whole(due)} due now`}
          />
          <Kpi
            label="Failed"
            value={short(deadLetters)}
            tone={deadLetters > 0 ? 'bad' : 'plain'}
            detail={deadLetters > 0 ? 'look at them below' : 'none'}
          />
          <Kpi
            label="Last drain"
            value={lastDrain ? <Moment at={lastDrain.at} /> : 'never'}
            detail={
              lastDrain
                ? `${whole(lastDrain.delivered)} of ${whole(lastDrain.attempted)} in ${duration(lastDrain.durationMs)}`
                : undefined
            }
          />
          <Kpi
            label="Success"
            value={percent(delivered, attempted)}
            detail={`over ${counted(passes.length, 'pass', 'passes')}`}
          />
        </KpiStrip>
      )}
    </Loaded>
  )
}

function DrainNow() {
  const [isBusy, setBusy] = useState(false)
  const drain = async (): Promise<void> => {
    setBusy(true)
    try {
      const pass = await ask<DrainPass>('/api/memory/drain', { method: 'POST', body: {} })
      notify(`Drained: ${whole(pass.delivered)} of ${whole(pass.attempted)} delivered.`)
    } catch (cause) {
      notifyProblem(asProblem(cause))
    }
    touchAll()
    setBusy(false)
  }
  return (
    <button type="button" class="button" disabled={isBusy} onClick={() => void drain()}>
      {isBusy ? 'Draining' : 'Drain now'}
    </button>
  )
}

/** The outbox: queue, deliveries, dead letters and the shared store. */
export function AnvilView() {
  useResources(anvil, drains, letters)
  return (
    <>
      <Heading title="Delivery">Anvil: how records get from the files of this project to the shared store</Heading>
      <HealthParts />
      <Kpis />
      <div class="grid">
        <Card
          title="Success over time"
          class="span-4"
          note="Each drain pass, oldest first"
          actions={anvil.value.value?.available ? <DrainNow /> : undefined}
        >
          <Loaded from={drains} lines={5}>
            {({ passes }) =>
              passes.length === 0 ? (
                <Empty title="No drain has run yet">
                  While the server runs, captures are delivered to the shared store in the background, or at once with
                  “Drain now”.
                </Empty>
              ) : (
                <DrainChart passes={passes} hasShare={true} />
              )
            }
          </Loaded>
        </Card>
        <Endpoint />
        <Letters />
      </div>
    </>
  )
}
