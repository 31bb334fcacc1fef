import { ask } from '../../connection/http.js'
import type { DrainPass } from '../../connection/shapes.js'
import { Button } from '../../part/controls.js'
import { Moment } from '../../part/marks.js'
import { KeyFigures, Loaded } from '../../part/panels.js'
import { Heading } from '../../shell/frame.js'
import { counted, duration, percent, short, whole } from '../../show/text.js'
import { notify, useWork } from '../../state/notice.js'
import { touchAll, useResources } from '../../state/resource.js'
import { anvil, drains, letters } from '../../state/stores.js'
import { Drains } from '../drain-chart.js'
import { HealthParts } from '../parts.js'
import { Endpoint } from './endpoint.js'
import { Letters } from './letters.js'

function Figures() {
  const passes = drains.value.value?.passes ?? []
  const sum = (key: 'attempted' | 'delivered'): number => passes.reduce((all, pass) => all + pass[key], 0)
  return (
    <Loaded from={anvil} lines={2}>
      {({ queued, due, deadLetters, lastDrain: last }) => (
        <KeyFigures
          figures={[
            { label: 'Queue depth', value: short(queued), unit: 'waiting', detail: `${whole(due)} due now` },
            {
              label: 'Failed',
              value: short(deadLetters),
              tone: deadLetters > 0 ? 'bad' : undefined,
              detail: deadLetters > 0 ? 'look at them below' : 'none',
            },
            {
              label: 'Last drain',
              value: last ? <Moment at={last.at} /> : 'never',
              detail: last && `${whole(last.delivered)} of ${whole(last.attempted)} in ${duration(last.durationMs)}`,
            },
            {
              label: 'Success',
              value: percent(sum('delivered'), sum('attempted')),
              detail: `over ${counted(passes.length, 'pass', 'passes')}`,
            },
          ]}
        />
      )}
    </Loaded>
  )
}

function DrainNow() {
  const [isBusy, start] = useWork()
  const drain = async (): Promise<void> => {
    await start(async () => {
      const pass = await ask<DrainPass>('/api/memory/drain', { method: 'POST', body: {} })
      notify(`${whole(pass.delivered)} of ${whole(pass.attempted)} delivered.`)
    })
    touchAll()
  }
  return (
    <Button disabled={isBusy} onClick={drain}>
      {isBusy ? 'Delivering…' : 'Deliver now'}
    </Button>
  )
}

/** The outbox: queue, deliveries, dead letters and the shared store. */
export function AnvilView() {
  useResources(anvil, drains, letters)
  return (
    <>
      <Heading title="Delivery">Anvil: how records get from the files of this project to the shared store</Heading>
      <HealthParts />
      <Figures />
      <div class="grid">
        <Drains
          title="Success over time"
          class="span-4"
          note="Each delivery, oldest first"
          actions={anvil.value.value && <DrainNow />}
          hasShare={true}
        >
          While the server runs, captures are delivered to the shared store in the background, or at once with “Deliver
          now”.
        </Drains>
        <Endpoint />
        <Letters />
      </div>
    </>
  )
}
