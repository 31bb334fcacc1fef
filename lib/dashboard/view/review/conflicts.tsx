import { diffWords } from 'diff'
import { Fragment } from 'preact'
import { useEffect, useId, useMemo, useRef, useState } from 'preact/hooks'
import { change } from '../../connection/http.js'
import type { MemoryConflict } from '../../connection/shapes.js'
import { useCurrent } from '../../part/current.js'
import { Key } from '../../part/key.js'
import { Moment } from '../../part/moment.js'
import { Empty } from '../../part/state.js'
import { counted } from '../../show/amount.js'
import { oneLine, printable } from '../../show/text.js'
import { notify, notifyFailure, undoOf } from '../../state/notice.js'
import { addressOf } from '../../state/route.js'
import { conflicts } from '../../state/stores.js'

const PAGE = 50

type Holds = 'newer' | 'older' | 'both' | 'merge'
type Settle = (holds: Holds, text?: string) => void

/** Longer texts are not compared: it would take too long, and nobody would read the marks. */
const COMPARED_MAX = 8000

/** The words of a text that the other one does not have are marked. */
function Differing({ text, other }: { text: string; other: string }) {
  const parts = useMemo(
    () =>
      text.length + other.length > COMPARED_MAX ? undefined : diffWords(other, text).filter(({ removed }) => !removed),
    [text, other],
  )
  if (parts === undefined) return <>{printable(text)}</>
  return (
    <>
      {parts.map(({ value, added }, at) =>
        added ? <mark key={at}>{printable(value)}</mark> : <Fragment key={at}>{printable(value)}</Fragment>,
      )}
    </>
  )
}

function Side({ title, side, other }: { title: string; side: MemoryConflict['newer']; other: string }) {
  const id = useId()
  return (
    <section class="side-of" aria-labelledby={id}>
      <p class="note">
        <strong id={id}>{title}</strong> <Moment at={side.createdAt} />
      </p>
      <p class="review-text" dir="auto">
        <Differing text={side.text} other={other} />
      </p>
      <a class="note" href={addressOf('entry', side.id)}>
        Open it
      </a>
    </section>
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
  isAt: boolean
  isBusy: boolean
  settle: Settle
  onFocus: () => void
}

const CHOICES: { holds: Holds; label: string; shortcut: string }[] = [
  { holds: 'newer', label: 'The newer one holds', shortcut: '1' },
  { holds: 'older', label: 'The older one holds', shortcut: '2' },
  { holds: 'both', label: 'Both hold', shortcut: 'b' },
]

function Pair({ pair, isAt, isBusy, settle, onFocus }: PairProps) {
  const [isMerging, setMerging] = useState(false)
  const keyOf = (key: string) => (isAt ? { 'data-shortcut': key } : {})
  return (
    <li class={`card conflict ${isAt ? 'is-at' : ''}`} tabIndex={-1} onFocusCapture={onFocus}>
      <p class="note">{oneLine(pair.why)}</p>
      <div class="sides">
        <Side title="Newer" side={pair.newer} other={pair.older.text} />
        <Side title="Older" side={pair.older} other={pair.newer.text} />
      </div>
      {isMerging ? (
        <Merge pair={pair} settle={settle} onDone={() => setMerging(false)} />
      ) : (
        <div class="form-actions">
          {CHOICES.map(({ holds, label, shortcut }) => (
            <button
              key={holds}
              type="button"
              class="button small"
              disabled={isBusy}
              onClick={() => settle(holds)}
              {...keyOf(shortcut)}
            >
              {label} <Key name={shortcut} isOn={isAt} />
            </button>
          ))}
          <button type="button" class="button small" disabled={isBusy} onClick={() => setMerging(true)} {...keyOf('m')}>
            Merge them <Key name="m" isOn={isAt} />
          </button>
        </div>
      )}
    </li>
  )
}

/** The contradictions, one below the other. */
export function Conflicts({ found }: { found: MemoryConflict[] }) {
  const [isBusy, setBusy] = useState(false)
  const [shown, setShown] = useState(PAGE)
  const { at, setAt, move } = useCurrent(Math.min(shown, found.length), '.conflict')
  if (found.length === 0)
    return (
      <Empty title="Nothing contradicts anything">
        A capture that says the opposite of what a person said comes here. <a href={addressOf('home')}>Home</a> shows
        what was retired without a question.
      </Empty>
    )
  const settle = async (pair: MemoryConflict, holds: Holds, text: string | undefined): Promise<void> => {
    setBusy(true)
    const body = { id: pair.newer.id, with: pair.older.id, holds, ...(text === undefined ? {} : { text }) }
    try {
      const { answer, undo } = await change<{ retired: string[] }>('/api/memory/conflicts', { method: 'POST', body })
      await conflicts.refresh()
      const more = [pair.newer, pair.older].filter(({ id }) => answer.retired.includes(id)).map((one) => one.text)
      notify(more.length > 0 ? 'Settled. Retired:' : 'Settled.', { more, ...undoOf(undo) })
    } catch (cause) {
      notifyFailure(cause)
    }
    setBusy(false)
  }
  return (
    <>
      <p class="note" role="status">
        {counted(found.length, 'conflict')}
      </p>
      <ul class="stack" aria-label="Conflicts">
        {found.slice(0, shown).map((pair, place) => (
          <Pair
            key={`${pair.newer.id} ${pair.older.id}`}
            pair={pair}
            isAt={place === at}
            isBusy={isBusy}
            settle={(holds, text) => void settle(pair, holds, text)}
            onFocus={() => setAt(place)}
          />
        ))}
      </ul>
      {found.length > shown && (
        <button type="button" class="button" onClick={() => setShown(shown + PAGE)}>
          Show more
        </button>
      )}
      <button type="button" hidden data-shortcut="s" onClick={() => move(1)} />
    </>
  )
}
