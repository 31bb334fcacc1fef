// P7: migrating 100,000 lines, and what else works on all lines of a memory: verifying them, merging two branches.
import { makeRow } from '../harness/row.mjs'

const SIZE = 100_000
const WHAT = {
  migrate: ['migration of lines without version and id, backup included', 200],
  verify: ['verification of stamped records', 500],
  merge: ['merge of two branches, each with 5 % of its own', 1000],
}

export function measure(bench) {
  const found = bench.children.run('upkeep', { size: SIZE, runs: 5 })
  return Object.entries(WHAT).map(([name, [what, atMost]]) => {
    const { wallMs, cpuMs } = found[name]
    const note = `${cpuMs.toFixed(0)} ms of processor time`
    return makeRow({ measure: 'P7', what, size: SIZE, unit: 'ms', ours: wallMs, target: { atMost }, note })
  })
}
