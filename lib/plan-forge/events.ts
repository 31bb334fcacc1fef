// The events of a project in one format: hub events, runs, captures, drains and watcher snapshots.
import { readAll } from '../hub/replay.js'
import { EventTail, listDrains, listMemories } from '../native.js'
import { readRecords } from './folder.js'
import { readLocalThoughts } from './local-thoughts.js'
import { isCopy, OLDER_LOG } from './older-log.js'
import { readRunEvents } from './run-log.js'
import { type Fields, fieldsIn, softly, textIn } from './soft.js'

/** The maximum number of entries read from the end of each file. */
const NEWEST = 5000
const RUNS = 10
const LISTED = 1000

export interface TimelineEvent {
  ts: string
  source: string
  event: string
  correlationId: string | null
  payload: Fields
}

/** Sources whose files only Plan Forge's runner writes. Clients may ask for them, but they are not read here. */
export const RUNNER_SOURCES = ['bug', 'plan', 'review', 'tempering', 'forge-master']

/** The readers of all sources, by name. */
export const SOURCES: Record<string, (cwd: string) => TimelineEvent[]> = {
  'hub-event': (cwd) =>
    softly(() => readAll(EventTail.open({ projectDir: cwd, newest: NEWEST })), []).map((event) =>
      eventOf('hub-event', event.type, event.timestamp, event),
    ),
  run: (cwd) =>
    readRunEvents(cwd, RUNS).events.map((event) => eventOf('run', event.type, event.timestamp, fieldsIn(event.data))),
  memory: (cwd) => [...capturesIn(cwd), ...olderThoughtsIn(cwd)],
  openbrain: (cwd) =>
    softly(() => listDrains({ projectDir: cwd }), []).map((pass) =>
      eventOf('openbrain', 'openbrain-flush', pass.at, { ...pass }),
    ),
  watch: (cwd) =>
    readRecords(cwd, '.forge', 'watch-history.jsonl').map((record) =>
      eventOf('watch', 'watch-snapshot', textIn(record.ts), record),
    ),
  incident: (cwd) =>
    readRecords(cwd, '.forge', 'incidents.jsonl').map((record) =>
      eventOf('incident', 'incident', textIn(record.timestamp) ?? textIn(record.capturedAt), record),
    ),
}

function eventOf(source: string, event: string, ts: string | undefined, payload: Fields): TimelineEvent {
  const correlationId = textIn(payload._correlationId) ?? textIn(payload.correlationId) ?? null
  return { ts: ts ?? '', source, event, correlationId, payload }
}

function capturesIn(cwd: string): TimelineEvent[] {
  const { entries } = softly(() => listMemories({ projectDir: cwd, limit: LISTED, scope: 'project' }), {
    entries: [],
    total: 0,
  })
  return entries.map(({ id, type, text, source, tags, createdAt }) =>
    eventOf('memory', 'memory-captured', createdAt, { id, type, content: text, source, tags }),
  )
}

function olderThoughtsIn(cwd: string): TimelineEvent[] {
  const own = readLocalThoughts(cwd, { sources: [OLDER_LOG] }).filter((thought) => !isCopy(thought))
  return own.map((thought) =>
    eventOf('memory', 'memory-captured', textIn(thought.captured_at) ?? textIn(thought.capturedAt), thought),
  )
}
