import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { ask } from '../../connection/http.js'
import { asProblem, type Problem } from '../../connection/problem.js'
import { Card } from '../../part/card.js'
import { Empty, Trouble } from '../../part/state.js'
import { oneLine } from '../../show/text.js'
import { addressOf, restate, route } from '../../state/route.js'
import { CallGraph } from './graph.js'
import { addressOfSymbol, type LatticeAnswer, type LatticeChunk, titleOf } from './shapes.js'

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
  const [answers, setAnswers] = useState<Answers>()
  const [problem, setProblem] = useState<Problem>()
  useEffect(() => {
    if (name === '') return setAnswers(undefined)
    let isCurrent = true
    const timer = setTimeout(() => {
      explore(id, name)
        .then((found) => {
          if (!isCurrent) return
          setAnswers(found)
          setProblem(undefined)
        })
        .catch((cause) => isCurrent && setProblem(asProblem(cause)))
    }, PAUSE_MS)
    return () => {
      isCurrent = false
      clearTimeout(timer)
    }
  }, [id, name, indexedAt])
  return (
    <Card title="Call graph" class="span-6" note="Who calls a function, and what it calls" actions={actions}>
      <label class="unseen" for="symbol">
        Name of a function
      </label>
      <input
        id="symbol"
        type="search"
        value={typed}
        autoComplete="off"
        placeholder="Name of a function, class or method"
        onInput={(event) => restate(addressOf('health', 'code', { name: event.currentTarget.value }))}
      />
      {problem && <Trouble problem={problem} />}
      {name === '' && <Empty title="Nothing selected">Type a name, or choose one of the hottest functions.</Empty>}
      {answers && name !== '' && (
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
