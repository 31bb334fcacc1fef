import { type Signal, signal } from '@preact/signals'
import { useEffect, useState } from 'preact/hooks'
import { asProblem, type Problem } from '../connection/problem.js'

/** The minimum interval between two requests for the same resource, however fast events arrive. */
const GAP_MS = 1000
/** The facts in an event itself are rendered before aggregates are requested. */
const REFRESH_DELAY_MS = 40

/** A cached value of the server, refreshed while it is shown. */
export interface Resource<T> {
  value: Signal<T | undefined>
  problem: Signal<Problem | undefined>
  /** Fetches the value; a request that is under way was sent before, so that another one follows it. */
  refresh(): Promise<void>
  /** Invalidates the value: it is fetched soon when it is on the screen, else when it is shown next. */
  touch(): void
  watch(): () => void
}

const all = new Set<Resource<unknown>>()

export function touchAll(): void {
  for (const resource of all) resource.touch()
}

export function createResource<T>(load: () => Promise<T>): Resource<T> {
  const value = signal<T | undefined>(undefined)
  const problem = signal<Problem | undefined>(undefined)
  let watchers = 0
  let isStale = true
  let running: Promise<void> | undefined
  let following: Promise<void> | undefined
  let timer = 0
  let endedAt = Number.NEGATIVE_INFINITY

  const run = async (): Promise<void> => {
    isStale = false
    try {
      const loaded = await load()
      value.value = loaded
      problem.value = undefined
    } catch (cause) {
      problem.value = asProblem(cause)
    }
    endedAt = performance.now()
    running = undefined
    if (isStale) schedule()
  }
  const refresh = (): Promise<void> => {
    window.clearTimeout(timer)
    timer = 0
    if (running !== undefined) {
      following ??= running.then(() => {
        following = undefined
        return refresh()
      })
      return following
    }
    running = run()
    return running
  }
  const schedule = (): void => {
    if (watchers === 0 || timer !== 0 || running) return
    timer = window.setTimeout(
      refresh,
      Math.max(isStale && value.peek() !== undefined ? REFRESH_DELAY_MS : 0, endedAt + GAP_MS - performance.now()),
    )
  }
  const resource: Resource<T> = {
    value,
    problem,
    refresh,
    touch() {
      isStale = true
      schedule()
    },
    watch() {
      watchers += 1
      if (isStale) schedule()
      return () => {
        watchers -= 1
      }
    },
  }
  all.add(resource as Resource<unknown>)
  return resource
}

/** Subscribes a component to resources while it is mounted. */
export function useResources(...resources: Pick<Resource<unknown>, 'watch'>[]): void {
  // A view passes the same resources at every render.
  useEffect(() => {
    const stops = resources.map((resource) => resource.watch())
    return () => {
      for (const stop of stops) stop()
    }
  }, resources)
}

/** The answer to a request; the previous one until the next has arrived. */
export interface Answer<T> {
  found: T | undefined
  problem: Problem | undefined
}

/** Loads the answer to a key, after a pause in which another key may follow; nothing without a key. */
export function useAnswer<T>(
  key: string | undefined,
  load: (signal: AbortSignal) => Promise<T>,
  pauseMs: number,
): Answer<T> {
  const [answer, setAnswer] = useState<Answer<T>>({ found: undefined, problem: undefined })
  useEffect(() => {
    if (!key) return setAnswer({ found: undefined, problem: undefined })
    const abort = new AbortController()
    const take = (next: Answer<T>): void => {
      if (!abort.signal.aborted) setAnswer(next)
    }
    const timer = setTimeout(() => {
      load(abort.signal).then(
        (found) => take({ found, problem: undefined }),
        (cause) => take({ found: undefined, problem: asProblem(cause) }),
      )
    }, pauseMs)
    return () => {
      clearTimeout(timer)
      abort.abort()
    }
  }, [key])
  return answer
}
