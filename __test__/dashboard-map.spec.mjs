// The map: which files the memory knows something about, and what.
import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { captureMemory, latticeIndex } from '../index.js'
import { violations } from './support/accessibility.mjs'
import { launchBrowser, serveFresh, settled } from './support/browser.mjs'

const browser = await launchBrowser()

const TEXTS = [
  ['gotcha', 'src/cart.ts rounds per line'],
  ['gotcha', 'Sums in src/cart.ts are integers of cents'],
  ['lesson', 'The webhook (src/pay/stripe.ts) signs the raw body'],
  ['lesson', 'src/pay/removed.ts asked twice'],
  ['lesson', 'See https://example.org/docs/page.html, /etc/passwd.d/x.conf and ../../outside/file.ts'],
  ['lesson', 'المستودع لا يقبل الملفات الكبيرة: src/pay/stripe.ts'],
]

function prepare({ project, options }) {
  mkdirSync(join(project, 'src', 'pay'), { recursive: true })
  writeFileSync(join(project, 'src', 'cart.ts'), 'x'.repeat(3000))
  writeFileSync(join(project, 'src', 'pay', 'stripe.ts'), 'x'.repeat(9000))
  for (const [type, body] of TEXTS) captureMemory({ type, body }, options)
}

test('the map has the files that memories name, sized by what is known or by code, and a click shows the lessons', async (t) => {
  const { memory, open } = await serveFresh(t, browser, { prepare })
  const page = await open({ view: 'memories/map' })
  await settled(page)
  await page.getByText('5 of 6 memories name a file').waitFor()
  const tiles = page.getByRole('list', { name: 'Files by what is known about them' }).getByRole('link')
  const names = await tiles.evaluateAll((all) => all.map((tile) => tile.getAttribute('aria-label').split(',')[0]))
  assert.deepEqual(names.sort(), [
    'src/cart.ts: 2 memories',
    'src/pay/removed.ts: 1 memory',
    'src/pay/stripe.ts: 2 memories',
  ])
  const area = (name) => tiles.filter({ hasText: name }).evaluate((tile) => tile.offsetWidth * tile.offsetHeight)
  assert.ok(Math.abs((await area('stripe.ts')) / (await area('removed.ts')) - 2) < 0.5)
  assert.deepEqual(await page.locator('.tile.is-gone').allTextContents(), ['removed.ts 1', ''])
  await page.getByRole('radio', { name: 'Size: code' }).check()
  assert.ok((await area('stripe.ts')) > 2 * (await area('cart.ts')))

  await tiles.filter({ hasText: 'cart.ts' }).click()
  const lessons = page.getByRole('list', { name: 'What is known about src/cart.ts' })
  await lessons.getByText('Sums in src/cart.ts are integers of cents').waitFor()
  assert.equal(await lessons.getByRole('listitem').count(), 2)
  captureMemory({ type: 'lesson', body: 'A third one about src/cart.ts' }, memory.options)
  await lessons.getByText('A third one about src/cart.ts').waitFor()
  assert.deepEqual(await violations(page), [])
})

test('with a code graph the map is one of the code, and files of which nothing is known are grey', async (t) => {
  const withGraph = async (memory) => {
    prepare(memory)
    writeFileSync(join(memory.project, 'src', 'unknown.ts'), `export function total() {}\n${'// x\n'.repeat(1200)}`)
    await latticeIndex(memory.options)
  }
  const { open } = await serveFresh(t, browser, { prepare: withGraph })
  const page = await open({ view: 'memories/map' })
  const blank = page.locator('.map .tile.is-blank')
  await blank.waitFor()
  assert.deepEqual(
    [await blank.allTextContents(), await blank.getAttribute('title')],
    [['unknown.ts'], 'src/unknown.ts: nothing is known about it'],
  )
  await page.getByText('nothing is known (1 file)').waitFor()
  const area = (tile) => tile.evaluate(({ offsetWidth, offsetHeight }) => offsetWidth * offsetHeight)
  assert.ok((await area(blank)) > (await area(page.locator('a.tile', { hasText: 'cart.ts' }))))
  const colour = (name) =>
    page.locator('a.tile', { hasText: name }).evaluate((tile) => getComputedStyle(tile).getPropertyValue('--strength'))
  await page.getByRole('radio', { name: 'Colour: memories' }).check()
  assert.deepEqual([await colour('cart.ts'), await colour('removed.ts')], ['45%', '25%'])
  assert.deepEqual(await violations(page), [])
  await page.getByRole('radio', { name: 'Size: memories' }).check()
  assert.equal(await blank.count(), 0)
})

test('on a phone the map is as wide as the screen, and without paths it says what comes there', async (t) => {
  const { open } = await serveFresh(t, browser, { prepare })
  const page = await open({ isPhone: true, colorScheme: 'dark', view: 'memories/map' })
  await page.locator('.map a').nth(2).waitFor()
  assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= 360)
  assert.deepEqual(await violations(page), [])
  const empty = await serveFresh(t, browser, {})
  const other = await empty.open({ view: 'memories' })
  await other.getByRole('link', { name: 'Map' }).click()
  await other.getByText('No memory names a file yet').waitFor()
})
