// P3: one call of the command line, from nothing to exit, against `node -e 0`.
import { existsSync } from 'node:fs'
import { readLessons, readQueries } from '../data/dataset.mjs'
import { CLI } from '../harness/bench.mjs'
import { sizeName } from '../harness/command.mjs'
import { makeRow } from '../harness/row.mjs'
import { median } from '../harness/statistics.mjs'

const RUNS_A_ROUND = 6
/** The commands that agents wait for. */
const QUICK = ['recall', 'capture']
const MILLION = 1_000_000

function measureSize(bench, size) {
  const { dir } = bench.captured(size)
  const queries = readQueries(bench.dataset(size).queries)
  const lessons = readLessons(bench.dataset(size).fresh)
  const times = { node: [], recall: [], capture: [], status: [], doctor: [] }
  const time = (name, args) => times[name].push(bench.children.milliseconds(process.execPath, args))
  bench.eachRound(sizeName(size), (round) => {
    for (let run = round * RUNS_A_ROUND; run < (round + 1) * RUNS_A_ROUND; run++) {
      const { type, content } = lessons.at(-1 - run)
      time('node', ['-e', '0'])
      time('recall', [CLI, 'recall', ...queries[run % queries.length].text.split(' '), '--project', dir])
      time('capture', [CLI, 'capture', '--tool', 'forge_bench', '--type', type, content, '--project', dir])
      for (const name of ['status', 'doctor']) time(name, [CLI, name, '--project', dir])
    }
  })
  return times
}

function rowsOf(size, times) {
  // The targets are stated for 100k and 1M.
  const limit = { 100000: 25, [MILLION]: 60 }[size]
  return ['recall', 'capture', 'status', 'doctor'].flatMap((command) =>
    Object.entries({ minimum: (list) => Math.min(...list), median }).map(([name, pick]) =>
      makeRow({
        measure: 'P3',
        what: `forge-memory ${command}, whole process, ${name}`,
        note: `${(pick(times[command]) - pick(times.node)).toFixed(1)} ms over`,
        size,
        unit: 'ms',
        ours: pick(times[command]),
        reference: { name: 'node -e 0', value: pick(times.node) },
        target: name === 'minimum' && limit && QUICK.includes(command) ? { overAtMost: limit } : undefined,
      }),
    ),
  )
}

export function measure(bench) {
  if (!existsSync(CLI)) return bench.skip('P3', 'the command line is not built')
  return bench.options.sizes.flatMap((size) => rowsOf(size, measureSize(bench, size)))
}
