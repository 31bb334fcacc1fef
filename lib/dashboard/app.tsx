import type { ComponentType } from 'preact'
import { token } from './connection/address.js'
import { Frame } from './shell/frame.js'
import { Locked } from './shell/locked.js'
import { route, type ViewName } from './state/route.js'
import { status } from './state/stores.js'
import { AnvilView } from './view/anvil/view.js'
import { EntryView } from './view/entry/view.js'
import { HallmarkView } from './view/hallmark/view.js'
import { HealthView } from './view/health/view.js'
import { InjectionsView } from './view/injections/view.js'
import { LatticeView } from './view/lattice/view.js'
import { MemoryView } from './view/memory/view.js'
import { RecordsView } from './view/records/view.js'
import { ReviewView } from './view/review/view.js'

const VIEWS: Record<ViewName, ComponentType> = {
  memory: MemoryView,
  records: RecordsView,
  entry: EntryView,
  review: ReviewView,
  injections: InjectionsView,
  anvil: AnvilView,
  lattice: LatticeView,
  hallmark: HallmarkView,
  health: HealthView,
}

export function App() {
  const isRefused = status.problem.value?.code === 'UNAUTHORIZED'
  if (token.value === '' || isRefused) return <Locked isRefused={isRefused} />
  const { view, id } = route.value
  const View = VIEWS[view]
  return (
    <Frame>
      <View key={`${view}/${id}`} />
    </Frame>
  )
}
