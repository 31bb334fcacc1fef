import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { latticeIndex } from '../index.js'
import { boxesOf, launchBrowser, serveFresh } from './support/browser.mjs'

const browser = await launchBrowser()

const FILES = {
  'src/basket.ts': `import { round } from './money'

export class Basket {
  total(): number {
    return round(1)
  }
  tax(): number {
    return round(this.total())
  }
}

export function checkout(basket: Basket): number {
  return round(basket.total())
}
`,
  'src/money.ts':
    'export function round(n: number): number {\n  return cut(n)\n}\n\nfunction cut(n: number) {\n  return n\n}\n',
  'tools/run.py': 'def run():\n    pass\n',
}

function write({ project }, files = FILES) {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(project, path, '..'), { recursive: true })
    writeFileSync(join(project, path), text)
  }
}

async function indexed(memory) {
  write(memory)
  await latticeIndex(memory.options)
}

const kpi = (page, name) => page.locator('.kpi', { hasText: name }).locator('.kpi-value')
const graphOf = (page, name) => page.getByRole('region', { name: `Calls to and from ${name}` })

test('the code graph shows its size, its languages and the most called functions', async (t) => {
  const { open } = await serveFresh(t, browser, { prepare: indexed })
  const page = await open({ view: 'health/code' })
  await kpi(page, 'Files').waitFor()
  assert.equal(await kpi(page, 'Files').textContent(), '3')
  assert.equal(await kpi(page, 'Symbols').textContent(), '10')
  assert.match(await kpi(page, 'Indexed').textContent(), /now|second|ago|:/)
  const hottest = page.getByRole('list', { name: 'Callers by function' }).getByRole('listitem')
  assert.match(await hottest.first().textContent(), /round\s*3/)
  const languages = await page.getByRole('list', { name: 'Symbols by language' }).textContent()
  assert.match(languages, /typescript\s*8.*python\s*2/)
})

test('the call graph can be explored by its boxes', async (t) => {
  const { open } = await serveFresh(t, browser, { prepare: indexed })
  const page = await open({ view: 'health/code' })
  await page.getByRole('list', { name: 'Callers by function' }).getByRole('link', { name: 'round' }).click()
  const around = graphOf(page, 'round')
  for (const caller of ['Basket.total', 'Basket.tax', 'checkout', 'cut']) {
    await around.getByRole('link', { name: caller }).waitFor()
  }
  assert.equal(await around.getByRole('link').count(), 4)
  await around.getByRole('link', { name: 'Basket.total' }).click()
  const next = graphOf(page, 'Basket.total')
  await next.getByRole('link', { name: 'checkout' }).waitFor()
  await next.getByRole('link', { name: 'Basket.tax' }).waitFor()
  assert.match(page.url(), /health\/code\?symbol=[0-9a-f]{16}&name=Basket\.total/)
  await page.getByRole('searchbox', { name: 'Name of a function' }).fill('cut')
  await graphOf(page, 'cut').getByRole('link', { name: 'round' }).waitFor()
})

test('the graph is one tab stop that arrows and Enter walk, and it fits the page', async (t) => {
  const { open } = await serveFresh(t, browser, { prepare: indexed })
  const page = await open({ view: 'health/code' })
  // Nothing was chosen: the function that most others call is shown.
  const around = graphOf(page, 'round')
  await around.getByRole('link').nth(3).waitFor()
  assert.equal(await around.locator('a[tabindex="0"]').count(), 1)
  const focused = () => page.evaluate(() => document.activeElement?.getAttribute('aria-label')?.split(',')[0])
  await around.locator('a[tabindex="0"]').focus()
  const first = await focused()
  await page.keyboard.press('ArrowDown')
  assert.notEqual(await focused(), first)
  await page.keyboard.press('Home')
  assert.equal(await focused(), first)
  await page.keyboard.press('ArrowRight')
  assert.equal(await focused(), 'cut')
  await page.keyboard.press('Enter')
  const next = graphOf(page, 'cut')
  await next.getByRole('link', { name: 'round' }).waitFor()
  await page.waitForFunction(() => document.activeElement?.getAttribute('aria-label')?.startsWith('round'))
  const { graph, card } = await page.evaluate(() => {
    const width = (selector) => document.querySelector(selector).getBoundingClientRect().width
    return { graph: width('.graph svg'), card: width('.graph') }
  })
  assert.ok(Math.abs(graph - card) < 2, `the graph is ${graph} pixels wide, its card ${card}`)
})

test('on a phone callers stand above and callees below, without scrolling to the side', async (t) => {
  const { open } = await serveFresh(t, browser, { prepare: indexed })
  const page = await open({ view: 'health/code', isPhone: true })
  const around = graphOf(page, 'round')
  await around.getByRole('link').nth(3).waitFor()
  const { caller, callee } = await boxesOf(page, {
    caller: around.locator('[data-side=callers]'),
    callee: around.locator('[data-side=callees]'),
  })
  assert.ok(caller.y < callee.y && caller.x >= 0 && callee.x + callee.width <= 360)
})

test('a button builds a missing index, and updates an existing one', async (t) => {
  const { memory, open } = await serveFresh(t, browser, { prepare: (memory) => write(memory) })
  const page = await open({ view: 'health/code' })
  await page.getByRole('button', { name: 'Build the index' }).click()
  await kpi(page, 'Files').waitFor()
  assert.equal(await kpi(page, 'Files').textContent(), '3')
  write(memory, { 'src/more.ts': 'export function more() {}\n' })
  await page.getByRole('button', { name: 'Rebuild' }).click()
  await page.getByText('1 file read').waitFor()
  await page.waitForFunction(() => document.querySelector('.kpi-value')?.textContent === '4')
})

test('an index that another process changes is shown without a click', async (t) => {
  const { memory, open } = await serveFresh(t, browser, { prepare: indexed, watch: true })
  const page = await open({ view: 'health/code' })
  await kpi(page, 'Files').waitFor()
  write(memory, { 'src/other.ts': 'export function other() {}\n' })
  await page.waitForFunction(() => document.querySelector('.kpi-value')?.textContent === '4')
})
