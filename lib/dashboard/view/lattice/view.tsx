import { useEffect, useMemo, useState } from 'preact/hooks'
import { ask } from '../../connection/http.js'
import { asProblem, type Problem } from '../../connection/problem.js'
import { Bars } from '../../part/bars.js'
import { Card } from '../../part/card.js'
import { Command } from '../../part/copy.js'
import { Kpi, KpiStrip } from '../../part/kpi.js'
import { Moment } from '../../part/moment.js'
import { Empty, Trouble, Waiting } from '../../part/state.js'
import { Heading } from '../../shell/frame.js'
import { bytes, short, whole } from '../../show/amount.js'
import { oneLine } from '../../show/text.js'
import { createResource, useResources } from '../../state/resource.js'
import { addressOf, restate, route } from '../../state/route.js'
import { CallGraph } from './graph.js'
import { type CodeSymbol, type LatticeStat, type SymbolAnswer, symbolsOf } from './shapes.js'

const LIMIT = 25

const stat = createResource(() => ask<LatticeStat>('/api/lattice/stat'))

/** Without an index, the page is about how to get one. */
function HowToBuild() {
  return (
    <Card title="No index yet" class="span-6">
      <p>
        Lattice reads the source files that git knows and keeps who calls what under <code>.forge/lattice/</code>. Then
        agents and this page can ask “who calls this function?” and “what breaks if I change it?”. Build the index in
        the project folder:
      </p>
      <Command text="forge-memory lattice index" />
      <p class="note">Run it again after changes: only changed files are read. Deleting the folder is always safe.</p>
      <button type="button" class="button" onClick={() => void stat.refresh()}>
        Look again
      </button>
    </Card>
  )
}

function Kpis({ found }: { found: LatticeStat }) {
  return (
    <KpiStrip label="Key figures">
      {found.filesIndexed !== undefined && <Kpi label="Files" value={short(found.filesIndexed)} />}
      <Kpi label="Symbols" value={short(found.chunks)} />
      <Kpi
        label="Calls"
        value={short(found.edges)}
        detail={found.resolvedEdges === undefined ? undefined : `${whole(found.resolvedEdges)} resolved`}
      />
      <Kpi label="Indexed" value={found.lastIndexedAt ? <Moment at={found.lastIndexedAt} /> : 'never'} />
      {found.indexBytes !== undefined && <Kpi label="Index" value={bytes(found.indexBytes)} />}
    </KpiStrip>
  )
}

interface Answers {
  name: string
  matches: CodeSymbol[]
  callers: CodeSymbol[]
  callees: CodeSymbol[]
}

async function explore(name: string): Promise<Answers> {
  const [matches, callers, callees] = await Promise.all([
    ask<SymbolAnswer>('/api/lattice/query', { query: { query: name, limit: LIMIT } }),
    ask<SymbolAnswer>('/api/lattice/callers', { query: { name, limit: LIMIT } }),
    ask<SymbolAnswer>('/api/lattice/callees', { query: { name, limit: LIMIT } }),
  ])
  return { name, matches: symbolsOf(matches), callers: symbolsOf(callers), callees: symbolsOf(callees) }
}

function SymbolLink({ symbol }: { symbol: CodeSymbol }) {
  return (
    <a class="symbol" href={addressOf('lattice', '', { name: symbol.name })}>
      <code>{oneLine(symbol.name)}</code>
      <span class="note">
        {oneLine(symbol.kind)} · {oneLine(symbol.filePath)}:{symbol.startLine}
      </span>
    </a>
  )
}

function Explorer() {
  const name = route.value.query.get('name') ?? ''
  const [answers, setAnswers] = useState<Answers>()
  const [problem, setProblem] = useState<Problem>()
  useEffect(() => {
    if (name === '') return setAnswers(undefined)
    let isCurrent = true
    const timer = setTimeout(() => {
      explore(name)
        .then((found) => {
          if (!isCurrent) return
          setAnswers(found)
          setProblem(undefined)
        })
        .catch((cause) => isCurrent && setProblem(asProblem(cause)))
    }, 120)
    return () => {
      isCurrent = false
      clearTimeout(timer)
    }
  }, [name])
  return (
    <Card title="Call graph" class="span-6" note="Who calls a function, and what it calls">
      <label class="unseen" for="symbol">
        Name of a function
      </label>
      <input
        id="symbol"
        type="search"
        value={name}
        autoComplete="off"
        placeholder="Name of a function, class or method"
        onInput={(event) => restate(addressOf('lattice', '', { name: event.currentTarget.value }))}
      />
      {problem && <Trouble problem={problem} />}
      {name === '' && <Empty title="Nothing chosen">Type a name, or choose one of the hottest functions.</Empty>}
      {answers && name !== '' && (
        <>
          <CallGraph {...answers} />
          <ul class="symbols" aria-label="Symbols of that name">
            {answers.matches.map((symbol) => (
              <li key={`${symbol.filePath}:${symbol.startLine}:${symbol.name}`}>
                <SymbolLink symbol={symbol} />
              </li>
            ))}
          </ul>
        </>
      )}
    </Card>
  )
}

function Hottest({ hottest }: { hottest: NonNullable<LatticeStat['hottest']> }) {
  const bars = useMemo(
    () => hottest.map(({ name, callers }) => ({ name, count: callers, address: addressOf('lattice', '', { name }) })),
    [hottest],
  )
  return (
    <Card title="Hottest functions" class="span-4" note="by the number of their callers">
      <Bars label="Callers by function" bars={bars} limit={12} />
    </Card>
  )
}

/** The code graph beside the memory. */
export function LatticeView() {
  useResources(stat)
  const found = stat.value.value
  const problem = stat.problem.value
  const isMissing = problem?.code === 'UNAVAILABLE' || problem?.code === 'NOT_FOUND' || found?.chunks === 0
  return (
    <>
      <Heading title="Lattice">The code graph of this project</Heading>
      {isMissing && <HowToBuild />}
      {!isMissing && problem && !found && <Trouble problem={problem} onRetry={() => void stat.refresh()} />}
      {!problem && !found && <Waiting lines={6} />}
      {found && !isMissing && (
        <>
          <Kpis found={found} />
          <div class="grid">
            <Explorer />
            {found.hottest && found.hottest.length > 0 && <Hottest hottest={found.hottest} />}
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
