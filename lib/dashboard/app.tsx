import type { ComponentType } from 'preact'
import { token } from './connection/address.js'
import { Frame } from './shell/frame.js'
import { Locked } from './shell/locked.js'
import { placeOf, type Route, route, type ViewName } from './state/route.js'
import { status } from './state/stores.js'
import { AnvilView } from './view/anvil/view.js'
import { EntryView } from './view/entry/view.js'
import { HallmarkView } from './view/hallmark/view.js'
import { SettingsView } from './view/health/settings.js'
import { HealthView } from './view/health/view.js'
import { ProjectsView } from './view/home/projects.js'
import { HomeView } from './view/home/view.js'
import { LatticeView } from './view/lattice/view.js'
import { MapView } from './view/memories/map.js'
import { TagsView } from './view/memories/tags.js'
import { MemoriesView } from './view/memories/view.js'
import { ReviewView } from './view/review/view.js'
import { BackfillView } from './view/sessions/backfill.js'
import { NotesView } from './view/sessions/notes.js'
import { PastView } from './view/sessions/past.js'

/** The views, with the parts of each by their ids; every other id is one of the view itself. */
const VIEWS: Record<ViewName, { view: ComponentType; parts?: Record<string, ComponentType> }> = {
  home: { view: HomeView, parts: { projects: ProjectsView } },
  memories: { view: MemoriesView, parts: { map: MapView, tags: TagsView } },
  entry: { view: EntryView },
  review: { view: ReviewView },
  sessions: { view: NotesView, parts: { past: PastView, backfill: BackfillView } },
  health: {
    view: HealthView,
    parts: { delivery: AnvilView, provenance: HallmarkView, code: LatticeView, settings: SettingsView },
  },
}

function viewOf({ view, id }: Route): ComponentType {
  const { view: whole, parts = {} } = VIEWS[view]
  return (Object.hasOwn(parts, id) ? parts[id] : undefined) ?? whole
}

export function App() {
  const isRefused = status.problem.value?.code === 'UNAUTHORIZED'
  if (token.value === '' || isRefused) return <Locked isRefused={isRefused} />
  const View = viewOf(route.value)
  return (
    <Frame>
      <View key={placeOf(route.value)} />
    </Frame>
  )
}
