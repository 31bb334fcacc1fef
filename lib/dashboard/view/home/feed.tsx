import type { ComponentChildren } from 'preact'
import { useMemo } from 'preact/hooks'
import type { CaptureEvent, HubEvent } from '../../connection/shapes.js'
import { Button } from '../../part/controls.js'
import { Kind } from '../../part/marks.js'
import { Card, Empty } from '../../part/panels.js'
import { Rows } from '../../part/rows.js'
import { full, timeOrDay } from '../../show/moment.js'
import { lineOf } from '../../show/plain.js'
import { counted, oneLine, whole } from '../../show/text.js'
import { feed, isPaused, pause, pendingCount } from '../../state/feed.js'
import { addressOf } from '../../state/route.js'
import { Named } from '../hit.js'

const ROW_HEIGHT = 52

/** What is no news of the memory: deliveries come every few seconds, and an edit is no lesson. */
const QUIET = ['openbrain-flush', 'dlq-changed', 'memory-edited']

function isCapture(event: HubEvent): event is CaptureEvent {
  return event.type === 'memory-captured' && typeof event.thought === 'object'
}

const DONE: Record<string, string> = {
  'memory-forgotten': 'Forgotten',
  'memory-proposed': 'Waits for a review',
  'memory-accepted': 'Accepted',
  'memory-rejected': 'Rejected',
  'memory-wrong': 'Found wrong by a session',
  'memory-contradicted': 'Contradicts another memory',
  'memory-retired': 'Retired by a newer memory',
  'memory-kept': 'Current again',
  'memory-held': 'Retired by no memory: a person decides',
  'memory-useful': 'Found useful by a session',
  'memory-withdrawn': 'Useful, taken back by its session',
  'memory-requested': 'An agent asks for a change',
}

/** Other events, in words. */
const HAPPENED: Record<string, string> = {
  'events-lost': 'Some events were rotated away before they could be shown',
  'lattice-indexed': 'The code graph was updated',
  'watcher-captured': 'A rule of the watcher captured a change',
  'memory-arrived': 'Another machine stored something in the shared memory',
  'memory-gone': 'Another machine forgot something in the shared memory',
  'memory-preload': 'A plan got its context',
  'run-started': 'A run started',
  'client-dropped': 'A client that read too slowly was disconnected',
}

/** The content of a row: its text, its facts, and the memory that it leads to. */
function contentOf(event: HubEvent): { id?: string; text: ComponentChildren; facts: ComponentChildren } {
  const done = DONE[event.type]
  if (isCapture(event)) {
    const { id, content, type, source } = event.thought
    const facts = (
      <>
        <Kind type={type} />
        <span class="hit-source">{oneLine(source)}</span>
        {event.deduped && <span class="chip">already known</span>}
      </>
    )
    return { id, text: lineOf(content), facts }
  }
  const chip = (text: string) => <span class="chip">{text}</span>
  if (done !== undefined && typeof event.id === 'string')
    return { id: event.id, text: <Named id={event.id} />, facts: chip(done) }
  return { text: HAPPENED[event.type] ?? done ?? oneLine(event.type), facts: chip(oneLine(event.type)) }
}

function FeedRow({ event, isCurrent }: { event: HubEvent; isCurrent: boolean }) {
  const { timestamp } = event
  const { id, text, facts } = contentOf(event)
  const inner = (
    <>
      <span class={isCapture(event) ? 'event-text' : 'event-text faint'} dir={id === undefined ? undefined : 'auto'}>
        {text}
      </span>
      <span class="hit-line event-facts note">
        {facts}
        <time dateTime={timestamp} title={full(timestamp)}>
          {timeOrDay(timestamp)}
        </time>
      </span>
    </>
  )
  if (id === undefined) return <div class="event">{inner}</div>
  return (
    <a class="event" href={addressOf('entry', id)} tabIndex={isCurrent ? 0 : -1}>
      {inner}
    </a>
  )
}

export function Feed() {
  const all = feed.value
  const events = useMemo(() => all.filter(({ type }) => !QUIET.includes(type)), [all])
  const action = isPaused.value
    ? pendingCount.value > 0
      ? `Show ${whole(pendingCount.value)} more`
      : 'Continue'
    : 'Pause'
  return (
    <Card
      title="Live feed"
      class="span-3 feed"
      note={events.length === 0 ? undefined : counted(events.length, 'event')}
      actions={
        <Button look="small" icon={isPaused.value ? 'play' : 'pause'} onClick={() => pause(!isPaused.peek())}>
          {action}
        </Button>
      }
    >
      {events.length === 0 ? (
        <Empty title="Nothing has happened yet">
          What any process captures in this project appears here the moment it does.
        </Empty>
      ) : (
        <Rows
          count={events.length}
          itemAt={(at) => events[at]}
          keyOf={({ seq }) => seq}
          height={ROW_HEIGHT}
          label="Live feed"
          role="log"
        >
          {(event, isCurrent) => <FeedRow event={event} isCurrent={isCurrent} />}
        </Rows>
      )}
    </Card>
  )
}
