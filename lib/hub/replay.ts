import { EventTail } from '../index.js'
import type { Client } from './client.js'
import { encodeFrame, joinFrames } from './frames.js'

const READ_BYTES = 1 << 17
/** How much of a replay waits for the client at most. */
const AHEAD_BYTES = 1 << 18

/** Where a client wants to go on. */
export interface ReplayStart {
  since: number | undefined
  history: number
}

interface Source {
  projectDir: string
  /** Where the live events go on: the replay ends there. */
  until(): string | null
}

/** What a client missed, read from the file at the pace of the client. */
export class Replay {
  private readonly source: Source
  private readonly client: Client
  private readonly tail: EventTail | undefined

  constructor(source: Source, client: Client, start: ReplayStart) {
    this.source = source
    this.client = client
    this.tail = this.open(start)
  }

  /** How many events it has. */
  static count(source: Source, handles: string[] | null, start: ReplayStart): number {
    const tail = openTail(source, handles, start)
    let count = 0
    for (let done = tail === undefined; tail && !done; ) {
      const batch = tail.read(readOptions(source, handles, 1 << 20))
      count += batch.events.length
      done = batch.done
    }
    return count
  }

  /** Sends everything up to where the live events go on. When it resolves to true, that place is where they are now. */
  async run(): Promise<boolean> {
    for (;;) {
      if (!this.client.isOpen) return false
      if (!this.tail) return true
      const batch = this.tail.read(readOptions(this.source, this.client.handles, READ_BYTES))
      if (batch.lost) this.client.send(lossOf(batch.lost))
      const frames = batch.events.map(({ line }) => encodeFrame(line))
      for (const piece of joinFrames(frames, AHEAD_BYTES)) {
        while (this.client.isOpen && this.client.waitingBytes > AHEAD_BYTES) await this.client.drained()
        this.client.write(piece)
      }
      if (batch.done && this.tail.position === this.source.until()) return this.client.isOpen
    }
  }

  private open(start: ReplayStart): EventTail | undefined {
    return openTail(this.source, this.client.handles, start)
  }
}

/** Without a file there is nothing to replay, and what comes is live. */
function openTail(source: Source, handles: string[] | null, start: ReplayStart): EventTail | undefined {
  const until = source.until()
  if (until === null) return undefined
  return EventTail.open({
    projectDir: source.projectDir,
    until,
    ...(handles ? { handles } : {}),
    ...(start.since === undefined ? { newest: start.history } : { since: start.since }),
  })
}

function readOptions(source: Source, handles: string[] | null, bytes: number) {
  const until = source.until()
  return { bytes, ...(handles ? { handles } : {}), ...(until === null ? {} : { until }) }
}

/** The event that tells of a gap. */
export function lossOf(lost: { afterSeq: number; beforeSeq: number }) {
  return { version: '1.0', timestamp: new Date().toISOString(), type: 'events-lost', ...lost }
}
