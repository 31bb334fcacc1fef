import { batch, signal } from '@preact/signals'
import type { HubEvent } from '../connection/shapes.js'
import { hub } from '../connection/socket.js'

const KEPT = 10_000
/** Events of one animation frame are rendered together; the first of a burst is rendered at once. */
const FRAME_MS = 16

/** The events received, newest first. */
export const feed = signal<HubEvent[]>([])
export const isPaused = signal(false)
export const pendingCount = signal(0)

let waiting: HubEvent[] = []
let timer = 0
let shownAt = 0

function show(): void {
  timer = 0
  if (isPaused.peek()) {
    pendingCount.value = waiting.length
    return
  }
  shownAt = performance.now()
  const fresh = waiting.reverse()
  waiting = []
  batch(() => {
    pendingCount.value = 0
    feed.value = fresh.concat(feed.peek()).slice(0, KEPT)
  })
}

export function pause(isWanted: boolean): void {
  isPaused.value = isWanted
  if (!isWanted && waiting.length > 0) show()
}

export function startFeed(): void {
  hub.onEvents((events) => {
    waiting.push(...events)
    if (waiting.length > KEPT) waiting = waiting.slice(-KEPT)
    if (timer !== 0) return
    const due = shownAt + FRAME_MS - performance.now()
    if (due <= 0) show()
    else timer = window.setTimeout(show, due)
  })
}
