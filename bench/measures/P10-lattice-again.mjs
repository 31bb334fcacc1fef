// P10: the index of a tree of which nothing, or one file, has changed.
import { fileURLToPath } from 'node:url'
import { copyScripts } from '../data/sources.mjs'
import { makeRow } from '../harness/row.mjs'
import { median } from '../harness/statistics.mjs'

const PACKAGES = fileURLToPath(new URL('../../node_modules', import.meta.url))
const FILES = 1400
const RUNS = 9

export function measure(bench) {
  const dir = bench.newProject('lattice-again')
  const tree = copyScripts(PACKAGES, dir, FILES)
  const rounds = []
  bench.eachRound('again', () => {
    rounds.push(bench.children.run('lattice-again', { dir, runs: RUNS, file: tree.first }))
  })
  const row = (name, what, atMost) => {
    const typical = (field) => Math.min(...rounds.map((round) => median(round[name].map((run) => run[field]))))
    return makeRow({
      measure: 'P10',
      what: `index of ${tree.count} files, ${what}`,
      note: `${typical('cpuMs').toFixed(1)} ms of processor time`,
      unit: 'ms',
      ours: typical('wallMs'),
      target: { atMost },
    })
  }
  return [row('unchanged', 'none changed', 30), row('changed', 'one changed', 60)]
}
