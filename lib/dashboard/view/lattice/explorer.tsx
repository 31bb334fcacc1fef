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
/** Who types on is not answered in between. */
const PAUSE_MS = 120

interface Answers {
  name: string
  matches: LatticeChunk[]
  callers: LatticeChunk[]
  callees: LatticeChunk[]
  totals: { callers: number; callees: number }
}

/** Asks for the graph around a chunk, or around whatever has a name. */
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
    // Names that lead out of the project are no boxes.
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

/** Who calls a function and what it calls, to be walked through; asked again when the index is another one. */
export function Explorer({ indexedAt }: { indexedAt: string | null }) {
  const { id, query } = route.value
  const name = query.get('name') ?? ''
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
              <li key={symbol.id}>
                <SymbolLink symbol={symbol} />
              </li>
            ))}
          </ul>
        </>
      )}
    </Card>
  )
}
