import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { voiceOf } from '../../../text/voice.js'
import { ask } from '../../connection/http.js'
import type { Entry, InjectedNotes } from '../../connection/shapes.js'
import { Button } from '../../part/controls.js'
import { Confirm } from '../../part/dialog.js'
import { Markdown } from '../../part/markdown.js'
import { Card, Loaded } from '../../part/panels.js'
import { Back, Heading } from '../../shell/frame.js'
import { titleOf } from '../../show/plain.js'
import { oneLine, shortId } from '../../show/text.js'
import { fetchEntry, noteOpened, useEntry } from '../../state/entry.js'
import { useWork } from '../../state/notice.js'
import { pins, togglePin } from '../../state/preferences.js'
import { doToAll, forgetting, keepRecord, rateRecord, VERDICTS } from '../../state/records.js'
import { createResource, useAnswer, useResources } from '../../state/resource.js'
import { addressOf, go, place, restate, route } from '../../state/route.js'
import { touchSearches, useChange } from '../../state/search.js'
import { conflicts } from '../../state/stores.js'
import { Conflicts } from '../conflicts.js'
import { RecordHead } from '../hit.js'
import { EditForm } from './edit.js'
import { Details, History, Line, Provenance } from './facts.js'

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
  const [isBusy, start] = useWork()
  const isPinned = pins.value.includes(entry.id)
  const forget = async (): Promise<void> => {
    const refused = await doToAll([entry.id], forgetting, entry.text)
    setAsking(false)
    if (refused.length === 0) go(place.address || addressOf('memories'))
  }
  return (
    <div class="form-actions">
      <Button icon="edit" shortcut="e" onClick={onEdit}>
        Edit
      </Button>
      <Button icon="pin" shortcut="p" isPressed={isPinned} onClick={() => togglePin(entry.id)}>
        {isPinned ? 'Unpin' : 'Pin'}
      </Button>
      <Button icon="trash" onClick={() => setAsking(true)}>
        Forget
      </Button>
      {VERDICTS.map(({ verdict, label }) => (
        <Button
          key={verdict}
          look="quiet"
          disabled={isBusy}
          onClick={() => start(() => rateRecord(entry.id, verdict).then(touchSearches))}
        >
          {label}
        </Button>
      ))}
      {isAsking && (
        <Confirm
          title="Forget this memory?"
          action="Forget"
          isBusy={isBusy}
          onConfirm={() => start(forget)}
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

/** The memory that took the place of a retired one, with its text, and the way back. */
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
      {retired?.why && (
        <p>
          {oneLine(retired.why)} <span class="note">({oneLine(voiceOf(retired))})</span>
        </p>
      )}
      {by.found && (
        <blockquote dir="auto">
          <a href={addressOf('entry', by.found.entry.id)}>{oneLine(by.found.entry.text).slice(0, 300)}</a>
        </blockquote>
      )}
      <Button look="small" onClick={keep}>
        Keep it
      </Button>
    </div>
  )
}

/** The contradictions of a memory, with both texts and the decision. */
function Contradictions({ id }: { id: string }) {
  useResources(conflicts)
  const all = conflicts.value.value?.conflicts ?? []
  const found = all.filter(({ newer, older }) => newer.id === id || older.id === id)
  if (found.length === 0) return null
  return (
    <Card title="Contradicted" class="contradicted">
      <Conflicts found={found} />
    </Card>
  )
}

/** The notes with which agents were given a memory, in any of its revisions. */
function useGiven({ revisions }: Entry): InjectedNotes | undefined {
  const ids = revisions.map(({ id }) => id)
  const load = (signal: AbortSignal) => ask<InjectedNotes>('/api/memory/notes', { query: { id: ids }, signal })
  return useAnswer(ids.join(' '), load, 0).found
}

function EntryPage({ found, onChanged }: { found: Entry; onChanged: () => void }) {
  const { entry, state } = found
  const isAsked = route.value.query.get('edit') === 'yes'
  const [isEditing, setEditing] = useState(isAsked)
  const given = useGiven(found)
  const change = useChange()
  useEffect(() => noteOpened(entry), [entry.id])
  const shownAt = useRef(change)
  useEffect(() => {
    if (isAsked) setEditing(true)
  }, [isAsked])
  useEffect(() => {
    if (shownAt.current !== undefined && shownAt.current !== change) onChanged()
    shownAt.current = change
  }, [change])
  const onDone = (id: string | undefined): void => {
    setEditing(false)
    if (route.value.query.has('edit')) restate(addressOf('entry', entry.id))
    if (id === undefined) return
    if (id === entry.id) onChanged()
    else go(addressOf('entry', id))
  }
  // The headline is the title of the page: it is not said twice.
  const isTold = entry.text.trim() === titleOf(entry.text)
  return (
    <>
      <article class={`card entry is-${state}`} data-record={entry.id} data-text={entry.text}>
        <RecordHead found={found} />
        {STATES[state] && <p class="note">{STATES[state]}</p>}
        {state === 'retired' && <Retired found={found} onChanged={onChanged} />}
        {isEditing && <EditForm entry={entry} onDone={onDone} />}
        {!isEditing && !isTold && <Markdown class="entry-text" text={entry.text} />}
        {!isEditing && state !== 'forgotten' && state !== 'superseded' && (
          <Actions entry={entry} onEdit={() => setEditing(true)} />
        )}
      </article>
      <Contradictions id={entry.id} />
      <div class="grid">
        <Details found={found} given={given} />
        <Provenance hallmark={found.hallmark} />
        <History revisions={found.revisions} given={given} shownId={entry.id} />
      </div>
      <Line record={found.record} />
    </>
  )
}

export function EntryView() {
  const { id } = route.value
  const resource = useMemo(() => createResource(() => fetchEntry(id)), [id])
  useResources(resource)
  const known = resource.value.value
  return (
    <>
      <Back address={place.address || addressOf('memories')} />
      <Heading title={known ? titleOf(known.entry.text) : `Memory ${shortId(id)}`} />
      <Loaded from={resource} lines={6}>
        {(found) => <EntryPage found={found} onChanged={() => void resource.refresh()} />}
      </Loaded>
    </>
  )
}
