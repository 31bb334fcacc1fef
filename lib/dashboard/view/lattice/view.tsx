import { useMemo, useState } from 'preact/hooks'
import { ask } from '../../connection/http.js'
import { asProblem } from '../../connection/problem.js'
import { Bars } from '../../part/bars.js'
import { Card } from '../../part/card.js'
import { Command } from '../../part/copy.js'
import { Kpi, KpiStrip } from '../../part/kpi.js'
import { Moment } from '../../part/moment.js'
import { Trouble, Waiting } from '../../part/state.js'
import { Heading } from '../../shell/frame.js'
import { bytes, counted, short, whole } from '../../show/amount.js'
import { full } from '../../show/moment.js'
import { notify, notifyProblem } from '../../state/notice.js'
import { useResources } from '../../state/resource.js'
import { lattice } from '../../state/stores.js'
import { HealthParts } from '../parts.js'
import { Explorer } from './explorer.js'
import { addressOfSymbol, type LatticeIndexOutcome, type LatticeStat, titleOf } from './shapes.js'

/** A button that updates the index on the server; only changed files are parsed. */
function Rebuild({ label }: { label: string }) {
  const [isBusy, setBusy] = useState(false)
  const rebuild = async () => {
    setBusy(true)
    try {
      const outcome = await ask<LatticeIndexOutcome>('/api/lattice/index', { method: 'POST', body: {} })
      notify(`${counted(outcome.filesChanged, 'file')} read, ${counted(outcome.filesRemoved, 'file')} gone`)
    } catch (cause) {
      notifyProblem(asProblem(cause))
    }
    await lattice.refresh()
    setBusy(false)
  }
  return (
    <button type="button" class="button" disabled={isBusy} onClick={() => void rebuild()}>
      {isBusy ? 'Indexing…' : label}
    </button>
  )
}

/** Shown while there is no index: how to build one. */
function HowToBuild() {
  return (
    <Card title="No index yet" class="span-6">
      <p>
        Lattice reads the source files that git knows and keeps who calls what under <code>.forge/lattice/</code>. Then
        agents and this page can ask “who calls this function?” and “what breaks if I change it?”.
      </p>
      <p class="card-step">
        <Rebuild label="Build the index" />
      </p>
      <p class="note">The same in a terminal, in the project folder. Deleting the folder is always safe.</p>
      <Command text="forge-memory lattice index" />
    </Card>
  )
}

function Kpis({ found }: { found: LatticeStat }) {
  const resolved = found.edges - (found.resolved.none ?? 0)
  return (
    <KpiStrip label="Key figures">
      <Kpi label="Files" value={short(found.filesIndexed)} detail={`${whole(found.filesSkipped)} skipped`} />
      <Kpi
        label="Symbols"
        value={short(found.chunks)}
        detail={counted(Object.keys(found.languages).length, 'language')}
      />
      <Kpi label="Calls" value={short(found.edges)} detail={`${whole(resolved)} resolved`} />
      <Kpi
        label="Indexed"
        value={found.lastIndexedAt ? <Moment at={found.lastIndexedAt} /> : 'never'}
        detail={found.lastIndexedAt ? full(found.lastIndexedAt) : undefined}
      />
      <Kpi label="Index" value={bytes(found.indexBytes)} detail="on disk" />
    </KpiStrip>
  )
}

function Hottest({ hottest }: Pick<LatticeStat, 'hottest'>) {
  const bars = useMemo(
    () =>
      hottest.map(({ chunk, callers }) => ({ name: titleOf(chunk), count: callers, address: addressOfSymbol(chunk) })),
    [hottest],
  )
  return (
    <Card title="Hottest functions" class="span-4" note="by the number of their callers">
      <Bars label="Callers by function" bars={bars} limit={12} hasShares={false} />
    </Card>
  )
}

/** The code graph of the project. */
export function LatticeView() {
  useResources(lattice)
  const found = lattice.value.value
  const problem = lattice.problem.value
  return (
    <>
      <Heading title="Code graph">Lattice: the functions of this project, and which calls which</Heading>
      <HealthParts />
      {problem && !found && <Trouble problem={problem} onRetry={() => void lattice.refresh()} />}
      {!problem && !found && <Waiting lines={6} />}
      {found?.chunks === 0 && <HowToBuild />}
      {found && found.chunks > 0 && (
        <>
          <Kpis found={found} />
          <div class="grid">
            <Explorer
              indexedAt={found.lastIndexedAt}
              hottest={found.hottest[0]?.chunk}
              actions={<Rebuild label="Rebuild" />}
            />
            {found.hottest.length > 0 && <Hottest hottest={found.hottest} />}
            <Card title="Languages" class="span-2">
              <Bars
                label="Symbols by language"
                bars={Object.entries(found.languages).map(([name, count]) => ({ name, count }))}
              />
            </Card>
          </div>
        </>
      )}
    </>
  )
}
