// A real browser, and the real server of a project in a process of its own.
import assert from 'node:assert/strict'
import { after } from 'node:test'
import { chromium } from 'playwright-core'
import { findBrowser } from '../../scripts/setup/browser.mjs'
import { freshMemory } from './memory.mjs'
import { recordPage } from './page-record.mjs'
import { startChild } from './processes.mjs'

/** The narrowest that is sold. */
const PHONE = { width: 360, height: 740 }
const DESK = { width: 1280, height: 900 }
const PATIENCE_MS = 60_000

/** Starts the browser for all tests of a file. */
export async function launchBrowser() {
  const executablePath = findBrowser()
  if (!executablePath) throw new Error('no browser was found; npm test says what to install')
  // The sandbox of the browser needs another user than root.
  const args = process.getuid?.() === 0 ? ['--no-sandbox'] : []
  const browser = await chromium.launch({ executablePath, args })
  after(() => browser.close())
  return browser
}

/**
 * Makes a project and serves it. What hangs on what goes away in this order: pages, servers, the folder. When the test
 * ends, nothing may have been written to the console, and no request may have gone anywhere but to the server.
 */
export async function serveFresh(t, browser, { prepare, ...settings } = {}) {
  const pages = []
  const servers = []
  t.after(async () => {
    for (const page of pages) await page.end()
    for (const server of servers) await server.stop()
    for (const page of pages) page.check()
  })
  const memory = freshMemory(t)
  await prepare?.(memory)
  const start = async (options) => {
    const server = await startServer(t, memory, { ...settings, ...options })
    servers.push(server)
    return server
  }
  const server = await start()
  const open = async (options) => {
    const dashboard = await openDashboard(browser, server, options)
    pages.push(dashboard)
    return dashboard.page
  }
  return { memory, server, start, open }
}

/** Starts `serve` for a project. */
async function startServer(t, memory, options = {}) {
  const child = startChild(t, 'server', memory, options)
  await child.ready()
  child.go()
  const address = await child.said('address')
  let stopped
  const stop = () => {
    child.tell({ stop: true })
    return child.result()
  }
  return {
    ...address,
    stop: () => {
      stopped ??= stop()
      return stopped
    },
  }
}

/** Starts a process that captures on demand. */
export async function startCapturer(t, memory) {
  const child = startChild(t, 'capturer', memory)
  await child.ready()
  child.go()
  let count = 0
  return async (capture) => {
    count += 1
    const as = `capture-${count}`
    child.tell({ capture, as })
    return child.said(as)
  }
}

/**
 * Opens the dashboard; `isTroubled` is for tests that make requests fail on purpose, `hasSockets` for a browser without
 * WebSockets, `isElsewhere` for tests that open another project.
 */
export async function openDashboard(browser, server, options = {}) {
  const {
    view = 'home',
    isPhone = false,
    colorScheme = 'light',
    isTroubled = false,
    isElsewhere = false,
    hasSockets = true,
  } = options
  const context = await browser.newContext({
    viewport: isPhone ? PHONE : DESK,
    colorScheme,
    hasTouch: isPhone,
    reducedMotion: 'reduce',
  })
  const page = await context.newPage()
  const endRecord = await recordPage(page)
  page.setDefaultTimeout(PATIENCE_MS)
  const complaints = []
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(`${message.type()}: ${message.text()}`)
  })
  page.on('pageerror', (error) => complaints.push(`thrown: ${error.message}`))
  const hosts = new Set()
  const note = (url) => hosts.add(new URL(url).host)
  page.on('request', (request) => note(request.url()))
  page.on('websocket', (socket) => note(socket.url()))
  if (!hasSockets) await page.addInitScript(() => Reflect.deleteProperty(window, 'WebSocket'))
  await page.goto(server.url)
  await page.locator(`.connection.is-${hasSockets ? 'live' : 'polling'}`).waitFor()
  if (view !== 'home') await goTo(page, `#/${view}`)
  const check = () => {
    // Another project has a server of its own, at another port of this machine.
    if (isElsewhere) assert.ok([...hosts].every((host) => host.startsWith('127.0.0.1:')))
    else assert.deepEqual([...hosts], [new URL(server.origin).host])
    if (!isTroubled) assert.deepEqual(complaints, [])
  }
  const end = async () => {
    await endRecord()
    await context.close()
  }
  return { page, end, check }
}

export async function goTo(page, hash) {
  await page.evaluate((to) => {
    location.hash = to
  }, hash)
}

/** Waits until no part of the view is loading any more: what loads later moves what stands below it. */
export function settled(page) {
  return page.waitForFunction(() => document.querySelector('main h1') && !document.querySelector('main .waiting'))
}

/** Where elements are, by the names of their locators, all measured in one moment of a page that is loaded. */
export async function boxesOf(page, locators) {
  await settled(page)
  const names = Object.keys(locators)
  const elements = await Promise.all(names.map((name) => locators[name].first().elementHandle()))
  const boxes = await page.evaluate(
    (all) =>
      all.map((element) => {
        const { x, y, width, height } = element.getBoundingClientRect()
        return { x, y, width, height }
      }),
    elements,
  )
  return Object.fromEntries(names.map((name, at) => [name, boxes[at]]))
}

/** Waits until a text is on the page and painted; resolves with the time. Ask before making it appear. */
export function painted(page, text) {
  return page.evaluate(
    ([wanted, patience]) =>
      new Promise((resolve, reject) => {
        const isThere = () => document.querySelector('main')?.textContent?.includes(wanted)
        const done = () => {
          if (!isThere()) return
          observer.disconnect()
          // A message is handled after the frame was painted, a frame's own callback before.
          const channel = new MessageChannel()
          channel.port1.onmessage = () => resolve(Date.now())
          requestAnimationFrame(() => channel.port2.postMessage(0))
        }
        const observer = new MutationObserver(done)
        observer.observe(document.body, { childList: true, subtree: true, characterData: true })
        setTimeout(() => reject(new Error(`${wanted} did not appear`)), patience)
        done()
      }),
    [text, PATIENCE_MS],
  )
}
