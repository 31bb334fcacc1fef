import { useEffect, useRef, useState } from 'preact/hooks'
import { change } from '../../connection/http.js'
import type { WaitingRecord } from '../../connection/shapes.js'
import { ChooseAll, useChosen } from '../../part/chosen.js'
import { useCurrent } from '../../part/current.js'
import { Icon } from '../../part/icon.js'
import { Key } from '../../part/key.js'
import { Kind } from '../../part/kind.js'
import { Markdown } from '../../part/markdown.js'
import { Moment } from '../../part/moment.js'
import { Empty } from '../../part/state.js'
import { counted, whole } from '../../show/amount.js'
import { plainOf } from '../../show/plain.js'
import { oneLine } from '../../show/text.js'
import { headlineOf } from '../../show/title.js'
import { notify, notifyFailure, undoOf } from '../../state/notice.js'
import { accepting, doToAll, progress, rejecting } from '../../state/records.js'
import { addressOf } from '../../state/route.js'
import { review } from '../../state/stores.js'

/** The number of rows that are drawn; the next ones follow at a button. */
const PAGE = 100

type Decide = (decision: 'accept' | 'reject', text?: string) => void

function factsOf({ why, author, source, verdicts, request }: WaitingRecord): string {
  if (request !== undefined) {
    const reason = request.why === undefined ? '' : `, because: ${oneLine(request.why)}`
    return `${oneLine(author ?? 'somebody')} ${oneLine(request.says)}${reason}`
  }
  const by = author === undefined ? '' : ` by ${oneLine(author)}`
  const doubt = why === 'disputed' ? `, wrong for ${counted(verdicts.wrong, 'session')}` : ''
  return `${why}${by}${doubt}, from ${oneLine(source) || 'nowhere'}`
}

function Near({ near }: { near: WaitingRecord['near'] }) {
  if (near.length === 0) return null
  return (
    <div class="near">
      <p class="note">Similar:</p>
      <ul>
        {near.map(({ id, text }) => (
          <li key={id} dir="auto">
            <a href={addressOf('entry', id)}>{oneLine(plainOf(text).text).slice(0, 300)}</a>
          </li>
        ))}
      </ul>
    </div>
  )
}

function Rewrite({ record, onDone, decide }: { record: WaitingRecord; onDone: () => void; decide: Decide }) {
  const [text, setText] = useState(record.text)
  const box = useRef<HTMLTextAreaElement>(null)
  useEffect(() => box.current?.focus(), [])
  return (
    <form
      class="edit"
      aria-label="Edit"
      onKeyDown={(event) => {
        if (event.key === 'Escape') onDone()
      }}
      onSubmit={(event) => {
        event.preventDefault()
        decide('accept', text)
      }}
    >
      <label class="field">
        <span>The text to store in its place</span>
        <textarea ref={box} rows={5} dir="auto" value={text} onInput={(event) => setText(event.currentTarget.value)} />
      </label>
      <div class="form-actions">
        <button type="submit" class="button primary" disabled={text.trim() === ''}>
          Accept this text
        </button>
        <button type="button" class="button quiet" onClick={onDone}>
          Cancel
        </button>
      </div>
    </form>
  )
}

interface WaitingProps {
  record: WaitingRecord
  isAt: boolean
  isChosen: boolean
  isBusy: boolean
  decide: Decide
  onChoose: () => void
  onFocus: () => void
}

/** A memory that waits, with what can be done about it. The keys are those of the current one. */
function Waiting({ record, isAt, isChosen, isBusy, decide, onChoose, onFocus }: WaitingProps) {
  const [isEditing, setEditing] = useState(false)
  const name = headlineOf(oneLine(plainOf(record.text).text)).title
  const keyOf = (key: string) => (isAt ? { 'data-shortcut': key } : {})
  return (
    <li class={`waiting-one ${isAt ? 'is-at' : ''}`} tabIndex={-1} aria-label={name} onFocusCapture={onFocus}>
      <input type="checkbox" checked={isChosen} aria-label={`Select: ${name}`} onChange={onChoose} {...keyOf('x')} />
      <div class="waiting-body">
        <p class="waiting-facts">
          <Kind type={record.type} /> <span>{factsOf(record)}</span> <Moment at={record.createdAt} />
        </p>
        {isEditing ? (
          <Rewrite record={record} decide={decide} onDone={() => setEditing(false)} />
        ) : (
          <>
            <Markdown class="review-text" text={record.text} />
            <Near near={record.near} />
            <div class="form-actions">
              <button
                type="button"
                class="button small"
                disabled={isBusy}
                onClick={() => decide('accept')}
                {...keyOf('y')}
              >
                <Icon name="check" /> Accept <Key name="y" isOn={isAt} />
              </button>
              {record.request === undefined && (
                <button
                  type="button"
                  class="button small quiet"
                  disabled={isBusy}
                  onClick={() => setEditing(true)}
                  {...keyOf('e')}
                >
                  <Icon name="edit" /> Edit <Key name="e" isOn={isAt} />
                </button>
              )}
              <button
                type="button"
                class="button small quiet"
                disabled={isBusy}
                onClick={() => decide('reject')}
                {...keyOf('n')}
              >
                <Icon name="close" /> Reject <Key name="n" isOn={isAt} />
              </button>
            </div>
          </>
        )}
      </div>
    </li>
  )
}

/** The inbox: one list, in which several are decided at once. */
export function Inbox({ waiting }: { waiting: WaitingRecord[] }) {
  const [shown, setShown] = useState(PAGE)
  const [isBusy, setBusy] = useState(false)
  const { at, setAt, move } = useCurrent(Math.min(shown, waiting.length), '.waiting-one')
  const chosen = useChosen(waiting.map(({ id }) => id))
  const { here } = chosen
  if (waiting.length === 0)
    return (
      <Empty title="Nothing waits for a review">
        What agents propose or ask for, and what sessions find wrong, comes here.{' '}
        <a href={addressOf('health', 'settings')}>Settings</a> say which captures wait, and{' '}
        <a href={addressOf('sessions', 'backfill')}>past sessions</a> may have lessons to accept.
      </Empty>
    )
  const during = async (work: () => Promise<void>): Promise<void> => {
    setBusy(true)
    try {
      await work()
      await review.refresh()
    } catch (cause) {
      notifyFailure(cause)
    }
    setBusy(false)
  }
  const decide = (record: WaitingRecord): Decide => {
    return (decision, text) =>
      void during(async () => {
        const body = text === undefined || text === record.text ? { decision } : { decision, text }
        const path = `/api/memory/review/${encodeURIComponent(record.id)}`
        const { undo } = await change(path, { method: 'POST', body })
        notify(decision === 'accept' ? 'Accepted' : 'Rejected', { more: [record.text], ...undoOf(undo) })
      })
  }
  const decideAll = (isAccepted: boolean): void =>
    void during(async () => {
      const refused = await doToAll(here, isAccepted ? accepting : rejecting)
      chosen.set(refused)
    })
  return (
    <>
      <div class="selection" role="toolbar" aria-label="Selected memories">
        <ChooseAll chosen={chosen}>Select all {whole(waiting.length)}</ChooseAll>
        <span role="status" class="note">
          {progress.value
            ? `${whole(progress.value.done)} of ${whole(progress.value.total)}`
            : here.length > 0
              ? `${whole(here.length)} selected`
              : `${counted(waiting.length, 'memory', 'memories')} to review`}
        </span>
        <span class="selection-actions">
          <button
            type="button"
            class="button small"
            disabled={isBusy || here.length === 0}
            onClick={() => decideAll(true)}
          >
            <Icon name="check" /> Accept selected
          </button>
          <button
            type="button"
            class="button small"
            disabled={isBusy || here.length === 0}
            onClick={() => decideAll(false)}
          >
            <Icon name="close" /> Reject selected
          </button>
        </span>
      </div>
      <ul class="waiting-list" aria-label="To review">
        {waiting.slice(0, shown).map((record, place) => (
          <Waiting
            key={record.id}
            record={record}
            isAt={place === at}
            isChosen={chosen.has(record.id)}
            isBusy={isBusy}
            decide={decide(record)}
            onChoose={() => chosen.toggle(record.id)}
            onFocus={() => setAt(place)}
          />
        ))}
      </ul>
      {waiting.length > shown && (
        <button type="button" class="button" onClick={() => setShown(shown + PAGE)}>
          Show {whole(Math.min(PAGE, waiting.length - shown))} more
        </button>
      )}
      <button type="button" hidden data-shortcut="s" onClick={() => move(1)} />
    </>
  )
}
