// Dashboard, wall-clock time: from a capture in one process to the picture in a browser, scrolling a long list, and search while typing.
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { findBrowser } from '../../scripts/setup/browser.mjs'
import { makeRow } from '../harness/row.mjs'
import { median } from '../harness/statistics.mjs'

const PAGE = fileURLToPath(new URL('../../dist/dashboard/index.html', import.meta.url))
const CAPTURES = 400
const PAUSE_MS = 30
const P99_MS_MAX = 50
const RECORDS = 20_000
const SCROLL_MS = 3000
/** Pixels per frame, which scrolls through a tenth of the list. */
const STEP = 600
const QUERIES = ['database tests', 'checkout', 'payment retry', 'webhook signature', 'time zone of orders']
/** The duration of a frame at 60 Hz. */
const FRAME_MS_MAX = 16.6
const PAINT_MS_MAX = 100

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
  const lists = []
  bench.eachRound('list in a browser', (round) => {
    const dir = bench.newProject(`dashboard-list-${round}`)
    const options = { dir, records: RECORDS, scrollMs: SCROLL_MS, step: STEP, queries: QUERIES }
    const { gaps, times, shown, workMs } = bench.children.run('dashboard-list', options)
    if (shown < RECORDS * 0.98) throw new Error(`the list has ${shown} rows`)
    lists.push({ workMs, gaps: gaps.sort((a, b) => a - b), times: times.sort((a, b) => a - b) })
  })
  const overLists = (name, part) => median(lists.map((list) => share(list[name], part)))
  const over = (part) => median(rounds.map((sorted) => share(sorted, part)))
  const row = (what, ours, target) => makeRow({ measure: 'dashboard', what, unit: 'ms', ours, target })
  return [
    row('capture to painted page, p50', over(0.5)),
    row('capture to painted page, p99', over(0.99), { atMost: P99_MS_MAX }),
    row(`work of the page in a frame while ${RECORDS} rows are scrolled`, median(lists.map(({ workMs }) => workMs)), {
      atMost: FRAME_MS_MAX,
    }),
    row(`time between two frames while ${RECORDS} rows are scrolled, p50`, overLists('gaps', 0.5)),
    row(`the longest time between two frames while ${RECORDS} rows are scrolled`, overLists('gaps', 1)),
    row(`key to painted answer among ${RECORDS} records, p95`, overLists('times', 0.95), { atMost: PAINT_MS_MAX }),
  ]
}
