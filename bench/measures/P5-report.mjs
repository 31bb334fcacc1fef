// P5: the memory report, with its counters current and from nothing, against parsing every file in Node.
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { sizeName } from '../harness/command.mjs'
import { makeRow } from '../harness/row.mjs'
import { median } from '../harness/statistics.mjs'

function measureSize(bench, size) {
  const dir = bench.copyProject(bench.captured(size).dir, `report-${size}`)
  bench.children.run('settle', { dir })
  const rounds = { current: [], parsing: [], scratch: [] }
  bench.eachRound(`${sizeName(size)}, counters current`, () => {
    rounds.current.push(bench.children.run('report-once', { dir }))
    rounds.parsing.push(bench.children.run('report-by-parsing', { dir }).wallMs)
  })
  bench.eachRound(`${sizeName(size)}, from scratch`, () => {
    rmSync(join(dir, '.forge', 'index'), { recursive: true, force: true })
    rounds.scratch.push(bench.children.run('report-once', { dir }))
  })
  return rounds
}

/** The fastest round. On the clock: the package may read on several threads. */
function fastest(rounds) {
  const best = rounds.reduce((left, right) => (right.firstWallMs < left.firstWallMs ? right : left))
  return { ours: best.firstWallMs, note: `${best.firstCpuMs.toFixed(1)} ms of processor time` }
}

function rowsOf(size, rounds) {
  const isJudged = size === 100_000
  const reference = { name: 'Node parses all files', value: Math.min(...rounds.parsing) }
  const row = (fields) => makeRow({ measure: 'P5', size, unit: 'ms', ...fields })
  return [
    row({
      what: 'report, counters current, first call of a process',
      ...fastest(rounds.current),
      reference,
      target: isJudged ? { atMost: 2 } : undefined,
    }),
    row({
      what: 'report, counters current, next calls',
      ours: median(rounds.current.map((round) => round.againCpuMs)),
      reference,
    }),
    row({
      what: 'report, from scratch',
      ...fastest(rounds.scratch),
      reference,
      target: isJudged ? { atMost: 120 } : undefined,
    }),
  ]
}

export function measure(bench) {
  return bench.options.sizes.flatMap((size) => rowsOf(size, measureSize(bench, size)))
}
