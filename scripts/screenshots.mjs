// Takes the pictures of the dashboard that the documents show: the real server, a real browser, two months of made-up work.
//   node scripts/screenshots.mjs
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { launch } from './setup/launch.mjs'

const WIDE = { width: 1280, height: 860 }
const PHONE = { width: 390, height: 844 }

const PICTURES = [
  { name: 'memory', hash: '#/memory', height: 1230 },
  { name: 'memory-dark', hash: '#/memory', height: 1230, colorScheme: 'dark' },
  { name: 'records', hash: '#/records?q=tests+database', height: 720 },
  { name: 'entry', hash: (entry) => `#/entry/${entry}`, height: 860 },
  { name: 'anvil', hash: '#/anvil', height: 900, colorScheme: 'dark' },
  { name: 'lattice', hash: '#/lattice', height: 480 },
  { name: 'hallmark', hash: '#/hallmark', height: 800 },
  { name: 'phone', hash: '#/memory', viewport: PHONE },
]

async function take(browser, server, folder, entry, picture) {
  const { name, hash, height, colorScheme = 'light', viewport = { ...WIDE, height: height ?? WIDE.height } } = picture
  const context = await browser.newContext({ viewport, colorScheme, reducedMotion: 'reduce' })
  const page = await context.newPage()
  await page.goto(server.url)
  await page.locator('.connection.is-live').waitFor()
  await page.evaluate(
    (to) => {
      location.hash = to
    },
    typeof hash === 'function' ? hash(entry) : hash,
  )
  await page.locator('h1').waitFor()
  await page.waitForFunction(() => document.querySelectorAll('.waiting').length === 0)
  await page.evaluate(() => document.fonts.ready)
  // Charts are drawn in the frame after their numbers came.
  await page.waitForTimeout(400)
  await page.screenshot({ path: join(folder, `${name}.png`) })
  await context.close()
  console.log(`docs/images/${name}.png`)
}

launch(async ({ prepare, root }) => {
  await prepare()
  const { chromium } = await import('playwright-core')
  const { requireBrowser } = await import('./setup/browser.mjs')
  const { writeHistory } = await import('./screenshots/history.mjs')
  const executablePath = await requireBrowser(root)
  const folder = mkdtempSync(join(tmpdir(), 'forge-memory-'))
  const project = join(folder, 'shop')
  const images = join(root, 'docs', 'images')
  mkdirSync(project)
  mkdirSync(images, { recursive: true })
  process.env.FORGE_HOME = join(folder, 'home')
  const { thoughts } = writeHistory(project, { changed: 2 })
  const { editMemory } = await import('../index.js')
  const { serve } = await import('../dist/server/index.js')
  const last = thoughts.at(-20)
  const options = { projectDir: project }
  const { id } = editMemory(
    last.id,
    { body: `${last.content}; confirmed by the nightly run`, confidence: 0.95 },
    options,
  )
  const server = await serve({ ...options, port: 0, watch: false, drain: false })
  const browser = await chromium.launch({ executablePath, args: process.getuid?.() === 0 ? ['--no-sandbox'] : [] })
  for (const picture of PICTURES) await take(browser, server, images, id, picture)
  await browser.close()
  await server.close()
  rmSync(folder, { recursive: true, force: true, maxRetries: 10 })
  return 0
})
