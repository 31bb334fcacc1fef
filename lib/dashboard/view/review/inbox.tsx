import { useState } from 'preact/hooks'
import { change } from '../../connection/http.js'
import type { WaitingMemory } from '../../connection/shapes.js'
import { Choosable, ChooseAll, type Chosen, Toolbar, useChosen, useCurrent, usePaged } from '../../part/chosen.js'
import { Button, Shortcut } from '../../part/controls.js'
import { TextForm } from '../../part/fields.js'
import { Markdown } from '../../part/markdown.js'
import { Empty } from '../../part/panels.js'
import { counted, whole } from '../../show/amount.js'
import { lineOf } from '../../show/plain.js'
import { oneLine } from '../../show/text.js'
import { notify, undoOf, useWork } from '../../state/notice.js'
import { accepting, doToAll, progress, rejecting } from '../../state/records.js'
import { addressOf } from '../../state/route.js'
import { review } from '../../state/stores.js'

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

/** What an acceptance retires. */
function Retired({ retires = [] }: Pick<WaitingMemory, 'retires'>) {
  if (retires.length === 0) return null
  return (
    <div class="near">
      <p class="note">Accepting it retires:</p>
      <ul>
        {retires.map(({ id, text, ofPerson }) => (
          <li key={id} dir="auto">
            <a href={addressOf('entry', id)}>{lineOf(text).slice(0, 300)}</a>
            {ofPerson && <span class="note"> (a person said this)</span>}
          </li>
        ))}
      </ul>
    </div>
  )
}

interface WaitingProps {
  record: WaitingMemory
  isAt: boolean
  isBusy: boolean
  chosen: Chosen
  decide: Decide
  onFocus: () => void
}

/** A memory that waits, with the actions on it. The keys are those of the current one. */
function Waiting({ record, isAt, isBusy, chosen, decide, onFocus }: WaitingProps) {
  const { id, text, type, createdAt, near, request, retires } = record
  const [isEditing, setEditing] = useState(false)
  const [isAsked, setAsked] = useState(false)
  const ofPersons = retires?.filter((one) => one.ofPerson).length ?? 0
  /** What a person said is retired only by who was asked twice. */
  const accept = (changed?: string) => {
    if (ofPersons > 0 && !isAsked) return setAsked(true)
    decide('accept', {
      ...(changed !== undefined && { text: changed }),
      ...(ofPersons > 0 && { retiresPersons: true }),
    })
  }
  const common = { disabled: isBusy, isKeyOn: isAt }
  return (
    <Choosable
      id={id}
      text={text}
      type={type}
      at={createdAt}
      facts={[factsOf(record)]}
      chosen={chosen}
      isAt={isAt}
      onFocus={onFocus}
    >
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
        <>
          <Markdown class="review-text" text={text} />
          <Retired retires={retires ?? []} />
          <Near near={near} />
          <div class="form-actions">
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
        </>
      )}
    </Choosable>
  )
}

/** The inbox: one list, in which several are decided at once. */
export function Inbox({ waiting }: { waiting: WaitingMemory[] }) {
  const [isBusy, start] = useWork()
  const [shown, more] = usePaged(waiting, PAGE)
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
            onFocus={() => setAt(place)}
          />
        ))}
      </ul>
      {more}
      <Shortcut name="s" does={() => move(1)} />
    </>
  )
}
