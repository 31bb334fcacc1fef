import type { CaptureEvent, HubEvent } from '../../connection/shapes.js'
import { Card } from '../../part/card.js'
import { Icon } from '../../part/icon.js'
import { Kind } from '../../part/kind.js'
import { Rows } from '../../part/rows.js'
import { Empty } from '../../part/state.js'
import { counted, duration, whole } from '../../show/amount.js'
import { full, timeOrDay } from '../../show/moment.js'
import { oneLine, shortId } from '../../show/text.js'
import { feed, isPaused, pause, pendingCount } from '../../state/feed.js'
import { addressOf } from '../../state/route.js'

const ROW_HEIGHT = 52

function isCapture(event: HubEvent): event is CaptureEvent {
  return (event.type === 'memory-captured' || event.type === 'memory-edited') && typeof event.thought === 'object'
}

const DONE: Record<string, string> = {
  'memory-forgotten': 'Forgotten',
  'memory-proposed': 'Proposed, and waits for a review',
  'memory-accepted': 'Accepted',
  'memory-rejected': 'Rejected',
  'memory-wrong': 'Found wrong by a session',
  'memory-contradicted': 'Contradicts another record',
  'memory-retired': 'Retired by a newer record',
  'memory-kept': 'Current again',
  'memory-held': 'Retired by no record: a person decides',
  'memory-useful': 'Found useful by a session',
}

function textOf(event: HubEvent): string {
  const done = DONE[event.type]
  if (done !== undefined) return `${done}: ${shortId(String(event.id ?? ''))}`
  if (event.type === 'openbrain-flush') {
    const [delivered, deferred, dead] = ['delivered', 'deferred', 'dlq'].map((name) => Number(event[name] ?? 0))
    const took = duration(Number(event.durationMs ?? 0))
    return `Drained: ${whole(delivered ?? 0)} delivered, ${whole(deferred ?? 0)} deferred, ${whole(dead ?? 0)} failed, in ${took}`
  }
  if (event.type === 'events-lost') return 'Some events were rotated away before they could be shown'
  const { type, version, timestamp, seq, ...rest } = event
  return Object.keys(rest).length === 0 ? type : JSON.stringify(rest)
}

function verdict(event: CaptureEvent): string {
  if (event.type === 'memory-edited') return 'edited'
  return event.deduped ? 'already known' : ''
}

function FeedRow({ event, isCurrent }: { event: HubEvent; isCurrent: boolean }) {
  const when = (
    <time dateTime={event.timestamp} title={full(event.timestamp)}>
      {timeOrDay(event.timestamp)}
    </time>
  )
  if (!isCapture(event))
    return (
      <div class="event is-system">
        {DONE[event.type] && typeof event.id === 'string' ? (
          <a class="event-text" href={addressOf('entry', event.id)} tabIndex={isCurrent ? 0 : -1}>
            {oneLine(textOf(event))}
          </a>
        ) : (
          <span class="event-text">{oneLine(textOf(event))}</span>
        )}
        <span class="event-facts">
          {DONE[event.type] === undefined && <span class="chip">{oneLine(event.type)}</span>}
          {when}
        </span>
      </div>
    )
  const note = verdict(event)
  return (
    <a class="event" href={addressOf('entry', event.thought.id)} tabIndex={isCurrent ? 0 : -1}>
      <span class="event-text" dir="auto">
        {oneLine(event.thought.content)}
      </span>
      <span class="event-facts">
        <Kind type={event.thought.type} />
        <span class="hit-source">{oneLine(event.thought.source)}</span>
        {note && <span class="chip">{note}</span>}
        {when}
      </span>
    </a>
  )
}

/** The live feed of the hub's events. */
export function Feed() {
  const events = feed.value
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
        <button type="button" class="button small" onClick={() => pause(!isPaused.peek())}>
          <Icon name={isPaused.value ? 'play' : 'pause'} />
          {action}
        </button>
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
          keyOf={(event) => event.seq}
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
