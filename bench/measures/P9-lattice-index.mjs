// P9: the code graph of real packages from nothing: files a second and core, and memory.
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { copyScripts } from '../data/sources.mjs'
import { installReferences } from '../harness/bench.mjs'
import { makeRow } from '../harness/row.mjs'
import { median } from '../harness/statistics.mjs'

const PACKAGES = fileURLToPath(new URL('../../node_modules', import.meta.url))

function cold(bench, name, count, isCompared) {
  const dir = bench.newProject(name)
  const tree = copyScripts(PACKAGES, dir, count)
  const [rounds, npm] = [[], []]
  bench.eachRound(`${tree.count} files, from nothing`, () => {
    rmSync(join(dir, '.forge', 'lattice'), { recursive: true, force: true })
    rounds.push(bench.children.run('lattice-index', { dir }))
    if (isCompared) npm.push(bench.children.run('tree-sitter-npm', { dir }))
  })
  const rate = (runs) => tree.count / (median(runs.map(({ cpuMs }) => cpuMs)) / 1e3)
  return {
    tree,
    rate: rate(rounds),
    npm: isCompared ? rate(npm) : undefined,
    wallMs: median(rounds.map(({ wallMs }) => wallMs)),
    edges: rounds[0].edges,
    peak: Math.max(...rounds.map((round) => round.peakKiB)) / 1024,
  }
}

export function measure(bench) {
  installReferences()
  const small = cold(bench, 'lattice-1400', 1400, true)
  const large = cold(bench, 'lattice-5000', 5000, false)
  const note = ({ tree, wallMs, edges }) =>
    `${(wallMs / 1e3).toFixed(2)} s on the clock, ${edges} edges, ${Math.round(tree.bytes / tree.count / 102.4) / 10} KiB a file`
  return [
    makeRow({
      measure: 'P9',
      what: `cold index of ${small.tree.count} files, files per second of processor time`,
      note: note(small),
      unit: '1/s',
      ours: small.rate,
      reference: { name: 'tree-sitter from npm', value: small.npm },
      target: { ratioAtLeast: 3 },
    }),
    makeRow({
      measure: 'P9',
      what: `cold index of ${large.tree.count} files, files per second of processor time`,
      note: note(large),
      unit: '1/s',
      ours: large.rate,
    }),
    makeRow({
      measure: 'P9',
      what: `largest amount of memory, whole process, ${large.tree.count} files`,
      unit: 'MiB',
      ours: large.peak,
      target: { atMost: 300 },
    }),
  ]
}
