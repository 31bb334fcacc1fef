import { StoreFailure } from '../failure.js'

/** The maximum dimension of a text embedding. */
const DIMENSIONS_MAX = 16_384

/** Validates the vectors of a response, and normalizes each to unit length. */
export function vectorsFrom(lists: unknown, count: number, place: string): Float32Array[] {
  if (!Array.isArray(lists) || lists.length !== count) {
    throw new StoreFailure('busy', `${place} did not answer with one vector for each text`)
  }
  const vectors = lists.map((list) => vectorFrom(list, place))
  const [first] = vectors
  if (first !== undefined && vectors.some(({ length }) => length !== first.length)) {
    throw new StoreFailure('busy', `${place} answered with vectors of different lengths`)
  }
  return vectors
}

function vectorFrom(list: unknown, place: string): Float32Array {
  if (!Array.isArray(list) || list.length === 0 || list.length > DIMENSIONS_MAX) {
    throw new StoreFailure('busy', `${place} answered with something that is not a vector`)
  }
  const vector = Float32Array.from(list as number[])
  const length = Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0))
  if (!Number.isFinite(length) || length === 0) {
    throw new StoreFailure('busy', `${place} answered with a zero vector`)
  }
  return vector.map((value) => value / length)
}
