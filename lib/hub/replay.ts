// Catch-up of a client from a cursor in the event file until it meets the live stream.
import { EventTail } from '../native.js'
import { problem } from '../shared/problem.js'
import type { Client } from './client.js'
import { encodeFrame, joinFrames } from './frames.js'

const READ_BYTES = 1 << 17
/** How much of a replay waits for the client at most. */
const AHEAD_BYTES = 1 << 18
/** How often the live events may be elsewhere when a replay ends. */
const MISSES_MAX = 1000

/** Where a client wants to go on. */
export interface ReplayStart {
  since: number | undefined
  history: number
}

interface Source {
  projectDir: string
  /** Where the live events go on: the replay ends there. */
  until(): string | null
  /** Has the live events go on to where the file ends now. */
  pump(): void
}

/** Replays the events that a client missed, with backpressure: the file is read at the pace of the client. */
export class Replay {
  private readonly source: Source
  private readonly client: Client
  private readonly tail: EventTail | undefined

  constructor(source: Source, client: Client, start: ReplayStart) {
    this.source = source
    this.client = client
    this.tail = openTail(source, client.handles, start, true)
  }

  /** How many events it has. */
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

  /** Sends everything up to where the live events go on, and calls `join` at the moment when that is reached. */
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
      // More has come since, or the file was rotated between the two looks.
      misses = batch.events.length > 0 ? 0 : misses + 1
      await new Promise((resolve) => setImmediate(resolve))
      this.source.pump()
    }
    throw problem('IO', 'the event file changes faster than it can be read')
  }
}

/** Without a file there is nothing to replay, and what comes is live. */
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

/** The event that reports a gap. */
export function lossOf(lost: { afterSeq: number; beforeSeq: number }) {
  return { version: '1.0', timestamp: new Date().toISOString(), type: 'events-lost', ...lost }
}
