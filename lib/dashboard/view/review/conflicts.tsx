import { useEffect, useRef, useState } from 'preact/hooks'
import { ask } from '../../connection/http.js'
import type { MemoryConflict } from '../../connection/shapes.js'
import { Card } from '../../part/card.js'
import { Moment } from '../../part/moment.js'
import { Empty } from '../../part/state.js'
import { counted } from '../../show/amount.js'
import { oneLine, printable } from '../../show/text.js'
import { notify, notifyFailure } from '../../state/notice.js'
import { addressOf } from '../../state/route.js'
import { conflicts } from '../../state/stores.js'

type Holds = 'newer' | 'older' | 'both' | 'merge'
type Settle = (holds: Holds, text?: string) => void

function Side({ title, side }: { title: string; side: MemoryConflict['newer'] }) {
  return (
    <Card title={title} class="span-3" note={<Moment at={side.createdAt} />}>
      <p class="review-text" dir="auto">
        {printable(side.text)}
      </p>
      <a class="note" href={addressOf('entry', side.id)}>
        Open it
      </a>
    </Card>
  )
}

function Merge({ pair, settle, onDone }: { pair: MemoryConflict; settle: Settle; onDone: () => void }) {
  const [text, setText] = useState(`${pair.newer.text}\n${pair.older.text}`)
  const box = useRef<HTMLTextAreaElement>(null)
  useEffect(() => box.current?.focus(), [])
  return (
    <form
      class="edit"
      aria-label="Merge"
      onKeyDown={(event) => event.key === 'Escape' && onDone()}
      onSubmit={(event) => {
        event.preventDefault()
        settle('merge', text)
      }}
    >
      <label class="field">
        <span>The text that replaces both</span>
        <textarea ref={box} rows={5} dir="auto" value={text} onInput={(event) => setText(event.currentTarget.value)} />
      </label>
      <div class="form-actions">
        <button type="submit" class="button primary" disabled={text.trim() === ''}>
          Store the merged text
        </button>
        <button type="button" class="button quiet" onClick={onDone}>
          Cancel
        </button>
      </div>
    </form>
  )
}

interface PairProps {
  pair: MemoryConflict
  isBusy: boolean
  settle: Settle
  skip: (() => void) | undefined
}

const CHOICES: { holds: Holds; label: string; shortcut: string }[] = [
  { holds: 'newer', label: 'The newer one holds', shortcut: '1' },
  { holds: 'older', label: 'The older one holds', shortcut: '2' },
  { holds: 'both', label: 'Both hold', shortcut: 'b' },
]

function Pair({ pair, isBusy, settle, skip }: PairProps) {
  const [isMerging, setMerging] = useState(false)
  return (
    <div class="grid">
      <Side title="Newer" side={pair.newer} />
      <Side title="Older" side={pair.older} />
      <Card title="Which one holds?" class="span-6" note={oneLine(pair.why)}>
        {isMerging ? (
          <Merge pair={pair} settle={settle} onDone={() => setMerging(false)} />
        ) : (
          <div class="form-actions">
            {CHOICES.map(({ holds, label, shortcut }) => (
              <button
                key={holds}
                type="button"
                class="button"
                data-shortcut={shortcut}
                disabled={isBusy}
                onClick={() => settle(holds)}
              >
                {label}
              </button>
            ))}
            <button type="button" class="button" data-shortcut="m" disabled={isBusy} onClick={() => setMerging(true)}>
              Merge them
            </button>
            {skip && (
              <button type="button" class="button quiet" data-shortcut="s" disabled={isBusy} onClick={skip}>
                Skip
              </button>
            )}
          </div>
        )}
      </Card>
    </div>
  )
}

/** The contradictions. */
export function Conflicts({ found }: { found: MemoryConflict[] }) {
  const [at, setAt] = useState(0)
  const [isBusy, setBusy] = useState(false)
  const pair = found[at % Math.max(1, found.length)]
  if (pair === undefined)
    return <Empty title="Nothing contradicts anything">A capture that says the opposite of a record comes here.</Empty>
  const settle: Settle = (holds, text) => {
    setBusy(true)
    const body = { id: pair.newer.id, with: pair.older.id, holds, ...(text === undefined ? {} : { text }) }
    ask('/api/memory/conflicts', { method: 'POST', body })
      .then(() => conflicts.refresh())
      .then(() => notify('Settled.'), notifyFailure)
      .finally(() => setBusy(false))
  }
  return (
    <>
      <p class="note" role="status">
        {counted(found.length, 'conflict')}
      </p>
      <Pair
        key={`${pair.newer.id} ${pair.older.id}`}
        pair={pair}
        isBusy={isBusy}
        settle={settle}
        skip={found.length > 1 ? () => setAt((at + 1) % found.length) : undefined}
      />
    </>
  )
}
