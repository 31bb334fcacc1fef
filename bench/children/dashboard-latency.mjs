// Captures while a browser looks on, and prints how long each capture took to be painted. Server, browser and this
// process are three: what is measured is the whole way, over the file, the hub, the socket and the page.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { chromium } from 'playwright-core'
import { captureMemory } from '../../index.js'
import { findBrowser } from '../../scripts/setup/browser.mjs'

const { dir, captures, pauseMs } = JSON.parse(process.argv[2])
const MARK = 'marker'

/** Runs in the page: notes when each marked text was painted first. */
function watchPaints(mark) {
  const painted = new Map()
  const pattern = new RegExp(`${mark} (\\d+) `, 'g')
  const look = () => {
    const text = document.querySelector('[role=log]')?.textContent ?? ''
    const fresh = [...text.matchAll(pattern)].map((match) => Number(match[1])).filter((number) => !painted.has(number))
    if (fresh.length === 0) return
    for (const number of fresh) painted.set(number, undefined)
    // A message is handled after the frame was painted, a frame's own callback before.
    const channel = new MessageChannel()
    channel.port1.onmessage = () => {
      for (const number of fresh) painted.set(number, performance.timeOrigin + performance.now())
    }
    requestAnimationFrame(() => channel.port2.postMessage(0))
  }
  new MutationObserver(look).observe(document.body, { childList: true, subtree: true, characterData: true })
  globalThis.painted = painted
}

const server = fork(fileURLToPath(new URL('./dashboard-server.mjs', import.meta.url)), [dir])
const [url] = await once(server, 'message')
const args = process.getuid?.() === 0 ? ['--no-sandbox'] : []
const browser = await chromium.launch({ executablePath: findBrowser(), args })
const page = await browser.newPage({ viewport: { width: 1280, height: 900 } })
await page.goto(url)
await page.locator('.connection.is-live').waitFor()
await page.evaluate(watchPaints, MARK)
const began = []
for (let number = 0; number < captures; number += 1) {
  began.push(performance.timeOrigin + performance.now())
  captureMemory(
    { type: 'lesson', body: `${MARK} ${number} of a run, word${number} other${number * 7}` },
    { projectDir: dir },
  )
  await new Promise((resolve) => setTimeout(resolve, pauseMs))
}
await page.waitForTimeout(1000)
const painted = new Map(await page.evaluate(() => [...globalThis.painted]))
await browser.close()
server.disconnect()
const times = began.map((at, number) => (painted.get(number) ?? Number.POSITIVE_INFINITY) - at)
const missed = times.filter((time) => !Number.isFinite(time)).length
process.stdout.write(JSON.stringify({ times: times.filter(Number.isFinite), missed }))
