import type { ComponentChildren } from 'preact'
import { Columns } from '../chart/columns.js'
import type { DrainPass } from '../connection/shapes.js'
import { Card, Empty, Loaded } from '../part/panels.js'
import { day, full, hour, now } from '../show/moment.js'
import { duration, percent } from '../show/text.js'
import { drains } from '../state/stores.js'

const DAY_MS = 86_400_000

function tickOf(pass: DrainPass | undefined): string {
  if (!pass) return ''
  return now.peek() - new Date(pass.at).getTime() < DAY_MS ? hour(pass.at) : day(pass.at)
}

const PARTS = [
  { key: 'delivered' as const, name: 'delivered', colour: 'good' },
  { key: 'deferred' as const, name: 'deferred', colour: 'warning' },
  { key: 'dlq' as const, name: 'failed', colour: 'bad' },
]

interface DrainsProps {
  title: string
  class: string
  note: string
  actions?: ComponentChildren
  /** True if the delivered share is drawn as a line. */
  hasShare?: boolean
  /** The text of an empty chart. */
  children?: ComponentChildren
}

/** A stacked column per drain pass: delivered, deferred and failed records. */
export function Drains({ hasShare = false, children, ...card }: DrainsProps) {
  return (
    <Card {...card}>
      <Loaded from={drains} lines={5}>
        {({ passes }) =>
          passes.length === 0 ? (
            <Empty title="Nothing was delivered yet">{children}</Empty>
          ) : (
            <DrainChart passes={passes} hasShare={hasShare} />
          )
        }
      </Loaded>
    </Card>
  )
}

function DrainChart({ passes, hasShare }: { passes: DrainPass[]; hasShare: boolean }) {
  const values = passes.map(({ attempted, delivered }) => (attempted === 0 ? null : (100 * delivered) / attempted))
  return (
    <Columns
      label="Deliveries"
      parts={PARTS.map(({ key, ...part }) => ({ ...part, values: passes.map((pass) => pass[key]) }))}
      {...(hasShare && { share: { name: 'success', label: 'delivered of attempted', values } })}
      height={220}
      xLabel="pass, oldest first"
      yLabel="records per pass"
      titles={passes.map(({ at }) => full(at))}
      tickOf={(at) => tickOf(passes[at])}
      restOf={(at) => {
        const { delivered = 0, attempted = 0, durationMs = 0 } = passes[at] ?? {}
        return [
          { name: 'success', value: percent(delivered, attempted) },
          { name: 'took', value: duration(durationMs) },
        ]
      }}
      numbers={{
        head: ['When', 'Attempted', 'Delivered', 'Deferred', 'Failed', 'Took'],
        rows: passes.map((pass) => [
          full(pass.at),
          pass.attempted,
          pass.delivered,
          pass.deferred,
          pass.dlq,
          duration(pass.durationMs),
        ]),
      }}
    />
  )
}
