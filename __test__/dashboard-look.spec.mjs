import assert from 'node:assert/strict'
import test from 'node:test'
import { captureMemory, rateMemory } from '../index.js'
import { writeHistory } from '../scripts/screenshots/history.mjs'
import { settled, violations } from './support/accessibility.mjs'
import { launchBrowser, serveFresh } from './support/browser.mjs'

const VIEWS = [
  'home',
  'home/projects',
  'memories',
  'memories/tags',
  'review',
  'review/conflicts',
  'sessions',
  'sessions/past',
  'sessions/backfill',
  'health',
  'health/delivery',
  'health/code',
  'health/provenance',
  'health/settings',
]
const browser = await launchBrowser()

const history = ({ project }) => void writeHistory(project, { count: 80 })

for (const colorScheme of ['light', 'dark']) {
  test(`no view in ${colorScheme} colours breaks a rule of accessibility`, async (t) => {
    const { memory, open } = await serveFresh(t, browser, { prepare: history })
    // Requests for a code graph that is not there are refused, which the browser logs.
    const page = await open({ colorScheme, isTroubled: true })
    const { id } = captureMemory({ type: 'lesson', body: 'One more to look at' }, memory.options)
    for (const session of ['mcp:1', 'mcp:2']) rateMemory(id, 'wrong', { ...memory.options, session })
    for (const view of [...VIEWS, `entry/${id}`]) {
      await settled(page, view)
      assert.deepEqual(await violations(page), [], view)
    }
    await page.getByRole('button', { name: 'Edit' }).click()
    assert.deepEqual(await violations(page), [], 'edit')
    await page.getByRole('button', { name: 'Cancel' }).click()
    await page.keyboard.press('?')
    await page.getByRole('dialog').waitFor()
    assert.deepEqual(await violations(page), [], 'help')
  })
}

test('on a phone no view is wider than the screen', async (t) => {
  const { memory, open } = await serveFresh(t, browser, { prepare: history })
  const page = await open({ isPhone: true, isTroubled: true })
  const { id } = captureMemory({ type: 'lesson', body: `x${'y'.repeat(400)}`, tags: ['z'.repeat(60)] }, memory.options)
  for (const view of [...VIEWS, `entry/${id}`]) {
    await settled(page, view)
    const width = await page.evaluate(() => document.documentElement.scrollWidth)
    assert.ok(width <= 375, `${view} is ${width} pixels wide`)
  }
})

test('colours follow the system until the user chooses', async (t) => {
  const { open } = await serveFresh(t, browser)
  const page = await open({ colorScheme: 'dark' })
  const ground = () => page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor)
  const dark = await ground()
  await page.emulateMedia({ colorScheme: 'light' })
  const light = await ground()
  assert.notEqual(light, dark)
  await page.getByRole('button', { name: 'Use dark colours' }).click()
  assert.equal(await ground(), dark)
  await page.reload()
  await page.locator('.connection.is-live').waitFor()
  assert.equal(await ground(), dark)
})

test('everything can be done without a pointer', async (t) => {
  const { open } = await serveFresh(t, browser, {
    prepare: ({ options }) => {
      captureMemory({ type: 'lesson', body: 'First thing' }, options)
      captureMemory({ type: 'lesson', body: 'Second thing' }, options)
    },
  })
  const page = await open()
  const press = async (...keys) => {
    for (const key of keys) await page.keyboard.press(key)
  }
  const focused = () => page.evaluate(() => document.activeElement?.textContent)
  await press('Tab')
  assert.equal(await focused(), 'Skip to the content')
  await press('Enter')
  assert.equal(await page.evaluate(() => document.activeElement?.id), 'main')
  await press('Tab')
  assert.equal(await page.evaluate(() => document.activeElement?.id), 'recall-text')
  await page.evaluate(() => document.activeElement?.blur())
  await press('c')
  assert.equal(await page.evaluate(() => document.activeElement?.id), 'capture-text')
  await page.keyboard.type('Third thing, by keyboard')
  await press('Control+Enter')
  await page.getByRole('status').getByText('Captured.').waitFor()

  await page.evaluate(() => document.activeElement?.blur())
  await press('/')
  await page.getByRole('heading', { name: 'Memories' }).waitFor()
  await page.waitForFunction(() => document.activeElement?.id === 'search')
  await page.keyboard.type('thing')
  await page.getByText('3 answers').waitFor()
  await page.locator('.rows a[tabindex="0"]').focus()
  const first = await focused()
  await press('j')
  await page.waitForFunction((text) => document.activeElement?.textContent !== text, first)
  await press('k', 'End', 'Home', 'Enter')
  await page.getByRole('heading', { name: /^Memory / }).waitFor()
  await page.getByRole('button', { name: 'Edit' }).waitFor()
  await press('e')
  await page.waitForFunction(() => document.activeElement?.tagName === 'TEXTAREA')
  await press('Escape')
  await page.getByRole('button', { name: 'Edit' }).waitFor()
  await press('g', 'a')
  await page.getByRole('heading', { name: 'Delivery' }).waitFor()
  // The focus follows the heading, a frame or two later.
  await page.waitForFunction(() => document.activeElement !== document.body)
  assert.equal(await focused(), 'Delivery')
  await press('?')
  await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor()
  await press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
})

test('records are shown as text only, and invisible characters are shown as escapes', async (t) => {
  const hostile =
    '<img src=x onerror="window.hurt=1"><script>window.hurt=1</script> & \u001b[31m \u202egnp.exe javascript:1'
  let id
  const { open } = await serveFresh(t, browser, {
    prepare: ({ options }) => {
      const capture = { type: 'lesson', body: hostile, tags: ['"><i>x'], tool: 'forge_sweep' }
      id = captureMemory(capture, options).id
    },
  })
  const page = await open()
  for (const view of ['home', 'memories?q=hurt', `entry/${id}`]) {
    await settled(page, view)
    await page.getByText('window.hurt=1').first().waitFor()
    const text = await page.locator('main').innerText()
    assert.ok(text.includes('<script>'), view)
    assert.ok(text.includes('\\u{1b}') && text.includes('\\u{202e}'), view)
    assert.ok(!text.includes('\u001b') && !text.includes('\u202e'), view)
    assert.equal(await page.locator('main img, main script, main b, main i').count(), 0)
    assert.equal(await page.evaluate(() => globalThis.hurt), undefined)
  }
})

test('the page allows itself nothing but its own files', async (t) => {
  const { server } = await serveFresh(t, browser)
  const response = await fetch(server.origin)
  const policy = response.headers.get('content-security-policy')
  assert.match(policy, /default-src 'none'/)
  assert.doesNotMatch(policy, /unsafe/)
  const html = await response.text()
  assert.doesNotMatch(html, /<script(?![^>]*\bsrc=)|<style|\bon\w+=|https?:/)
})

test('the list of keys fits a screen of 900 pixels, each key in one line', async (t) => {
  const { open } = await serveFresh(t, browser)
  const page = await open()
  await page.setViewportSize({ width: 1440, height: 900 })
  await page.keyboard.press('?')
  const dialog = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
  await dialog.waitFor()
  assert.ok(await dialog.evaluate((element) => element.scrollHeight <= element.clientHeight), 'it has to be scrolled')
  const heights = await dialog
    .locator('dt')
    .evaluateAll((keys) => keys.map((key) => key.getBoundingClientRect().height))
  assert.ok(Math.max(...heights) < 30, `keys are wrapped: ${heights}`)
})

test('on a phone the list of keys begins with its first lines', async (t) => {
  const { open } = await serveFresh(t, browser)
  const page = await open({ isPhone: true })
  await page.keyboard.press('?')
  const dialog = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
  await dialog.waitFor()
  const { scrollTop, scrollHeight, clientHeight } = await dialog.evaluate(
    ({ scrollTop, scrollHeight, clientHeight }) => ({ scrollTop, scrollHeight, clientHeight }),
  )
  assert.ok(scrollHeight > clientHeight, 'it is longer than the screen')
  assert.equal(scrollTop, 0)
})

test('the field for a capture grows until all that was typed can be seen', async (t) => {
  const { open } = await serveFresh(t, browser)
  const page = await open({ isPhone: true })
  const field = page.getByLabel('What was learned')
  const heightOf = () => field.evaluate(({ clientHeight }) => clientHeight)
  const alone = await heightOf()
  assert.ok(alone < 50, `an empty field has more than one line: ${alone} pixels`)
  await field.fill(
    'First line of what was learned\nand a second one, which is longer than the first and takes three lines',
  )
  assert.ok(await field.evaluate(({ scrollHeight, clientHeight }) => scrollHeight <= clientHeight), 'lines are hidden')
  await field.fill('')
  assert.equal(await heightOf(), alone, 'it does not shrink again')
})

test('an empty memory is not told to choose another period', async (t) => {
  const { open } = await serveFresh(t, browser)
  const page = await open()
  const card = page.getByRole('region', { name: 'Captures over time' })
  await card.getByText('No captures yet').waitFor()
  assert.equal(await card.getByText('Choose a longer period').count(), 0)
})
