// What must not get worse: `gates.json` says by how much each way has to lead (or may trail) BM25 of the same run.
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const GATES = fileURLToPath(new URL('gates.json', import.meta.url))
/** So much less than what was measured is still let through: a change may cost a question or two and pay elsewhere. */
const MARGIN = 0.005
const REFERENCE = 'bm25'

export function readGates() {
  return JSON.parse(readFileSync(GATES, 'utf8'))
}

/** Returns how far a way leads BM25 on one part of a set, or undefined when this run measured either of them not. */
function leadOf(results, { set, part, way, measure }) {
  const rows = results.find(({ name }) => name === set)?.rows ?? []
  const figure = (wanted) => rows.find((row) => row.way === wanted)?.parts?.[part]?.[measure]
  const [own, reference] = [figure(way), figure(REFERENCE)]
  return own === undefined || reference === undefined ? undefined : own - reference
}

/** Returns a line for each gate that does not hold, and for each that was not measured. */
export function brokenGates(results, gates) {
  return gates.flatMap((gate) => {
    const lead = leadOf(results, gate)
    const name = `${gate.set} (${gate.part}), ${gate.way}, ${gate.measure}`
    if (lead === undefined) return [`${name}: not measured`]
    if (lead >= gate.aboveBm25) return []
    return [`${name}: ${lead.toFixed(4)} above BM25, and ${gate.aboveBm25} is the least that was let through before`]
  })
}

/**
 * What holds on every set: no judgement of a capture and no vector makes answers worse. One way may be worse than the other by so much, which
 * is one question of two hundred.
 */
const NEVER_WORSE = [
  { way: 'captured-words', than: 'recall-words', by: 0.005 },
  { way: 'recall-auto', than: 'recall-words', by: 0.005 },
]

/** Returns a line for each set on which one of them is worse. */
export function worseWays(results) {
  return results.flatMap(({ name, rows }) => {
    const figure = (wanted) => rows.find(({ way }) => way === wanted)?.ndcg10
    const worse = NEVER_WORSE.filter(({ way, than, by }) => figure(way) < figure(than) - by)
    return worse.map(({ way, than }) => {
      const [own, other] = [figure(way), figure(than)].map((value) => value.toFixed(4))
      return `${name}: ${way} has nDCG@10 ${own}, and ${than} ${other}`
    })
  })
}

/** Returns the gates with every least value raised to what was measured, less the margin. None is ever lowered. */
export function raisedGates(results, gates) {
  return gates.map((gate) => {
    const lead = leadOf(results, gate)
    if (lead === undefined) return gate
    const least = Math.floor((lead - MARGIN) * 1000) / 1000
    return { ...gate, aboveBm25: Math.max(gate.aboveBm25, least) }
  })
}

export function writeGates(gates) {
  writeFileSync(GATES, `[\n${gates.map((gate) => `  ${oneLine(gate)}`).join(',\n')}\n]\n`)
}

const oneLine = (gate) => {
  const fields = Object.entries(gate).map(([key, value]) => `${JSON.stringify(key)}: ${JSON.stringify(value)}`)
  return `{ ${fields.join(', ')} }`
}
