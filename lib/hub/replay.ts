// Catch-up subscription: a client is sent the stored events from its cursor on until it reaches the live stream.
import { EventTail } from '../native.js'
import { problem } from '../shared/problem.js'
import type { Client } from './client.js'
import type { HubEvent } from './event.js'
import { encodeFrame, joinFrames } from './frames.js'

const READ_BYTES = 1 << 17
/** The maximum number of replayed bytes that wait for the client. */
const AHEAD_BYTES = 1 << 18
/** How many times in a row the live stream may be at another position at the end of a replay. */
const MISSES_MAX = 1000

/** Where a client resumes. */
export interface ReplayStart {
  since: number | undefined
  history: number
}

interface Source {
  projectDir: string
  /** The position of the live stream, at which the replay ends. */
  until(): string | null
  /** Advances the live stream to the current end of the file. */
  pump(): void
}

/** Replays the events that a client missed, with backpressure: the file is read at the client's pace. */
export class Replay {
  private readonly source: Source
  private readonly client: Client
  private readonly tail: EventTail | undefined

  constructor(source: Source, client: Client, start: ReplayStart) {
    this.source = source
    this.client = client
    this.tail = openTail(source, client.handles, start, true)
  }

  /** Counts the events to replay. */
  static count(source: Source, handles: string[] | null, start: ReplayStart): number {
    const tail = openTail(source, handles, start, false)
    let count = 0
    for (let done = tail === undefined; tail && !done; ) {
      const batch = tail.read(readOptions(source, handles, 1 << 20))
      count += batch.events.length
      done = batch.done
    }
    return count
  }

  /** Sends all events up to the position of the live stream, and calls `join` when it is reached. */
  async run(join: () => void): Promise<void> {
    try {
      await this.catchUp(join)
    } finally {
      this.tail?.close()
    }
  }

  private async catchUp(join: () => void): Promise<void> {
    for (let misses = 0; misses < MISSES_MAX; ) {
      if (!this.client.isOpen) return
      if (!this.tail) {
        join()
        return
      }
      const batch = this.tail.read(readOptions(this.source, this.client.handles, READ_BYTES))
      if (batch.lost) this.client.send(lossOf(batch.lost))
      const frames = batch.events.map(({ line }) => encodeFrame(line))
      for (const piece of joinFrames(frames, AHEAD_BYTES)) {
        while (this.client.isOpen && this.client.waitingBytes > AHEAD_BYTES) await this.client.drained()
        this.client.write(piece)
      }
      if (!batch.done) continue
      if (this.tail.position === this.source.until()) {
        if (this.client.isOpen) join()
        return
      }
      // More was appended since, or the file was rotated between the two reads.
      misses = batch.events.length > 0 ? 0 : misses + 1
      await new Promise((resolve) => setImmediate(resolve))
      this.source.pump()
    }
    throw problem('IO', 'the event file changes faster than it can be read')
  }
}

/** Opens the file at the cursor; undefined without a file, when there is nothing to replay. */
function openTail(source: Source, handles: string[] | null, start: ReplayStart, live: boolean): EventTail | undefined {
  const until = source.until()
  if (until === null) return undefined
  return EventTail.open({
    projectDir: source.projectDir,
    until,
    live,
    ...(handles ? { handles } : {}),
    ...(start.since === undefined ? { newest: start.history } : { since: start.since }),
  })
}

function readOptions(source: Source, handles: string[] | null, bytes: number) {
  const until = source.until()
  return { bytes, ...(handles ? { handles } : {}), ...(until === null ? {} : { until }) }
}

/** Builds the event that reports a gap. */
export function lossOf(lost: { afterSeq: number; beforeSeq: number }) {
  return { version: '1.0', timestamp: new Date().toISOString(), type: 'events-lost', ...lost }
}

/** Reads all remaining events of a tail. */
export function readAll(tail: EventTail): HubEvent[] {
  const found: HubEvent[] = []
  for (let done = false; !done; ) {
    const batch = tail.read({ bytes: 1 << 20 })
    found.push(...batch.events.map(({ line }) => JSON.parse(line) as HubEvent))
    done = batch.done
  }
  return found
}
