// Which records were certainly never sent to a server: those that are newer than everything that was. A server cannot list its records
// quickly (it reads its whole table for that), so that only the others are looked up before a delivery. It is a high-water mark for each
// server and project, written before a request is sent: a delivery that a crash left unsettled is not newer than the mark.
import { readPrivateMap, tryToWriteMap } from '../shared/private-file.js'
import { forgetSent, sentFile } from '../shared/sent-file.js'
import type { Delivery } from './store.js'

/** The time of the newest record that was sent, and which of that very time were. */
interface Mark {
  until: number
  ids: string[]
}

export class SentUntil {
  readonly #place: string
  readonly #projectDir: string
  #marks = new Map<string, Mark>()

  constructor(place: string, projectDir: string) {
    this.#place = place
    this.#projectDir = projectDir
  }

  /**
   * Returns the records of a batch that may have been sent before, and notes the whole batch as sent. Where nothing is known of a project,
   * all of its records may have been, unless the server has none of it.
   */
  async begin(batch: Delivery[], isEmpty: (projects: string[]) => Promise<boolean>): Promise<Set<Delivery>> {
    // Another process may have raised or removed them.
    this.#marks = readPrivateMap<Mark>(sentFile(this.#projectDir))
    for (const { thought, projects } of batch) {
      const name = this.#nameOf(thought?.project ?? '')
      if (this.#marks.has(name)) continue
      const until = (await isEmpty([...new Set([thought?.project ?? '', ...projects])])) ? 0 : Date.now()
      this.#marks.set(name, { until, ids: [] })
    }
    const sent = new Set(batch.filter((delivery) => this.#mayBeSent(delivery)))
    for (const delivery of batch) this.#raise(delivery)
    return this.#save() ? sent : new Set(batch)
  }

  /** Without a mark, all records are looked up: now because it could not be written, and next time because there is none. */
  #save(): boolean {
    if (tryToWriteMap(sentFile(this.#projectDir), this.#marks, { flush: true })) return true
    removeMarks(this.#projectDir)
    return false
  }

  #mayBeSent(delivery: Delivery): boolean {
    const { id, attempts, lastError, confirmedAt, thought } = delivery
    if (attempts > 0 || lastError !== undefined || confirmedAt !== undefined) return true
    const { until = Number.POSITIVE_INFINITY, ids = [] } = this.#marks.get(this.#nameOf(thought?.project ?? '')) ?? {}
    const time = timeOf(delivery)
    // Also a time that cannot be read, and one of a clock that is wrong.
    if (!(time >= until && time <= Date.now())) return true
    return time === until && ids.includes(id)
  }

  #raise(delivery: Delivery): void {
    const name = this.#nameOf(delivery.thought?.project ?? '')
    const { until, ids } = this.#marks.get(name) ?? { until: 0, ids: [] }
    const time = timeOf(delivery)
    if (time === until) this.#marks.set(name, { until, ids: [...ids, delivery.id] })
    else if (time > until) this.#marks.set(name, { until: time, ids: [delivery.id] })
  }

  #nameOf(project: string): string {
    return JSON.stringify([this.#place, project])
  }
}

function removeMarks(projectDir: string): void {
  try {
    forgetSent(projectDir)
  } catch {
    // Then it can be neither written nor removed.
  }
}

/** When a record came to be: a record that is queued again has a new time in the queue, and the old one of its capture. */
function timeOf({ enqueuedAt, thought }: Delivery): number {
  return Math.min(Date.parse(enqueuedAt), Date.parse(thought?.capturedAt ?? enqueuedAt))
}
