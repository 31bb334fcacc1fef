// P13: loading the addon in a fresh process, against the same process without it.
import { existsSync } from 'node:fs'
import { ADDON, MAIN } from '../harness/bench.mjs'
import { makeRow } from '../harness/row.mjs'
import { median } from '../harness/statistics.mjs'

const RUNS_A_ROUND = 6

export function measure(bench) {
  const programs = { node: '0', addon: `require(${JSON.stringify(ADDON)})` }
  if (existsSync(MAIN)) programs.main = `require(${JSON.stringify(MAIN)})`
  const times = Object.fromEntries(Object.keys(programs).map((name) => [name, []]))
  bench.eachRound('loading', () => {
    for (let run = 0; run < RUNS_A_ROUND; run++) {
      for (const [name, code] of Object.entries(programs)) {
        times[name].push(bench.children.milliseconds(process.execPath, ['-e', code]))
      }
    }
  })
  const rows = []
  for (const name of Object.keys(programs).slice(1)) {
    for (const [statistic, pick] of [
      ['minimum', (list) => Math.min(...list)],
      ['median', median],
    ]) {
      rows.push(
        makeRow({
          measure: 'P13',
          what: `require of the ${name === 'addon' ? 'addon' : 'main entry'}, whole process, ${statistic}`,
          note: `${(pick(times[name]) - pick(times.node)).toFixed(1)} ms over`,
          unit: 'ms',
          ours: pick(times[name]),
          reference: { name: 'node -e 0', value: pick(times.node) },
          target: statistic === 'minimum' ? { overAtMost: 5 } : undefined,
        }),
      )
    }
  }
  return rows
}
