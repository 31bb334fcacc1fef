import { ask } from '../../connection/http.js'
import type { LatticeIndexOutcome, LatticeStat } from '../../connection/shapes.js'
import { Button, Command } from '../../part/controls.js'
import { Moment } from '../../part/marks.js'
import { Bars, Card, KeyFigures, Loaded } from '../../part/panels.js'
import { Heading } from '../../shell/frame.js'
import { full } from '../../show/moment.js'
import { bytes, counted, short, whole } from '../../show/text.js'
import { notify, useWork } from '../../state/notice.js'
import { useResources } from '../../state/resource.js'
import { lattice } from '../../state/stores.js'
import { HealthParts } from '../parts.js'
import { Explorer } from './explorer.js'
import { addressOfSymbol, titleOf } from './graph.js'

/** A button that updates the index on the server; only changed files are parsed. */
function Rebuild({ label }: { label: string }) {
  const [isBusy, start] = useWork()
  const rebuild = async () => {
    const outcome = await ask<LatticeIndexOutcome>('/api/lattice/index', { method: 'POST', body: {} })
    notify(`${counted(outcome.filesChanged, 'file')} read, ${counted(outcome.filesRemoved, 'file')} gone`)
    await lattice.refresh()
  }
  return (
    <Button disabled={isBusy} onClick={() => start(rebuild)}>
      {isBusy ? 'Indexing…' : label}
    </Button>
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

function Figures({ found }: { found: LatticeStat }) {
  const { filesIndexed, filesSkipped, chunks, edges, resolved, languages, lastIndexedAt: at, indexBytes } = found
  return (
    <KeyFigures
      figures={[
        { label: 'Files', value: short(filesIndexed), detail: `${whole(filesSkipped)} skipped` },
        { label: 'Symbols', value: short(chunks), detail: counted(Object.keys(languages).length, 'language') },
        { label: 'Calls', value: short(edges), detail: `${whole(edges - (resolved.none ?? 0))} resolved` },
        { label: 'Indexed', value: at ? <Moment at={at} /> : 'never', detail: at ? full(at) : undefined },
        { label: 'Index', value: bytes(indexBytes), detail: 'on disk' },
      ]}
    />
  )
}

function Graph({ found }: { found: LatticeStat }) {
  const { hottest, languages, lastIndexedAt } = found
  return (
    <>
      <Figures found={found} />
      <div class="grid">
        <Explorer indexedAt={lastIndexedAt} hottest={hottest[0]?.chunk} actions={<Rebuild label="Rebuild" />} />
        {hottest.length > 0 && (
          <Card title="Hottest functions" class="span-4" note="by the number of their callers">
            <Bars
              label="Callers by function"
              bars={hottest.map(({ chunk, callers }) => ({
                name: titleOf(chunk),
                count: callers,
                address: addressOfSymbol(chunk),
              }))}
              limit={12}
              hasShares={false}
            />
          </Card>
        )}
        <Card title="Languages" class="span-2">
          <Bars
            label="Symbols by language"
            bars={Object.entries(languages).map(([name, count]) => ({ name, count }))}
          />
        </Card>
      </div>
    </>
  )
}

export function LatticeView() {
  useResources(lattice)
  return (
    <>
      <Heading title="Code graph">Lattice: the functions of this project, and which calls which</Heading>
      <HealthParts />
      <Loaded from={lattice} lines={6}>
        {(found) => (found.chunks === 0 ? <HowToBuild /> : <Graph found={found} />)}
      </Loaded>
    </>
  )
}
