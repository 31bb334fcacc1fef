// The list of near pairs that the reference program writes.
import { readFileSync } from 'node:fs'

const THRESHOLD = 0.9

/** Reads `later earlier cosine` lines. */
export function readPairs(path) {
  const near = new Map()
  let onThreshold = 0
  for (const line of readFileSync(path, 'utf8').split('\n').filter(Boolean)) {
    const [later, earlier, cosine] = line.split(' ').map(Number)
    if (cosine < THRESHOLD) {
      // Mathematically 0.9, in doubles a hair below: not a duplicate, but worth telling.
      onThreshold++
      continue
    }
    if (!near.has(later)) near.set(later, [])
    near.get(later).push({ earlier, cosine })
  }
  return { near, onThreshold }
}
