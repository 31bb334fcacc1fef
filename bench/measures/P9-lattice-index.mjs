// P9: the code graph of real packages from nothing: files a second and core, and memory.
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { copyScripts } from '../data/sources.mjs'
import { makeRow } from '../harness/row.mjs'

const PACKAGES = fileURLToPath(new URL('../../node_modules', import.meta.url))
/** What tree-sitter does on one core when it is driven from JavaScript, without resolving a single edge. */
const NPM_FILES_A_SECOND = 478

function cold(bench, name, count) {
  const dir = bench.newProject(name)
  const tree = copyScripts(PACKAGES, dir, count)
  const rounds = []
  bench.eachRound(`${tree.count} files, from nothing`, () => {
    rmSync(join(dir, '.forge', 'lattice'), { recursive: true, force: true })
    rounds.push(bench.children.run('lattice-index', { dir }))
  })
  const best = rounds.reduce((a, b) => (b.cpuMs < a.cpuMs ? b : a))
  return { tree, best, peak: Math.max(...rounds.map((round) => round.peakKiB)) / 1024 }
}

export function measure(bench) {
  const small = cold(bench, 'lattice-1400', 1400)
  const large = cold(bench, 'lattice-5000', 5000)
  const rate = ({ tree, best }) => tree.count / (best.cpuMs / 1e3)
  const note = ({ tree, best }) =>
    `${(best.wallMs / 1e3).toFixed(2)} s on the clock, ${best.edges} edges, ${Math.round(tree.bytes / tree.count / 102.4) / 10} KiB a file`
  const reference = { name: 'tree-sitter from npm', value: NPM_FILES_A_SECOND }
  return [
    makeRow({
      measure: 'P9',
      what: `cold index of ${small.tree.count} files, files per second of processor time`,
      note: note(small),
      unit: '1/s',
      ours: rate(small),
      reference,
      target: { atLeast: 3 * NPM_FILES_A_SECOND },
    }),
    makeRow({
      measure: 'P9',
      what: `cold index of ${large.tree.count} files, files per second of processor time`,
      note: note(large),
      unit: '1/s',
      ours: rate(large),
      reference,
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
