import { z } from 'zod'
import { EventTail, type TailBatch, type TailOptions } from '../../native.js'
import { given } from '../../shared/given.js'
import { asLine } from '../../shared/line.js'
import { declared } from '../answer/declared.js'
import { budgetField, frameWithin } from '../answer/notes.js'
import { defineTool } from '../answer/tool.js'

/** The maximum time that a call may wait for events, in milliseconds: clients cancel a call after a minute. */
const WAIT_MAX_MS = 30_000
const POLL_MS = 200
const NEWEST = 20
const LINE_CHARS = 300

interface Seen {
  seq: number
  type: string
  timestamp: string
  summary: string
}

interface Reading {
  seen: Seen[]
  lost: TailBatch['lost']
}

const tailed = declared<TailOptions>('TailOptions')

export const forgeWatchTool = defineTool({
  name: 'forge_watch',
  title: 'Watch the live events',
  description: `Read the events of this project as they happen: captures of any process, edits, drains, plan runs.
USE FOR: what other agents and tools have just done; waiting for something to happen (waitMs).
DO NOT USE FOR: searching memories (memory_recall). Continue with the cursor of the last answer: no event is returned twice.`,
  input: z.strictObject({
    since: tailed.field('since').optional().describe('The cursor of the last answer; the newest events when absent.'),
    types: tailed.field('handles').optional(),
    waitMs: z
      .number()
      .int()
      .min(0)
      .max(WAIT_MAX_MS)
      .optional()
      .describe('How long to wait for the first one (default: 0).'),
    budget: budgetField,
  }),
  output: () =>
    z.object({
      events: z.array(z.object({ seq: z.number(), type: z.string(), timestamp: z.string(), summary: z.string() })),
      cursor: z.number(),
      shown: z.number(),
      lost: z
        .object({ afterSeq: z.number(), beforeSeq: z.number() })
        .optional()
        .describe('Events between these numbers were removed before they were read.'),
    }),
  annotations: { readOnlyHint: true, idempotentHint: false, openWorldHint: false },
  async run({ since, types, waitMs = 0, budget }, { projectDir, signal }) {
    const from = since === undefined ? { newest: NEWEST } : { since }
    const tail = EventTail.open({ ...from, ...given({ projectDir, handles: types }) })
    const { seen, lost } = await readEvents(tail, Date.now() + waitMs, signal)
    const { text, shown } = frameWithin(
      seen.map(({ timestamp, type, summary }) => `${timestamp} ${type} ${summary}`),
      budget,
    )
    const events = seen.slice(0, shown)
    // Events that did not fit are returned by the next call.
    const cursor = shown < seen.length ? (events.at(-1)?.seq ?? since ?? 0) : tail.seq
    const gap = lost
      ? [`Events between ${lost.afterSeq} and ${lost.beforeSeq} were removed before they were read.`]
      : []
    const body = [...gap, seen.length === 0 ? 'No events.' : text].join('\n')
    return { text: body, structured: { events, cursor, shown, ...given({ lost }) } }
  },
})

async function readEvents(tail: EventTail, until: number, signal: AbortSignal): Promise<Reading> {
  for (;;) {
    const seen: Seen[] = []
    let lost: TailBatch['lost']
    for (let done = false; !done; ) {
      const batch = tail.read()
      seen.push(...batch.events.map((event) => summarise(event)))
      lost ??= batch.lost
      done = batch.done
    }
    if (seen.length > 0 || Date.now() >= until || signal.aborted) return { seen, lost }
    await new Promise((resolve) => setTimeout(resolve, POLL_MS))
  }
}

function summarise({ seq, line }: { seq?: number; line: string }): Seen {
  const event = JSON.parse(line) as Record<string, unknown>
  const { type, timestamp, thought } = event
  const content = (thought as { content?: unknown } | undefined)?.content
  const { version, seq: _seq, type: _type, timestamp: _timestamp, ...rest } = event
  const text = typeof content === 'string' ? content : JSON.stringify(rest)
  return {
    seq: seq ?? 0,
    type: String(type),
    timestamp: String(timestamp),
    summary: [...asLine(text)].slice(0, LINE_CHARS).join(''),
  }
}
