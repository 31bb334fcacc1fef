import { useEffect, useMemo, useState } from 'preact/hooks'
import { ask } from '../../connection/http.js'
import { asProblem } from '../../connection/problem.js'
import type { Entry } from '../../connection/shapes.js'
import { Confirm } from '../../part/dialog.js'
import { Icon } from '../../part/icon.js'
import { Loaded } from '../../part/state.js'
import { Heading } from '../../shell/frame.js'
import { oneLine, printable, shortId } from '../../show/text.js'
import { notify, notifyProblem } from '../../state/notice.js'
import { place } from '../../state/place.js'
import { createResource, useResources } from '../../state/resource.js'
import { addressOf, go, restate, route } from '../../state/route.js'
import { RecordHead } from '../record-head.js'
import { EditForm } from './edit.js'
import { Facts, Line, Provenance } from './facts.js'
import { History } from './history.js'

const STATES: Record<string, string> = {
  superseded: 'A newer revision took its place; recall shows that one.',
  retired: 'Another record replaced it; forge-memory keep makes it current again.',
  forgotten: 'It was forgotten: no search shows it any more.',
  expired: 'It has expired: it is shown only when expired memories are included.',
}

interface ActionsProps {
  entry: Entry['entry']
  onEdit: () => void
}

function Actions({ entry, onEdit }: ActionsProps) {
  const [isAsking, setAsking] = useState(false)
  const [isBusy, setBusy] = useState(false)
  const forget = async (): Promise<void> => {
    setBusy(true)
    try {
      await ask(`/api/memory/entry/${encodeURIComponent(entry.id)}`, { method: 'DELETE' })
      notify('Forgotten. No search shows it any more.')
      go(place.address || addressOf('records'))
    } catch (cause) {
      notifyProblem(asProblem(cause))
    }
    setBusy(false)
    setAsking(false)
  }
  return (
    <div class="entry-actions">
      <button type="button" class="button" data-shortcut="e" onClick={onEdit}>
        <Icon name="edit" />
        Edit
      </button>
      <button type="button" class="button" onClick={() => setAsking(true)}>
        <Icon name="trash" />
        Forget
      </button>
      {isAsking && (
        <Confirm
          title="Forget this memory?"
          action="Forget"
          isBusy={isBusy}
          onConfirm={() => void forget()}
          onClose={() => setAsking(false)}
        >
          <blockquote dir="auto">{oneLine(entry.text).slice(0, 300)}</blockquote>
          <p>
            It disappears from every search, and from the shared store after the next drain. Its line stays in the file
            with a tombstone beside it.
          </p>
        </Confirm>
      )}
    </div>
  )
}

function EntryPage({ found, onChanged }: { found: Entry; onChanged: () => void }) {
  const { entry, state } = found
  const isAsked = route.value.query.get('edit') === 'yes'
  const [isEditing, setEditing] = useState(isAsked)
  useEffect(() => {
    if (isAsked) setEditing(true)
  }, [isAsked])
  const onDone = (id: string | undefined): void => {
    setEditing(false)
    if (route.value.query.has('edit')) restate(addressOf('entry', entry.id))
    if (id === undefined) return
    notify('Saved as a new revision.')
    if (id === entry.id) onChanged()
    else go(addressOf('entry', id))
  }
  return (
    <>
      <article class={`entry is-${state}`} data-record={entry.id}>
        <RecordHead found={found} />
        {STATES[state] && <p class="note">{STATES[state]}</p>}
        {isEditing ? (
          <EditForm entry={entry} onDone={onDone} />
        ) : (
          <p class="entry-text" dir="auto">
            {printable(entry.text)}
          </p>
        )}
        {!isEditing && state !== 'forgotten' && state !== 'superseded' && (
          <Actions entry={entry} onEdit={() => setEditing(true)} />
        )}
      </article>
      <div class="grid">
        <Facts found={found} />
        <Provenance found={found} />
        <History revisions={found.revisions} shownId={entry.id} />
      </div>
      <Line record={found.record} />
    </>
  )
}

/** The page of one record. */
export function EntryView() {
  const { id } = route.value
  const resource = useMemo(
    () =>
      createResource(() =>
        ask<Entry>(`/api/memory/entry/${encodeURIComponent(id)}`, { query: { includeProposed: true } }),
      ),
    [id],
  )
  useResources(resource)
  return (
    <>
      <a class="back" href={place.address || addressOf('records')} data-shortcut="Escape">
        <Icon name="back" />
        Records
      </a>
      <Heading title={`Memory ${shortId(id)}`} />
      <Loaded from={resource} lines={6}>
        {(found) => <EntryPage found={found} onChanged={() => void resource.refresh()} />}
      </Loaded>
    </>
  )
}
