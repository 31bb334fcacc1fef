// The list of near pairs that the reference program writes.
import { readFileSync } from 'node:fs'

/** Reads `later earlier cosine` lines. */
export function readPairs(path) {
  const near = new Map()
  for (const line of readFileSync(path, 'utf8').split('\n').filter(Boolean)) {
    const [later, earlier, cosine] = line.split(' ').map(Number)
    if (!near.has(later)) near.set(later, [])
    near.get(later).push({ earlier, cosine })
  }
  return near
}
