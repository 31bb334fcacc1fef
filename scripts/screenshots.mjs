// Takes the pictures of the dashboard that the documents show: the real server, a real browser, two months of made-up work.
//   node scripts/screenshots.mjs              all of them
//   node scripts/screenshots.mjs NAME...      those
//   node scripts/screenshots.mjs --prebuilt   with the engine as it is built
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { launch } from './setup/launch.mjs'

const WIDE = { width: 1280, height: 860 }
const PHONE = { width: 390, height: 844 }

/** Opens the palette with the keyboard and types into it. */
async function askPalette(page) {
  await page.keyboard.press('Control+k')
  await page.keyboard.type('tests')
  await page.getByRole('option', { name: /^Search for/ }).waitFor()
}

const colourPitfalls = (page) => page.getByRole('radio', { name: 'Colour: pitfalls' }).check()

const PICTURES = [
  { name: 'home', hash: '#/home', height: 980 },
  { name: 'home-dark', hash: '#/home', height: 980, colorScheme: 'dark' },
  { name: 'memories', hash: '#/memories?by=day', height: 720 },
  { name: 'map', hash: '#/memories/map', height: 760, act: colourPitfalls },
  { name: 'palette', hash: '#/memories', height: 560, act: askPalette },
  { name: 'entry', hash: (entry) => `#/entry/${entry}`, height: 860 },
  { name: 'review', hash: '#/review', height: 640 },
  { name: 'conflicts', hash: '#/review/conflicts', height: 600 },
  { name: 'health', hash: '#/health', height: 980 },
  { name: 'sessions', hash: '#/sessions', height: 760 },
  { name: 'delivery', hash: '#/health/delivery', height: 900, colorScheme: 'dark' },
  { name: 'code-graph', hash: '#/health/code', height: 900 },
  { name: 'provenance', hash: '#/health/provenance', height: 800 },
  { name: 'phone', hash: '#/home', viewport: PHONE },
  { name: 'phone-memories', hash: '#/memories', viewport: PHONE, colorScheme: 'dark' },
]

async function take(browser, server, folder, entry, picture) {
  const {
    name,
    hash,
    height,
    act,
    colorScheme = 'light',
    viewport = { ...WIDE, height: height ?? WIDE.height },
  } = picture
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
  await act?.(page)
  // Charts are drawn in the frame after their numbers came.
  await page.waitForTimeout(400)
  await page.screenshot({ path: join(folder, `${name}.png`) })
  await context.close()
  console.log(`docs/images/${name}.png`)
}

/** The code of the shop. */
const CODE = ['http', 'hub', 'server', 'undo']

/** Names a file of the code in every third text: a few of them often, and many never. */
function namesFiles(lib, roll) {
  const files = CODE.flatMap((folder) => readdirSync(join(lib, folder)).map((name) => `src/${folder}/${name}`))
  return (text, number) =>
    number % 3 > 0 ? text : `${text}; see ${files[Math.floor(roll() ** 3 * 0.7 * files.length)]}`
}

/** Fills the review: two contradictions, which an agent may not decide about what a person said, and a proposal of an agent. */
function fillReview(captureMemory, project) {
  const options = { projectDir: project, author: 'person' }
  for (const [what, ...ports] of [
    ['shop', 8080, 9090],
    ['warehouse', 7070, 6060],
  ]) {
    for (const [at, author] of ['person', 'agent'].entries())
      captureMemory(
        { type: 'decision', body: `The API of the ${what} listens on port ${ports[at]}` },
        { ...options, author },
      )
  }
  writeFileSync(join(project, '.forge.json'), JSON.stringify({ projectName: 'shop', review: 'agents' }))
  for (const body of [
    'The importer holds a read transaction: SQLite locks the file while it calls the network',
    'Use `pnpm` instead of `npm` for the scripts of the shop',
    'The signature of a webhook is computed over the raw body; a JSON middleware before it breaks it',
  ])
    captureMemory({ type: 'gotcha', body, tags: ['import'] }, { ...options, author: 'agent' })
}

/** Fills the telemetry of hooks: two months in which notes are used more and more. */
function fillInjections(record, project, ids, roll) {
  const hooks = ['before-tool', 'prompt', 'session-start', 'after-tool']
  const now = Date.now()
  for (let at = 0; at < 240; at += 1) {
    const when = new Date(now - (239 - at) * 6 * 3600_000).toISOString()
    const hook = hooks[Math.floor(roll() ** 1.6 * hooks.length)]
    const own = [ids[at % ids.length], ids[(at * 3 + 1) % ids.length]].slice(0, roll() < 0.4 ? 2 : 1)
    const session = `session-${Math.floor(at / 6)}`
    const told = { at: when, hook, host: 'claude', session, ids: own, why: own.map(() => 'about src/http/answer.ts') }
    record(project, [
      { ...told, kind: 'told', tokens: Math.round(own.length * (30 + 25 * roll())), ms: 45 + 30 * roll() },
    ])
    const isUsed = roll() < (hook === 'before-tool' ? 0.75 : 0.5) * (0.5 + at / 480)
    if (isUsed) record(project, [{ at: when, kind: 'used', hook, session, id: own[0], how: 'file' }])
  }
}

launch(async ({ prepare, root }) => {
  const isPrebuilt = process.argv.includes('--prebuilt')
  await prepare({ isPrebuilt })
  const { chromium } = await import('playwright-core')
  const { requireBrowser } = await import('./setup/browser.mjs')
  const { dice, recordMoments, writeHistory } = await import('./screenshots/history.mjs')
  const executablePath = await requireBrowser(root)
  const folder = mkdtempSync(join(tmpdir(), 'forge-memory-'))
  const project = join(folder, 'shop')
  const images = join(root, 'docs', 'images')
  mkdirSync(project)
  mkdirSync(images, { recursive: true })
  process.env.FORGE_HOME = join(folder, 'home')
  const lib = join(root, 'lib')
  const { thoughts } = writeHistory(project, { changed: 2, textOf: namesFiles(lib, dice(11)) })
  const { captureMemory, editMemory, findProject, latticeIndex } = await import('../index.js')
  const { serve } = await import('../dist/server/index.js')
  const last = thoughts.at(-20)
  const options = { projectDir: project }
  const { id } = editMemory(
    last.id,
    { body: `${last.content}; confirmed by the nightly run`, confidence: 0.95 },
    options,
  )
  fillReview(captureMemory, project)
  const ids = thoughts.slice(-30).map((thought) => thought.id)
  fillInjections(recordMoments, findProject(options), ids, dice(7))
  for (const folder of CODE) cpSync(join(lib, folder), join(project, 'src', folder), { recursive: true })
  await latticeIndex(options)
  const server = await serve({ ...options, port: 0, watch: false, drain: false })
  const browser = await chromium.launch({ executablePath, args: process.getuid?.() === 0 ? ['--no-sandbox'] : [] })
  const names = process.argv.slice(2).filter((name) => name !== '--prebuilt')
  for (const picture of PICTURES.filter(({ name }) => names.length === 0 || names.includes(name)))
    await take(browser, server, images, id, picture)
  await browser.close()
  await server.close()
  rmSync(folder, { recursive: true, force: true, maxRetries: 10 })
  return 0
})
