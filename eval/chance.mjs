// What chance does to a mean: intervals by redrawing the questions, and the test of a difference. Seeded, so that every run
// on every machine says the same.
import { Random } from '../bench/data/random.mjs'
import { MEASURES, mean } from './quality.mjs'

const DRAWINGS = 1000
const PERMUTATIONS = 10_000

/** Returns the 95 % interval of every measure's mean: the questions are redrawn with replacement. */
export function intervalsOf(judgements, drawings = DRAWINGS) {
  if (judgements.length === 0) return {}
  const random = new Random(judgements.length)
  const columns = MEASURES.map((name) => Float64Array.from(judgements, (each) => each[name]))
  const means = MEASURES.map(() => new Float64Array(drawings))
  for (let drawing = 0; drawing < drawings; drawing += 1) {
    const sums = MEASURES.map(() => 0)
    for (let count = 0; count < judgements.length; count += 1) {
      const at = random.below(judgements.length)
      for (let column = 0; column < columns.length; column += 1) sums[column] += columns[column][at]
    }
    for (const [column, sum] of sums.entries()) means[column][drawing] = sum / judgements.length
  }
  return Object.fromEntries(MEASURES.map((name, column) => [name, middle95(means[column])]))
}

function middle95(values) {
  values.sort()
  return [values[Math.floor(values.length * 0.025)], values[Math.ceil(values.length * 0.975) - 1]]
}

/**
 * Compares two ways on the same questions: the mean difference, its 95 % interval, and how often chance alone makes one as large
 * (the sign of each question's difference is drawn again).
 */
export function compareOn(before, after) {
  const gains = Float64Array.from(after, (value, at) => value - before[at])
  const gain = mean([...gains])
  const random = new Random(gains.length)
  const redrawn = Float64Array.from({ length: DRAWINGS }, () => {
    let sum = 0
    for (let count = 0; count < gains.length; count += 1) sum += gains[random.below(gains.length)]
    return sum / gains.length
  })
  let asLarge = 0
  for (let count = 0; count < PERMUTATIONS; count += 1) {
    let sum = 0
    for (const each of gains) sum += random.chance(0.5) ? each : -each
    if (Math.abs(sum / gains.length) >= Math.abs(gain) - 1e-12) asLarge += 1
  }
  return { gain, interval: middle95(redrawn), p: (asLarge + 1) / (PERMUTATIONS + 1) }
}
