// Takes the pictures: the real server, a real browser, both with a clock that stands still, so that two takes differ only where the page
// does.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { COUNTS, LOOKS, VIEWS } from './views.mjs'

/** A Wednesday afternoon, for the server and for the page. */
const MOMENT = '2026-09-16 14:30:00'
/** The example code of the code graph, which changes seldom. */
const CODE = '../../crates/lattice/tests/data'

/** In a picture of the whole page, a bar at the bottom of the screen would cover its middle. */
const WHOLE_PAGE = '@media (max-width: 800px) { .navigation { visibility: hidden } } .skip { display: none }'

const PROJECT = fileURLToPath(new URL('./project.mjs', import.meta.url))

function serveProject(folder, count) {
  const project = join(folder, String(count), 'shop')
  const args = [MOMENT, process.execPath, PROJECT, JSON.stringify({ project, count, code: CODE })]
  const stdio = ['ignore', 'inherit', 'inherit', 'ipc']
  return spawn('faketime', ['-f', ...args], { stdio, env: { ...process.env, TZ: 'UTC', NO_FAKE_STAT: '1' } })
}

/** Opens the page and waits until it has everything that it will show. */
async function openView(page, server, view) {
  const { origin } = new URL(server.url)
  await page.goto(view.token === undefined ? server.url : `${origin}/#token=${view.token}`)
  if (view.token !== undefined) return page.locator('.locked').waitFor()
  await page.locator('.connection.is-live').waitFor()
  await page.evaluate(
    (to) => {
      location.hash = to
    },
    typeof view.hash === 'function' ? view.hash(server) : view.hash,
  )
  await page.locator('h1').waitFor()
  await page.waitForFunction(() => document.querySelectorAll('.waiting').length === 0)
}

/** Writes the same ids, hashes and durations into every take: they are made anew each time, and not what is looked at. */
function steadyText() {
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  const zeros = (text) => text.replace(/[0-9a-f]/g, '0')
  while (walker.nextNode()) {
    const { data } = walker.currentNode
    const steady = data
      .replace(/mem_[0-9a-f]{32}|\b[0-9a-f]{64}\b|\b[0-9a-f]{8}\b/g, (id) =>
        id.startsWith('mem_') ? `mem_${zeros(id.slice(4))}` : zeros(id),
      )
      .replace(/\b[\d.,]+ (ms|s)\b/g, '5 $1')
    if (steady !== data) walker.currentNode.data = steady
  }
}

async function takeOne(browser, server, look, view, path) {
  const context = await browser.newContext({
    viewport: look.viewport,
    colorScheme: look.colorScheme,
    hasTouch: look.viewport.width < 800,
    reducedMotion: 'reduce',
    timezoneId: 'UTC',
    locale: 'en-GB',
    // The policy of the page forbids the style of `WHOLE_PAGE`.
    bypassCSP: true,
  })
  const page = await context.newPage()
  await page.clock.setFixedTime(server.now)
  await openView(page, server, view)
  await view.act?.(page)
  await page.evaluate(() => document.fonts.ready)
  // Charts are drawn in the frame after their numbers came.
  await page.waitForLoadState('networkidle')
  await page.evaluate(steadyText)
  if (!view.isScreen) await page.evaluate(() => window.scrollTo(0, 0))
  const whole = view.isScreen ? {} : { fullPage: true, style: WHOLE_PAGE }
  await page.screenshot({ path, caret: 'hide', animations: 'disabled', ...whole })
  await context.close()
}

/** Takes what `isWanted` picks into `to`, and returns the names of the pictures. */
export async function takePictures(browser, to, isWanted) {
  // The address of the project is on the page.
  const folder = join(tmpdir(), 'forge-memory-look')
  if (existsSync(folder))
    throw Object.assign(new Error(`another take is running, or one was interrupted: ${folder} exists`), {
      hint: 'remove that folder when no other take is running',
    })
  const names = []
  try {
    for (const count of COUNTS) {
      const wanted = LOOKS.flatMap((look) => VIEWS.map((view) => ({ look, view }))).filter(({ look, view }) =>
        isWanted(`${count}/${look.name}/${view.name}`),
      )
      if (wanted.length === 0) continue
      mkdirSync(join(folder, String(count)), { recursive: true })
      const child = serveProject(folder, count)
      const [said] = await Promise.race([once(child, 'message'), once(child, 'exit').then(() => [])])
      if (said === undefined) throw new Error(`the server for ${count} records did not start`)
      const server = { ...said, count }
      for (const { look, view } of wanted) {
        if (view.when?.(server) === false) continue
        const name = `${count}/${look.name}/${view.name}`
        mkdirSync(join(to, String(count), look.name), { recursive: true })
        await takeOne(browser, server, look, view, join(to, `${name}.png`)).catch((cause) => {
          throw new Error(`${name} could not be taken: ${cause.message}`, { cause })
        })
        names.push(name)
      }
      child.disconnect()
      await once(child, 'exit')
    }
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 10 })
  }
  return names
}
