import { useState } from 'preact/hooks'
import { change } from '../../connection/http.js'
import type { WaitingMemory } from '../../connection/shapes.js'
import { ChooseAll, type Chosen, Toolbar, useChosen, useCurrent, usePaged } from '../../part/chosen.js'
import { Button, Choice, Shortcut } from '../../part/controls.js'
import { TextForm } from '../../part/fields.js'
import { Markdown } from '../../part/markdown.js'
import { Kind, Moment } from '../../part/marks.js'
import { Empty } from '../../part/panels.js'
import { lineOf, titleOf } from '../../show/plain.js'
import { counted, oneLine, percent, whole } from '../../show/text.js'
import { notify, undoOf, useWork } from '../../state/notice.js'
import { accepting, doToAll, progress, rejecting } from '../../state/records.js'
import { addressOf } from '../../state/route.js'
import { review } from '../../state/stores.js'
import { Side } from '../conflicts.js'

/** The number of rows that are drawn; the next ones follow at a button. */
const PAGE = 100

type Decide = (decision: 'accept' | 'reject', accepted?: { text?: string; retiresPersons?: boolean }) => void

function factsOf({ why, author, source, verdicts, request }: WaitingMemory): string {
  if (request !== undefined) {
    const reason = request.why === undefined ? '' : `, because: ${oneLine(request.why)}`
    return `${oneLine(author ?? 'somebody')} ${oneLine(request.says)}${reason}`
  }
  const by = author === undefined ? '' : ` by ${oneLine(author)}`
  const doubt = why === 'disputed' ? `, wrong for ${counted(verdicts.wrong, 'session')}` : ''
  return `${why}${by}${doubt}, from ${oneLine(source) || 'nowhere'}`
}

function Near({ near }: Pick<WaitingMemory, 'near'>) {
  if (near.length === 0) return null
  return (
    <div class="near">
      <p class="note">Similar:</p>
      <ul>
        {near.map(({ id, text }) => (
          <li key={id} dir="auto">
            <a href={addressOf('entry', id)}>{lineOf(text).slice(0, 300)}</a>
          </li>
        ))}
      </ul>
    </div>
  )
}

/** What an acceptance retires, beside the text that would take its place. */
function Retired({ record }: { record: WaitingMemory }) {
  return record.retires?.map((one) => (
    <div class="sides" key={one.id}>
      <Side title="Accepting it retires" side={one} other={record.text} />
      <Side
        title={one.ofPerson ? 'What a person said gives way to' : 'It gives way to'}
        side={record}
        other={one.text}
      />
    </div>
  ))
}

/** Where a memory that waits comes from, and where it was said. */
function Evidence({ record }: { record: WaitingMemory }) {
  const words = titleOf(record.text)
  return (
    <p class="note flow">
      <span>{factsOf(record)}</span>
      {record.session && <span>in session {oneLine(record.session).slice(0, 12)}</span>}
      {record.why === 'proposed' && (
        <a href={addressOf('sessions', 'past', { q: words })}>Find the turn in which it was said</a>
      )}
      <a href={addressOf('entry', record.id)}>Open it</a>
    </p>
  )
}

interface WaitingProps {
  record: WaitingMemory
  isAt: boolean
  isBusy: boolean
  chosen: Chosen
  decide: Decide
  onCurrent: () => void
}

/** A memory that waits: one line with its actions. The current one is told whole below it, and has the keys. */
function Waiting({ record, isAt, isBusy, chosen, decide, onCurrent }: WaitingProps) {
  const { id, text, type, createdAt, confidence, near, request, retires = [] } = record
  const [isEditing, setEditing] = useState(false)
  const [isAsked, setAsked] = useState(false)
  const ofPersons = retires.filter((one) => one.ofPerson).length
  const title = titleOf(text)
  /** What a person said is retired only by who was asked twice. */
  const accept = (changed?: string) => {
    onCurrent()
    if (ofPersons > 0 && !isAsked) return setAsked(true)
    decide('accept', {
      ...(changed !== undefined && { text: changed }),
      ...(ofPersons > 0 && { retiresPersons: true }),
    })
  }
  const common = { disabled: isBusy, isKeyOn: isAt }
  const onFocusCapture = ({ target }: FocusEvent): void => {
    // A row that unfolds under the pointer between press and release would move what is clicked.
    if (target instanceof Element && target.matches(':focus-visible')) onCurrent()
  }
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the keys j and k do the same
    <li
      class={`waiting-one ${isAt ? 'is-at' : ''}`}
      tabIndex={-1}
      aria-label={title}
      onFocusCapture={onFocusCapture}
      onClick={onCurrent}
    >
      <input
        type="checkbox"
        checked={chosen.has(id)}
        aria-label={`Select: ${title}`}
        data-shortcut={isAt ? 'x' : undefined}
        onChange={() => chosen.toggle(id)}
      />
      <div class="waiting-line">
        <Kind type={type} />
        <span class="waiting-title clip" dir="auto">
          {lineOf(text).slice(0, 200)}
        </span>
        {retires.length > 0 && <span class="chip is-warning">retires {whole(retires.length)}</span>}
        <span class="note number" title="confidence">
          {percent(confidence, 1)}
        </span>
        <Moment at={createdAt} />
      </div>
      <div class="form-actions waiting-actions">
        <Button {...common} look="small" icon="check" shortcut="y" onClick={() => accept()}>
          {isAsked ? `Accept, and retire ${counted(ofPersons, 'memory', 'memories')} of a person` : 'Accept'}
        </Button>
        {request === undefined && (
          <Button {...common} look="small quiet" icon="edit" shortcut="e" onClick={() => setEditing(true)}>
            Edit
          </Button>
        )}
        <Button {...common} look="small quiet" icon="close" shortcut="n" onClick={() => decide('reject')}>
          Reject
        </Button>
      </div>
      {isAt && (
        <div class="waiting-body">
          {isEditing ? (
            <TextForm
              name="Edit"
              label="The text to store in its place"
              text={text}
              action="Accept this text"
              onText={accept}
              onClose={() => setEditing(false)}
            />
          ) : (
            <Markdown class="review-text" text={text} />
          )}
          <Retired record={record} />
          <Near near={near} />
          <Evidence record={record} />
        </div>
      )}
    </li>
  )
}

const ORDERS = [
  { value: 'came' as const, label: 'As they came' },
  { value: 'sure' as const, label: 'Surest first' },
]

/** The inbox: one list, in which several are decided at once. */
export function Inbox({ waiting }: { waiting: WaitingMemory[] }) {
  const [isBusy, start] = useWork()
  const [order, setOrder] = useState<'came' | 'sure'>('came')
  const sorted = order === 'came' ? waiting : [...waiting].sort((a, b) => b.confidence - a.confidence)
  const [shown, more] = usePaged(sorted, PAGE)
  const { at, setAt, move } = useCurrent(shown.length, '.waiting-one')
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
  const decide = (record: WaitingMemory): Decide => {
    return (decision, { text, ...accepted } = {}) =>
      void start(async () => {
        const changed = text === undefined || text === record.text ? {} : { text }
        const body = { decision, ...accepted, ...changed }
        const path = `/api/memory/review/${encodeURIComponent(record.id)}`
        const { undo } = await change(path, { method: 'POST', body })
        notify(decision === 'accept' ? 'Accepted' : 'Rejected', { more: [record.text], ...undoOf(undo) })
        await review.refresh()
      })
  }
  const decideAll = (isAccepted: boolean) =>
    start(async () => {
      chosen.set(await doToAll(here, isAccepted ? accepting : rejecting))
      await review.refresh()
    })
  const busy = progress.value
  const doing = busy && `${whole(busy.done)} of ${whole(busy.total)}`
  const standing = here.length > 0 ? `${whole(here.length)} selected` : undefined
  const isOff = isBusy || here.length === 0
  return (
    <>
      <Toolbar
        label="Selected memories"
        actions={
          <>
            <Button look="small" icon="check" disabled={isOff} onClick={() => decideAll(true)}>
              Accept selected
            </Button>
            <Button look="small" icon="close" disabled={isOff} onClick={() => decideAll(false)}>
              Reject selected
            </Button>
          </>
        }
      >
        <ChooseAll chosen={chosen}>Select all {whole(waiting.length)}</ChooseAll>
        <span role="status" class="note">
          {doing ?? standing ?? `${counted(waiting.length, 'memory', 'memories')} to review`}
        </span>
        <Choice label="Order" options={ORDERS} value={order} onChange={setOrder} />
      </Toolbar>
      <ul class="waiting-list" aria-label="To review">
        {shown.map((record, place) => (
          <Waiting
            key={record.id}
            record={record}
            isAt={place === at}
            isBusy={isBusy}
            chosen={chosen}
            decide={decide(record)}
            onCurrent={() => setAt(place)}
          />
        ))}
      </ul>
      {more}
      <Shortcut name="s" does={() => move(1)} />
    </>
  )
}
