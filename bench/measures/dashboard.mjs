// Dashboard: from a capture in one process to the picture in a browser, on the clock.
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { findBrowser } from '../../scripts/setup/browser.mjs'
import { makeRow } from '../harness/row.mjs'
import { median } from '../harness/statistics.mjs'

const PAGE = fileURLToPath(new URL('../../dist/dashboard/index.html', import.meta.url))
const CAPTURES = 400
const PAUSE_MS = 30
const P99_MS_MAX = 50

const share = (sorted, part) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))]

export function measure(bench) {
  if (!existsSync(PAGE)) return bench.skip('dashboard', 'the dashboard is not built')
  if (!findBrowser()) return bench.skip('dashboard', 'no browser was found')
  const rounds = []
  bench.eachRound('capture to browser', (round) => {
    const dir = bench.newProject(`dashboard-${round}`)
    const { times, missed } = bench.children.run('dashboard-latency', { dir, captures: CAPTURES, pauseMs: PAUSE_MS })
    if (missed > 0) throw new Error(`${missed} of ${CAPTURES} captures were never painted`)
    rounds.push(times.sort((a, b) => a - b))
  })
  const over = (part) => median(rounds.map((sorted) => share(sorted, part)))
  const row = (what, ours, target) => makeRow({ measure: 'dashboard', what, unit: 'ms', ours, target })
  return [
    row('capture to painted page, p50', over(0.5)),
    row('capture to painted page, p99', over(0.99), { atMost: P99_MS_MAX }),
  ]
}
