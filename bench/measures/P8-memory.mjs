// P8: the memory of a process that captures and recalls, over the same process that does neither.
import { statSync } from 'node:fs'
import { rawLogPath } from '../data/store.mjs'
import { sizeName } from '../harness/command.mjs'
import { makeRow } from '../harness/row.mjs'
import { median } from '../harness/statistics.mjs'

const CAPTURES = 200
const MIB = 2 ** 20

function measureSize(bench, size) {
  const dir = bench.copyProject(bench.captured(size).dir, `memory-${size}`)
  bench.children.run('settle', { dir })
  const { fresh, queries } = bench.dataset(size)
  const [working, idle] = [[], []]
  bench.eachRound(sizeName(size), () => {
    working.push(bench.children.run('memory', { dir, fresh, queries, captures: CAPTURES }))
    idle.push(bench.children.run('memory', { fresh, queries, captures: CAPTURES }))
  })
  const over = (name) => median(working.map((round) => round[name])) - median(idle.map((round) => round[name]))
  return { rss: over('rssMiB'), anonymous: over('anonymousMiB'), rawLog: statSync(rawLogPath(dir)).size / MIB }
}

/** The targets: 100 MiB at 100k, 2.5 times the JSONL at 1M. */
function limit(size, rawLog) {
  if (size === 100_000) return { atMost: 100 }
  return size === 1_000_000 ? { atMost: 2.5 * rawLog } : undefined
}

export function measure(bench) {
  return bench.options.sizes.map((size) => {
    const { rss, anonymous, rawLog } = measureSize(bench, size)
    const mapped = Number.isNaN(anonymous) ? '' : `${anonymous.toFixed(0)} MiB without mapped files, `
    return makeRow({
      measure: 'P8',
      what: 'resident memory of capture and recall, over Node itself',
      note: `${mapped}raw log ${rawLog.toFixed(0)} MiB`,
      size,
      unit: 'MiB',
      ours: rss,
      target: limit(size, rawLog),
    })
  })
}
