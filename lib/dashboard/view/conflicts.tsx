import { diffWords } from 'diff'
import { Fragment } from 'preact'
import { useId, useMemo, useState } from 'preact/hooks'
import { voiceOf } from '../../text/voice.js'
import { change } from '../connection/http.js'
import type { MemoryConflict } from '../connection/shapes.js'
import { useCurrent, usePaged } from '../part/chosen.js'
import { Button, Shortcut } from '../part/controls.js'
import { TextForm } from '../part/fields.js'
import { Moment } from '../part/marks.js'
import { Empty } from '../part/panels.js'
import { counted, linesOf, oneLine, printable, scrolled } from '../show/text.js'
import { notify, undoOf, useWork } from '../state/notice.js'
import { addressOf } from '../state/route.js'
import { conflicts } from '../state/stores.js'

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

interface SideProps {
  title: string
  side: { id: string; text: string; createdAt: string; author?: string; door?: string }
  other: string
}

/** One of two texts of which only one can hold. */
export function Side({ title, side, other }: SideProps) {
  const id = useId()
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset has a border, and nothing to fill in
    <div class="side-of" role="group" aria-labelledby={id}>
      <p class="note">
        <strong id={id}>{title}</strong> <Moment at={side.createdAt} />
        {side.author && `, ${oneLine(voiceOf(side))}`}
      </p>
      <p class={`review-text ${linesOf(side.text)}`} dir="auto" {...scrolled(side.text)}>
        <Differing text={side.text} other={other} />
      </p>
      <a class="note" href={addressOf('entry', side.id)}>
        Open it
      </a>
    </div>
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
  { holds: 'merge', label: 'Merge them', shortcut: 'm' },
]

function Pair({ pair, isAt, isBusy, settle, onFocus }: PairProps) {
  const [isMerging, setMerging] = useState(false)
  return (
    <li class={`card conflict ${isAt ? 'is-at' : ''}`} tabIndex={-1} onFocusCapture={onFocus}>
      <p class="note">{oneLine(pair.why)}</p>
      <div class="sides">
        <Side title="Newer" side={pair.newer} other={pair.older.text} />
        <Side title="Older" side={pair.older} other={pair.newer.text} />
      </div>
      {isMerging ? (
        <TextForm
          name="Merge"
          label="The text that replaces both"
          text={`${pair.newer.text}\n${pair.older.text}`}
          action="Store the merged text"
          onText={(text) => settle('merge', text)}
          onClose={() => setMerging(false)}
        />
      ) : (
        <div class="form-actions">
          {CHOICES.map(({ holds, label, shortcut }) => (
            <Button
              key={holds}
              look="small"
              disabled={isBusy}
              shortcut={shortcut}
              isKeyOn={isAt}
              onClick={() => (holds === 'merge' ? setMerging(true) : settle(holds))}
            >
              {label}
            </Button>
          ))}
        </div>
      )}
    </li>
  )
}

export function Conflicts({ found }: { found: MemoryConflict[] }) {
  const [isBusy, start] = useWork()
  const [shown, more] = usePaged(found, PAGE)
  const { at, setAt, move } = useCurrent(shown.length, '.conflict')
  if (found.length === 0)
    return (
      <Empty title="Nothing contradicts anything">
        A capture that says the opposite of what a person said comes here. <a href={addressOf('home')}>Home</a> shows
        what was retired without a question.
      </Empty>
    )
  const settle = async (pair: MemoryConflict, holds: Holds, text: string | undefined): Promise<void> => {
    const body = { id: pair.newer.id, with: pair.older.id, holds, ...(text === undefined ? {} : { text }) }
    const { answer, undo } = await change<{ retired: string[] }>('/api/memory/conflicts', { method: 'POST', body })
    await conflicts.refresh()
    const more = [pair.newer, pair.older].filter(({ id }) => answer.retired.includes(id)).map((one) => one.text)
    notify(more.length > 0 ? 'Settled. Retired:' : 'Settled.', { more, ...undoOf(undo) })
  }
  return (
    <>
      <p class="note" role="status">
        {counted(found.length, 'conflict')}
      </p>
      <ul class="stack" aria-label="Conflicts">
        {shown.map((pair, place) => (
          <Pair
            key={`${pair.newer.id} ${pair.older.id}`}
            pair={pair}
            isAt={place === at}
            isBusy={isBusy}
            settle={(holds, text) => void start(() => settle(pair, holds, text))}
            onFocus={() => setAt(place)}
          />
        ))}
      </ul>
      {more}
      <Shortcut name="s" does={() => move(1)} />
    </>
  )
}
