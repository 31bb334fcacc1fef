// Vectors in clusters, as those of texts about the same subjects.
import { Random } from './random.mjs'

export const DIMENSIONS = 384
export const MODEL = 'bench'
const CLUSTERS = 200

/** Yields vectors without end; the same ones for the same seed. Vectors of other seeds are in the same clusters. */
export function* clusteredVectors(seed) {
  const centre = normalOf(new Random(20_261_120))
  const centres = Array.from({ length: CLUSTERS }, () => Float32Array.from({ length: DIMENSIONS }, centre))
  const random = new Random(seed)
  const normal = normalOf(random)
  for (;;) yield random.pick(centres).map((value) => value + 0.5 * normal())
}

function normalOf(random) {
  return () => random.next() + random.next() + random.next() - 1.5
}

export function cosine(left, right) {
  let [dot, leftSquare, rightSquare] = [0, 0, 0]
  for (let at = 0; at < left.length; at++) {
    dot += left[at] * right[at]
    leftSquare += left[at] ** 2
    rightSquare += right[at] ** 2
  }
  return dot / Math.sqrt(leftSquare * rightSquare)
}
