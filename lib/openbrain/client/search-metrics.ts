/** The upper bounds of the histogram, in seconds: from an answer of the cache to the timeout of a search. */
const BOUNDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5]

const within = BOUNDS.map(() => 0)
const answers: Record<string, number> = {}
let count = 0
let seconds = 0

/** How long the searches of this process took, and which stores answered them. */
export interface SearchFigures {
  /** How many took at most so many seconds. */
  buckets: { atMost: number; count: number }[]
  count: number
  seconds: number
  answers: Record<string, number>
}

export function noteSearch(backend: string, milliseconds: number): void {
  const took = milliseconds / 1000
  count += 1
  seconds += took
  answers[backend] = (answers[backend] ?? 0) + 1
  for (const [at, bound] of BOUNDS.entries()) if (took <= bound) within[at] = (within[at] ?? 0) + 1
}

export function searchFigures(): SearchFigures {
  return {
    buckets: BOUNDS.map((atMost, at) => ({ atMost, count: within[at] ?? 0 })),
    count,
    seconds,
    answers: { ...answers },
  }
}
