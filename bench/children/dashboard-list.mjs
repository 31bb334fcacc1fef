// Scrolls a long list of records in a browser and searches in it, and prints the durations of frames and answers. The server, the browser
// and this program are separate processes.
//   node bench/children/dashboard-list.mjs            20,000 records, three seconds of scrolling, five searches: a summary
//   node bench/children/dashboard-list.mjs OPTIONS    the same of a JSON object of options: every duration, as JSON
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { chromium } from 'playwright-core'
import { findBrowser } from '../../scripts/setup/browser.mjs'
import { median } from '../harness/statistics.mjs'

const QUERIES = ['database tests', 'checkout', 'payment retry', 'webhook signature', 'time zone of orders']
const isSummary = process.argv[2] === undefined
const parent = isSummary ? mkdtempSync(join(tmpdir(), 'forge-memory-list-')) : undefined
const {
  dir = join(parent, 'shop'),
  records = 20_000,
  scrollMs = 3000,
  step = 600,
  queries = QUERIES,
} = isSummary ? {} : JSON.parse(process.argv[2])
const KEY_GAP_MS = 120
/** A frame at 60 Hz takes 16.7 ms; one that took half as long again was late. */
const LATE_MS = 25

process.env.FORGE_HOME = `${dir}-home`
if (isSummary) mkdirSync(dir)
const { writeHistory } = await import('../../scripts/screenshots/history.mjs')
// Some of the generated records are duplicates, which are not stored.
writeHistory(dir, { count: Math.ceil(records / 0.86) })

/** Runs in the page: scrolls by the same distance in every frame for some time, and records the time between frames. */
function scroll([duration, distance]) {
  const rows = document.querySelector('.records .rows')
  return new Promise((resolve) => {
    const gaps = []
    let first
    let last
    const frame = (now) => {
      first ??= now
      if (last !== undefined) gaps.push(now - last)
      last = now
      rows.scrollTop += distance
      if (now - first < duration) requestAnimationFrame(frame)
      else resolve(gaps)
    }
    requestAnimationFrame(frame)
  })
}

/** Runs in the page: types a query letter by letter, and records the time from each letter until its answer was painted. */
async function search([query, gap]) {
  const box = document.querySelector('#search')
  const set = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set
  const painted = (began, wanted) =>
    new Promise((resolve) => {
      const look = () => {
        if (document.querySelector('.records [data-query]')?.dataset.query !== wanted) return
        observer.disconnect()
        // A message is handled after the frame was painted; a callback of the frame runs before.
        const channel = new MessageChannel()
        channel.port1.onmessage = () => resolve(performance.now() - began)
        requestAnimationFrame(() => channel.port2.postMessage(0))
      }
      const observer = new MutationObserver(look)
      observer.observe(document.body, { childList: true, subtree: true, attributes: true, characterData: true })
    })
  const times = []
  for (let at = 1; at <= query.length; at += 1) {
    await new Promise((resolve) => setTimeout(resolve, gap))
    const began = performance.now()
    const answer = painted(began, query.slice(0, at))
    set.call(box, query.slice(0, at))
    box.dispatchEvent(new InputEvent('input', { bubbles: true }))
    times.push(await answer)
  }
  set.call(box, '')
  box.dispatchEvent(new InputEvent('input', { bubbles: true }))
  return times
}

const server = fork(fileURLToPath(new URL('./dashboard-server.mjs', import.meta.url)), [dir])
const [url] = await once(server, 'message')
const args = process.getuid?.() === 0 ? ['--no-sandbox'] : []
const browser = await chromium.launch({ executablePath: findBrowser(), args })
const page = await browser.newPage({ viewport: { width: 1440, height: 900 } })
await page.goto(url)
await page.locator('.connection.is-live').waitFor()
await page.evaluate(() => {
  location.hash = '#/memories'
})
await page.locator('.records .hit').first().waitFor()
// The CPU time of the page's thread, which other programs on the machine do not affect.
const devtools = await page.context().newCDPSession(page)
await devtools.send('Performance.setTimeDomain', { timeDomain: 'threadTicks' })
await devtools.send('Performance.enable', { timeDomain: 'threadTicks' })
const worked = async () => {
  const { metrics } = await devtools.send('Performance.getMetrics')
  return 1000 * (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? 0)
}
const before = await worked()
const gaps = await page.evaluate(scroll, [scrollMs, step])
const workMs = ((await worked()) - before) / gaps.length
const shown = Number(await page.locator('.records .rows li').first().getAttribute('aria-setsize'))
const searches = []
for (const query of queries) searches.push({ query, times: await page.evaluate(search, [query, KEY_GAP_MS]) })
await browser.close()
server.disconnect()

/** The figures that people ask for, as lines. */
function summary() {
  const late = gaps.filter((gap) => gap > LATE_MS).length
  const round = (value) => value.toFixed(1)
  return [
    `${shown} rows scrolled for ${scrollMs / 1000} s: ${gaps.length} frames, median ${round(median(gaps))} ms, worst ${round(Math.max(...gaps))} ms, ${late} late`,
    `work of the page in a frame: ${round(workMs)} ms of processor time`,
    'from a key to the painted answer:',
    ...searches.map(
      ({ query, times }) =>
        `  ${query}: ${times.length} keys, median ${round(median(times))} ms, worst ${round(Math.max(...times))} ms`,
    ),
    `load of the machine: ${loadavg().map(round).join(' ')}`,
  ].join('\n')
}

if (isSummary) {
  console.log(summary())
  await once(server, 'exit')
  rmSync(parent, { recursive: true, force: true, maxRetries: 10 })
} else {
  const times = searches.flatMap((one) => one.times)
  process.stdout.write(JSON.stringify({ gaps, times, searches, shown, workMs }))
}
