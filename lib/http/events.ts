import { EventTail, type TailBatch } from '../native.js'
import { given } from '../shared/given.js'
import type { Query } from './query.js'
import { get, type Route } from './router.js'

const LIMIT = 500
const LIMIT_MAX = 10_000

/** Returns the route that reads stored events page by page. */
export function eventRoutes(projectDir: string): Route[] {
  return [get('/api/memory/events', (query) => answerEvents(query, projectDir))]
}

function answerEvents(query: Query, projectDir: string): object {
  const since = query.only('since', 'limit', 'type').number('since')
  const limit = Math.max(1, Math.min(query.number('limit') ?? LIMIT, LIMIT_MAX))
  const handles = query.texts('type')
  const start = since === undefined ? { newest: limit } : { since }
  const tail = EventTail.open({ projectDir, ...start, ...given({ handles }) })
  const events: { seq: number; line: string }[] = []
  let lost: TailBatch['lost']
  for (let done = false; !done && events.length <= limit; ) {
    const batch = tail.read({ bytes: 1 << 18, ...given({ handles }) })
    events.push(...batch.events)
    lost ??= batch.lost
    done = batch.done
  }
  const page = events.slice(0, limit)
  const more = events.length > page.length
  // On the last page the cursor is the position of the tail, from which the live stream continues.
  const cursor = more ? page.at(-1)?.seq : tail.seq
  return { events: page.map(({ line }) => JSON.parse(line)), cursor: cursor ?? 0, more, ...given({ lost }) }
}
