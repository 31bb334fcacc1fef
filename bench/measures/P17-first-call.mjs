// P17: the first call of a tool in a new MCP server: right after `initialize`, and after the list of tools and a pause, as agents call.
import { existsSync } from 'node:fs'
import { readQueries } from '../data/dataset.mjs'
import { CLI } from '../harness/bench.mjs'
import { makeRow } from '../harness/row.mjs'

const SIZES = [1000, 10_000]
const RUNS_A_ROUND = 4
/** A model that has read the list thinks longer before it calls a tool. */
const PAUSE_MS = 300
const FIRST_MS = 15

export function measure(bench) {
  if (!existsSync(CLI)) return bench.skip('P17', 'the command line is not built')
  return SIZES.flatMap((size) => {
    const dir = bench.written(size)
    const queries = readQueries(bench.dataset(size).queries).map(({ text }) => text)
    const [atOnce, paused] = [[], []]
    bench.eachRound('first calls', () => {
      for (let run = 0; run < RUNS_A_ROUND; run++) {
        const input = { dir, cli: CLI, calls: 2, queries }
        atOnce.push(bench.children.run('mcp-calls', input).first)
        paused.push(bench.children.run('mcp-calls', { ...input, pause: PAUSE_MS }).first)
      }
    })
    const row = (when, times, target) =>
      makeRow({
        measure: 'P17',
        what: `memory_recall, first call ${when}, minimum`,
        size,
        unit: 'ms',
        ours: Math.min(...times),
        target,
      })
    return [row('at once', atOnce), row('after the list and a pause', paused, { atMost: FIRST_MS })]
  })
}
