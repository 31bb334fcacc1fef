import { Card } from '../../part/card.js'
import { Empty, Loaded } from '../../part/state.js'
import { addressOf } from '../../state/route.js'
import { drains } from '../../state/stores.js'
import { DrainChart } from '../drain-chart.js'

/** The outcome of each pass that delivers the queue. */
export function Drain() {
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
              <a href={addressOf('health', 'delivery')}>Delivery</a> page shows the store.
            </Empty>
          ) : (
            <DrainChart passes={passes} hasShare={false} />
          )
        }
      </Loaded>
    </Card>
  )
}
