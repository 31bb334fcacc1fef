// What colleagues decided about the records of a project, from the shared store into the own log: what they retired, kept or forgot holds here as well,
// also while the store does not answer.
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { memoryDir, projectNames, type ReceivedDecisions, receiveDecisions } from '../../native.js'
import { noteReceived, type ReceivedUpTo, receivedUpTo } from '../backlog.js'
import type { StoreSettings } from '../settings.js'
import type { ThoughtStore } from '../store.js'

/** After this, everything is received again: what is known changes nothing, and a log that was replaced meanwhile gets what it lacks. */
const AGAIN_MS = 24 * 3600_000

/** Receives what is new. A store that cannot say it has nothing. Throws `StoreFailure` when it does not answer. */
export async function receiveFrom(store: ThoughtStore, settings: StoreSettings): Promise<ReceivedDecisions> {
  const received = { rulings: 0, forgotten: 0 }
  if (store.decisions === undefined) return received
  const { projectDir } = settings
  const names = projectNames({ projectDir })
  const before = continued(receivedUpTo(settings), projectDir)
  const since = before?.since ?? Date.now()
  let upto = before?.upto
  for (let isMore = true; isMore; ) {
    const found = await store.decisions(names, upto)
    if (found.lines.length > 0) {
      const { rulings, forgotten } = receiveDecisions(found.lines, { projectDir })
      received.rulings += rulings
      received.forgotten += forgotten
    }
    isMore = found.isMore && found.upto !== upto
    upto = found.upto
    noteReceived(settings, { upto, size: logSize(projectDir), since })
  }
  return received
}

/** Up to where it was received, unless the log was replaced since by a smaller one. */
function continued(place: ReceivedUpTo | undefined, projectDir: string): ReceivedUpTo | undefined {
  const isOld = place === undefined || Date.now() - place.since >= AGAIN_MS || logSize(projectDir) < place.size
  return isOld ? undefined : place
}

function logSize(projectDir: string): number {
  const path = join(memoryDir({ projectDir }), '.forge', 'memory-captures.jsonl')
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0
}
