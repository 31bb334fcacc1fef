// What has happened in a project, in one form: events of the hub, of runs, captures, drains and looks of a watcher.
import type { HubEvent } from '../hub/event.js'
import { EventTail, listDrains, listMemories } from '../native.js'
import { readRecords } from './folder.js'
import { readLocalThoughts } from './local-thoughts.js'
import { readRunEvents } from './run-log.js'
import { type Fields, fieldsIn, softly, textIn } from './soft.js'

/** How far back the files are read. */
const NEWEST = 5000
const RUNS = 10
const LISTED = 1000

export interface Happening {
  ts: string
  source: string
  event: string
  correlationId: string | null
  payload: Fields
}

/** Every source, by name. */
export const SOURCES: Record<string, (cwd: string) => Happening[]> = {
  'hub-event': (cwd) => hubEvents(cwd).map((event) => happeningOf('hub-event', event.type, event.timestamp, event)),
  run: (cwd) =>
    readRunEvents(cwd, RUNS).events.map((event) =>
      happeningOf('run', event.type, event.timestamp, fieldsIn(event.data)),
    ),
  memory: (cwd) => [...capturesIn(cwd), ...olderThoughtsIn(cwd)],
  openbrain: (cwd) =>
    softly(
      () => listDrains({ projectDir: cwd }),
      () => [],
    ).map((pass) => happeningOf('openbrain', 'openbrain-flush', pass.at, { ...pass })),
  watch: (cwd) =>
    readRecords(cwd, '.forge', 'watch-history.jsonl').map((record) =>
      happeningOf('watch', 'watch-snapshot', textIn(record.ts), record),
    ),
  incident: (cwd) =>
    readRecords(cwd, '.forge', 'incidents.jsonl').map((record) =>
      happeningOf('incident', 'incident', textIn(record.timestamp) ?? textIn(record.capturedAt), record),
    ),
}

function happeningOf(source: string, event: string, ts: string | undefined, payload: Fields): Happening {
  const correlationId = textIn(payload._correlationId) ?? textIn(payload.correlationId) ?? null
  return { ts: ts ?? '', source, event, correlationId, payload }
}

/** Reads the newest events of the hub's file. */
export function hubEvents(cwd: string, newest = NEWEST): HubEvent[] {
  return softly(
    () => readAll(EventTail.open({ projectDir: cwd, newest })),
    () => [],
  )
}

/** Reads a tail to its end. */
export function readAll(tail: EventTail): HubEvent[] {
  const found: HubEvent[] = []
  for (let done = false; !done; ) {
    const batch = tail.read({ bytes: 1 << 20 })
    found.push(...batch.events.map(({ line }) => JSON.parse(line) as HubEvent))
    done = batch.done
  }
  return found
}

function capturesIn(cwd: string): Happening[] {
  const { entries } = softly(
    () => listMemories({ projectDir: cwd, limit: LISTED, scope: 'project' }),
    () => ({ entries: [], total: 0 }),
  )
  return entries.map(({ id, type, text, source, tags, createdAt }) =>
    happeningOf('memory', 'memory-captured', createdAt, { id, type, content: text, source, tags }),
  )
}

function olderThoughtsIn(cwd: string): Happening[] {
  return readLocalThoughts(cwd, { sources: ['liveguard-memories.jsonl'] }).map((thought) =>
    happeningOf('memory', 'memory-captured', textIn(thought.captured_at) ?? textIn(thought.capturedAt), thought),
  )
}
