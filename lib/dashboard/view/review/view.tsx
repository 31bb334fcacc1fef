import { useEffect, useRef, useState } from 'preact/hooks'
import { ask } from '../../connection/http.js'
import { asProblem } from '../../connection/problem.js'
import type { WaitingRecord } from '../../connection/shapes.js'
import { Card } from '../../part/card.js'
import { Icon } from '../../part/icon.js'
import { Moment } from '../../part/moment.js'
import { Empty, Loaded } from '../../part/state.js'
import { Heading } from '../../shell/frame.js'
import { counted, whole } from '../../show/amount.js'
import { oneLine, printable } from '../../show/text.js'
import { notify, notifyProblem } from '../../state/notice.js'
import { isNarrow } from '../../state/preferences.js'
import { useResources } from '../../state/resource.js'
import { addressOf, route } from '../../state/route.js'
import { conflicts, review } from '../../state/stores.js'
import { Conflicts } from './conflicts.js'

const INBOX_KEYS = 'y accepts, e edits, n rejects, s skips'
const CONFLICT_KEYS = '1 keeps the newer one, 2 the older one, b both, m merges, s skips'

type Decide = (decision: 'accept' | 'reject', text?: string) => void

function factsOf({ why, type, author, source, verdicts, request }: WaitingRecord): string {
  if (request !== undefined) {
    const reason = request.why === undefined ? '' : `, because: ${oneLine(request.why)}`
    return `${oneLine(author ?? 'somebody')} ${oneLine(request.says)}${reason}`
  }
  const by = author === undefined ? '' : ` by ${oneLine(author)}`
  const doubt = why === 'disputed' ? `, wrong for ${counted(verdicts.wrong, 'session')}` : ''
  return `${oneLine(type)}, ${why}${by}${doubt}, from ${oneLine(source) || 'nowhere'}`
}

function Near({ near }: { near: WaitingRecord['near'] }) {
  if (near.length === 0) return <p class="note">There are no similar records.</p>
  return (
    <ul class="near">
      {near.map(({ id, text }) => (
        <li key={id} dir="auto">
          <a href={addressOf('entry', id)}>{oneLine(text)}</a>
        </li>
      ))}
    </ul>
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
        <button type="submit" class="button primary">
          Accept this text
        </button>
        <button type="button" class="button quiet" onClick={onDone}>
          Cancel
        </button>
      </div>
    </form>
  )
}

interface OpenRecordProps {
  record: WaitingRecord
  isBusy: boolean
  decide: Decide
  skip: (() => void) | undefined
}

/** The record to decide about, with similar records beside it. The keys are those of the buttons. */
function OpenRecord({ record, isBusy, decide, skip }: OpenRecordProps) {
  const [isEditing, setEditing] = useState(false)
  return (
    <div class="grid">
      <Card
        title="To decide"
        class="span-4"
        note={
          <>
            {factsOf(record)}, <Moment at={record.createdAt} />
          </>
        }
      >
        {isEditing ? (
          <Rewrite record={record} decide={decide} onDone={() => setEditing(false)} />
        ) : (
          <>
            <p class="review-text" dir="auto">
              {printable(record.text)}
            </p>
            <div class="form-actions">
              <button
                type="button"
                class="button primary"
                data-shortcut="y"
                disabled={isBusy}
                onClick={() => decide('accept')}
              >
                <Icon name="check" /> Accept
              </button>
              {record.request === undefined && (
                <button
                  type="button"
                  class="button quiet"
                  data-shortcut="e"
                  disabled={isBusy}
                  onClick={() => setEditing(true)}
                >
                  <Icon name="edit" /> Edit
                </button>
              )}
              <button
                type="button"
                class="button quiet"
                data-shortcut="n"
                disabled={isBusy}
                onClick={() => decide('reject')}
              >
                <Icon name="close" /> Reject
              </button>
              {skip && (
                <button type="button" class="button quiet" data-shortcut="s" disabled={isBusy} onClick={skip}>
                  Skip
                </button>
              )}
            </div>
          </>
        )}
      </Card>
      <Card title="Similar records" class="span-2">
        <Near near={record.near} />
      </Card>
    </div>
  )
}

function Inbox({ waiting }: { waiting: WaitingRecord[] }) {
  const [at, setAt] = useState(0)
  const [isBusy, setBusy] = useState(false)
  const record = waiting[at % Math.max(1, waiting.length)]
  if (record === undefined)
    return (
      <Empty title="Nothing waits for a review">
        What agents propose or ask for and what sessions find wrong comes here. It is decided with one key.
      </Empty>
    )
  const decide: Decide = (decision, text) => {
    setBusy(true)
    const body = text === undefined || text === record.text ? { decision } : { decision, text }
    ask(`/api/memory/review/${encodeURIComponent(record.id)}`, { method: 'POST', body })
      .then(() => review.refresh())
      .then(
        () => notify(decision === 'accept' ? 'Accepted' : 'Rejected'),
        (cause) => notifyProblem(asProblem(cause)),
      )
      .finally(() => setBusy(false))
  }
  return (
    <>
      <p class="note" role="status">
        {counted(waiting.length, 'record')} to review
      </p>
      <OpenRecord
        key={record.id}
        record={record}
        isBusy={isBusy}
        decide={decide}
        skip={waiting.length > 1 ? () => setAt((at + 1) % waiting.length) : undefined}
      />
    </>
  )
}

function Tabs({ current }: { current: string }) {
  const waiting = review.value.value?.waiting.length
  const contradicting = conflicts.value.value?.conflicts.length
  const tabs = [
    { id: '', label: 'Inbox', count: waiting },
    { id: 'conflicts', label: 'Conflicts', count: contradicting },
  ]
  return (
    <nav class="tabs" aria-label="What to review">
      {tabs.map(({ id, label, count }) => (
        <a key={id} href={addressOf('review', id)} aria-current={id === current ? 'page' : undefined}>
          {label} {count !== undefined && <span class="badge">{whole(count)}</span>}
        </a>
      ))}
    </nav>
  )
}

/** The review inbox: proposed records, disputed records, and contradictions. */
export function ReviewView() {
  useResources(review, conflicts)
  const current = route.value.id === 'conflicts' ? 'conflicts' : ''
  return (
    <>
      <Heading title="Review">
        {current === ''
          ? 'What agents proposed is not recalled until you accept it.'
          : 'Two records that cannot both hold.'}
        {!isNarrow.value && ` Keys: ${current === '' ? INBOX_KEYS : CONFLICT_KEYS}.`}
      </Heading>
      <Tabs current={current} />
      {current === '' ? (
        <Loaded from={review} lines={6}>
          {({ waiting }) => <Inbox waiting={waiting} />}
        </Loaded>
      ) : (
        <Loaded from={conflicts} lines={6}>
          {({ conflicts: found }) => <Conflicts found={found} />}
        </Loaded>
      )}
    </>
  )
}
