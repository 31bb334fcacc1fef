// Two runs of `npm run eval -- --json`: what became better, and how sure that is.
import { compareOn } from './chance.mjs'

/** Returns `{ set, way, measure, questions, before, after, gain, interval, p }` for all that both runs measured. */
export function compareRuns(before, after, measures = ['ndcg10', 'recall10']) {
  const differences = []
  for (const { name, rows } of after.results) {
    const earlier = before.results.find((result) => result.name === name)
    for (const row of rows) {
      const same = earlier?.rows.find(({ way }) => way === row.way)
      if (same === undefined) continue
      for (const measure of measures)
        differences.push({ set: name, way: row.way, measure, ...pair(same, row, measure) })
    }
  }
  return differences
}

/** The questions that both asked and that have an answer. */
function pair(before, after, measure) {
  const known = new Map(before.details.map((question) => [question.id, question[measure]]))
  const both = after.details.filter(
    (question) => question[measure] !== undefined && known.get(question.id) !== undefined,
  )
  const [first, second] = [both.map(({ id }) => known.get(id)), both.map((question) => question[measure])]
  return { questions: both.length, before: average(first), after: average(second), ...compareOn(first, second) }
}

const average = (values) => values.reduce((sum, value) => sum + value, 0) / Math.max(values.length, 1)

export function differencesPage(differences) {
  const lines = differences.map(({ set, way, measure, questions, before, after, gain, interval, p }) => {
    const sign = (value) => `${value < 0 ? '-' : '+'}${Math.abs(value).toFixed(3)}`
    const sure = p < 0.05 ? '' : ', may be chance'
    const range = `${sign(interval[0])} to ${sign(interval[1])}`
    const values = `${before.toFixed(3)} -> ${after.toFixed(3)}`
    return `${set}, ${way}, ${measure}, ${questions} questions: ${values}, ${sign(gain)} (${range}), p ${p.toFixed(4)}${sure}`
  })
  return `${lines.join('\n')}\n`
}
