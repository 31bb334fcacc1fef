import { useEffect, useMemo, useState } from 'preact/hooks'
import { ask } from '../../connection/http.js'
import type { Entry } from '../../connection/shapes.js'
import { Confirm } from '../../part/dialog.js'
import { Icon } from '../../part/icon.js'
import { Markdown } from '../../part/markdown.js'
import { Loaded } from '../../part/state.js'
import { Heading } from '../../shell/frame.js'
import { oneLine, shortId } from '../../show/text.js'
import { useEntry } from '../../state/entry.js'
import { place } from '../../state/place.js'
import { doToAll, forgetting, keepRecord } from '../../state/records.js'
import { createResource, useResources } from '../../state/resource.js'
import { addressOf, go, restate, route } from '../../state/route.js'
import { RecordHead } from '../record-head.js'
import { EditForm } from './edit.js'
import { Facts, Line, Provenance } from './facts.js'
import { History } from './history.js'

const STATES: Record<string, string> = {
  superseded: 'A newer revision took its place; recall shows that one.',
  retired: 'Another memory took its place; “Keep it” makes this one current again.',
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
    const refused = await doToAll([entry.id], forgetting)
    setBusy(false)
    setAsking(false)
    if (refused.length === 0) go(place.address || addressOf('memories'))
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

/** What took the place of a retired memory, with its text, and the way back. */
function Retired({ found, onChanged }: { found: Entry; onChanged: () => void }) {
  const { retired, entry } = found
  const by = useEntry(retired?.id || undefined)
  const keep = async (): Promise<void> => {
    const id = await keepRecord(entry.id)
    if (id === entry.id) onChanged()
    else if (id !== undefined) go(addressOf('entry', id))
  }
  return (
    <div class="verdict is-warning">
      {retired?.why && <p>{oneLine(retired.why)}</p>}
      {by.found && (
        <blockquote dir="auto">
          <a href={addressOf('entry', by.found.entry.id)}>{oneLine(by.found.entry.text).slice(0, 300)}</a>
        </blockquote>
      )}
      <button type="button" class="button small" onClick={() => void keep()}>
        Keep it
      </button>
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
    if (id === entry.id) onChanged()
    else go(addressOf('entry', id))
  }
  return (
    <>
      <article class={`entry is-${state}`} data-record={entry.id} data-text={entry.text}>
        <RecordHead found={found} />
        {STATES[state] && <p class="note">{STATES[state]}</p>}
        {state === 'retired' && <Retired found={found} onChanged={onChanged} />}
        {isEditing ? <EditForm entry={entry} onDone={onDone} /> : <Markdown class="entry-text" text={entry.text} />}
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
      <a class="back" href={place.address || addressOf('memories')} data-shortcut="Escape">
        <Icon name="back" />
        Memories
      </a>
      <Heading title={`Memory ${shortId(id)}`} />
      <Loaded from={resource} lines={6}>
        {(found) => <EntryPage found={found} onChanged={() => void resource.refresh()} />}
      </Loaded>
    </>
  )
}
