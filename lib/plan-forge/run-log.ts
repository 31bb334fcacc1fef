// Parses run logs, `.forge/runs/*/events.log`: one `[time] type: JSON` per line.
import type { HubEvent } from '../hub/event.js'
import { parsedJson } from '../shared/json.js'
import { entriesOf, readText } from './folder.js'

const LINE = /^\[([^\]]+)\] (\S+?): (.+)$/

/** Reads the logs of the newest runs, oldest run first, skipping lines that are not events. */
export function readRunEvents(cwd: string, runCount: number): { runs: number; events: HubEvent[] } {
  const names = entriesOf(cwd, '.forge', 'runs').flatMap((entry) => (entry.isDirectory() ? [entry.name] : []))
  const newest = runCount > 0 ? names.slice(-runCount) : []
  const events = newest.flatMap((name) => eventsOf(readText(cwd, '.forge', 'runs', name, 'events.log') ?? ''))
  return { runs: newest.length, events }
}

/** Parses the events of a log. */
export function eventsOf(log: string): HubEvent[] {
  return log.split('\n').flatMap((line) => {
    const [, timestamp, type, json] = LINE.exec(line.trimEnd()) ?? []
    const data = parsedJson(json ?? '')
    if (timestamp === undefined || type === undefined || data === undefined) return []
    return [{ version: '1.0', type, data, timestamp, source: 'rehydrate' }]
  })
}
