import type { ComponentChildren } from 'preact'
import { ask } from '../../connection/http.js'
import type { LatticeAnswer, LatticeChunk } from '../../connection/shapes.js'
import { SearchField } from '../../part/fields.js'
import { Card, Empty, Trouble } from '../../part/panels.js'
import { oneLine } from '../../show/text.js'
import { useAnswer } from '../../state/resource.js'
import { addressOf, restate, route } from '../../state/route.js'
import { addressOfSymbol, CallGraph, titleOf } from './graph.js'

const LIMIT = 25
/** Debounce of typing. */
const PAUSE_MS = 120

interface Answers {
  name: string
  matches: LatticeChunk[]
  callers: LatticeChunk[]
  callees: LatticeChunk[]
  totals: { callers: number; callees: number }
}

/** Fetches the call graph around a chunk id, or around a name. */
async function explore(id: string, name: string): Promise<Answers> {
  const seed = id === '' ? { name, limit: LIMIT } : { chunkId: id, limit: LIMIT }
  const [matches, callers, callees] = await Promise.all([
    ask<LatticeAnswer>('/api/lattice/query', { query: { query: name, limit: LIMIT } }),
    ask<LatticeAnswer>('/api/lattice/callers', { query: seed }),
    ask<LatticeAnswer>('/api/lattice/callees', { query: seed }),
  ])
  return {
    name,
    matches: matches.chunks,
    callers: callers.chunks,
    callees: callees.chunks,
    // Callees outside of the project have no box, so they are not counted.
    totals: { callers: callers.total, callees: callees.total - (callees.unresolvedNames?.length ?? 0) },
  }
}

function SymbolLink({ symbol }: { symbol: LatticeChunk }) {
  return (
    <a class="symbol" href={addressOfSymbol(symbol)}>
      <code>{oneLine(titleOf(symbol))}</code>
      <span class="note">
        {oneLine(symbol.kind)} · {oneLine(symbol.filePath)}:{symbol.startLine}
      </span>
    </a>
  )
}

interface ExplorerProps {
  indexedAt: string | null
  hottest: LatticeChunk | undefined
  actions: ComponentChildren
}

/** An explorable call graph: callers and callees of a function, fetched again when the index changes. */
export function Explorer({ indexedAt, hottest, actions }: ExplorerProps) {
  const { query } = route.value
  const chosenId = query.get('symbol') ?? ''
  const typed = query.get('name') ?? ''
  // Until something is chosen, the function that most others call is shown: there is always a graph to walk from.
  const [id, name] = typed === '' && hottest ? [hottest.id, titleOf(hottest)] : [chosenId, typed]
  const key = name === '' ? undefined : JSON.stringify([id, name, indexedAt])
  const { found: answers, problem } = useAnswer(key, () => explore(id, name), PAUSE_MS)
  return (
    <Card title="Call graph" class="span-6" note="Who calls a function, and what it calls" actions={actions}>
      <SearchField
        id="symbol"
        label="Name of a function"
        placeholder="Name of a function, class or method"
        value={typed}
        onChange={(name) => restate(addressOf('health', 'code', { name }))}
      />
      {problem && <Trouble problem={problem} />}
      {name === '' && <Empty title="Nothing selected">Type a name, or choose one of the hottest functions.</Empty>}
      {answers && (
        <>
          <CallGraph key={`${id} ${answers.name}`} {...answers} />
          {typed !== '' && (
            <ul class="symbols" aria-label="Symbols of that name">
              {answers.matches.map((symbol) => (
                <li key={symbol.id}>
                  <SymbolLink symbol={symbol} />
                </li>
              ))}
            </ul>
          )}
        </>
      )}
    </Card>
  )
}
