import assert from 'node:assert/strict'
import test from 'node:test'
import { captureMemory } from '../index.js'
import { writeHistory } from '../scripts/screenshots/history.mjs'
import { boxesOf, launchBrowser, serveFresh } from './support/browser.mjs'

const browser = await launchBrowser()

const OWN = ['incident', 'recipe', 'question', 'rule', 'note']
const NAMED = ['gotcha', 'lesson', 'decision', 'pattern', 'convention']

function write({ options }) {
  for (const [at, type] of [...NAMED, ...OWN].entries())
    captureMemory({ type, body: `A ${type} about thing${at} and other${at * 3}` }, options)
  for (let at = 0; at < 400; at += 1)
    captureMemory({ type: 'lesson', body: 'A lesson about thing1 and other3' }, options)
}

const colourOf = (element) => getComputedStyle(element).backgroundColor

for (const colorScheme of ['light', 'dark']) {
  test(`every type has a colour of its own in ${colorScheme} colours, in legend, bars and chart`, async (t) => {
    const { open } = await serveFresh(t, browser, { prepare: write })
    const page = await open({ colorScheme })
    await page.getByRole('slider', { name: /^Captures per/ }).waitFor()
    const legend = page.locator('.legend li')
    await legend.nth(NAMED.length + OWN.length - 1).waitFor()
    const colours = new Map()
    for (const entry of await legend.all()) {
      const name = (await entry.textContent()).replace(/[\d,]+$/, '')
      colours.set(name, await entry.locator('.swatch').evaluate(colourOf))
    }
    assert.deepEqual([...colours.keys()].sort(), [...NAMED, ...OWN].sort())
    assert.equal(new Set(colours.values()).size, colours.size, 'two types have the same colour')
    const bars = page.getByRole('list', { name: 'Captures by type' }).getByRole('listitem')
    for (const bar of await bars.all()) {
      const fill = bar.locator('.bar-fill')
      if ((await fill.count()) === 0) continue
      assert.equal(await fill.evaluate(colourOf), colours.get(await bar.locator('.bar-name').textContent()))
    }
    // The chart is a canvas: each colour of the legend is among its pixels, also those of single captures beside hundreds.
    const drawn = await page.locator('.plot canvas').evaluate((canvas) => {
      const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height)
      const found = new Map()
      for (let at = 0; at < data.length; at += 4) {
        if (data[at + 3] !== 255) continue
        const key = `rgb(${data[at]}, ${data[at + 1]}, ${data[at + 2]})`
        found.set(key, (found.get(key) ?? 0) + 1)
      }
      return [...found]
    })
    const pixels = new Map(drawn)
    for (const [name, colour] of colours) assert.ok((pixels.get(colour) ?? 0) >= 8, `${name} is not in the chart`)
  })
}

test('a chart covers the time in which there was something', async (t) => {
  const { open } = await serveFresh(t, browser, { prepare: write })
  const page = await open()
  const chart = page.getByRole('slider', { name: 'Captures per hour' })
  await chart.waitFor()
  assert.ok(Number(await chart.getAttribute('aria-valuemax')) < 24, 'most of the chart is empty')
  await page.getByRole('radio', { name: '90 d' }).check()
  await page.getByRole('slider', { name: 'Captures per day' }).waitFor()
  assert.ok(Number(await page.getByRole('slider').first().getAttribute('aria-valuemax')) < 24)
})

async function openDays(t) {
  const { open } = await serveFresh(t, browser, {
    prepare: ({ project }) => void writeHistory(project, { count: 400 }),
  })
  const page = await open()
  const card = page.getByRole('region', { name: 'Captures over time' })
  await card.getByRole('slider', { name: 'Captures per day' }).waitFor()
  await card.getByText('Show the numbers').click()
  const rows = await card
    .locator('tbody tr')
    .evaluateAll((all) =>
      all.map(({ cells }) => ({ from: cells[0].textContent, captures: Number(cells[1].textContent) })),
    )
  return { page, card, rows, chart: card.getByRole('slider') }
}

const noteOf = (rows) => {
  const captures = rows.reduce((sum, row) => sum + row.captures, 0)
  return `${captures} from ${rows[0].from} to ${rows.at(-1).from}`
}

test('columns that are dragged over are zoomed in on, hour by hour, and Escape goes back', async (t) => {
  const { page, card, rows, chart } = await openDays(t)
  const { over } = await boxesOf(page, { over: chart.locator('.u-over') })
  const width = over.width / rows.length
  const [first, last] = [rows.length - 6, rows.length - 4]
  await page.mouse.move(over.x + (first + 0.5) * width, over.y + 40)
  await page.mouse.down()
  await page.mouse.move(over.x + (last + 0.5) * width, over.y + 60, { steps: 4 })
  await page.mouse.up()
  await card.getByRole('slider', { name: 'Captures per hour' }).waitFor()
  await card.getByText(noteOf(rows.slice(first, last + 1)), { exact: true }).waitFor()
  await chart.focus()
  await page.keyboard.press('Escape')
  await card.getByRole('slider', { name: 'Captures per day' }).waitFor()
  await card.getByText(/ in the last 30 days$/).waitFor()
})

test('a period that is chosen while another one is loading is shown', async (t) => {
  const { page, card } = await openDays(t)
  let release
  const released = new Promise((resolve) => (release = resolve))
  await page.route('**/api/memory/series?*', async (route) => {
    await released
    await route.continue()
  })
  await card.getByRole('radio', { name: '7 d' }).check()
  await card.getByRole('radio', { name: 'All' }).check()
  release()
  await card.getByRole('slider', { name: 'Captures per week' }).waitFor()
})

test('columns are selected and zoomed in on with the keyboard alone', async (t) => {
  const { page, card, rows, chart } = await openDays(t)
  await chart.focus()
  await page.keyboard.press('End')
  for (const key of ['Shift+ArrowLeft', 'Shift+ArrowLeft', 'Shift+ArrowLeft']) await page.keyboard.press(key)
  assert.match(await chart.getAttribute('aria-valuetext'), /^3 selected, to /)
  await page.keyboard.press('Escape')
  assert.doesNotMatch(await chart.getAttribute('aria-valuetext'), /selected/)
  await page.keyboard.press('End')
  for (const key of ['Shift+ArrowLeft', 'Shift+ArrowLeft', 'Shift+ArrowLeft', 'Enter']) await page.keyboard.press(key)
  await card.getByText(noteOf(rows.slice(-3)), { exact: true }).waitFor()
  await card.getByRole('button', { name: 'Whole period' }).click()
  await card.getByText(/ in the last 30 days$/).waitFor()
  await card.getByRole('radio', { name: 'All' }).check()
  await card.getByRole('slider', { name: 'Captures per week' }).waitFor()
})

test('a click on a column lists the memories of that day, and any range of days is a filter', async (t) => {
  const { page, rows, chart } = await openDays(t)
  const { over } = await boxesOf(page, { over: chart.locator('.u-over') })
  const width = over.width / rows.length
  // The busiest day: on a quiet one every capture may have been of a known text, which the list shows where it was first captured.
  const whole = rows.slice(0, -2).map(({ captures }) => captures)
  const at = whole.indexOf(Math.max(...whole))
  // Where the column is then: cards above the chart may still come.
  await chart.locator('.u-over').click({ position: { x: (at + 0.5) * width, y: 60 } })
  await page.getByRole('heading', { name: 'Memories' }).waitFor()
  const list = page.getByRole('list', { name: 'Memories' })
  const times = () => list.locator('time').evaluateAll((all) => all.map((one) => one.dateTime))
  await list.locator('.hit').first().waitFor()
  const [from, to] = [page.getByLabel('From this day'), page.getByLabel('To this day')]
  const day = await from.inputValue()
  assert.equal(await to.inputValue(), day)
  const dayOf = (instant) => new Date(instant).toLocaleDateString('sv')
  assert.deepEqual([...new Set((await times()).map(dayOf))], [day])

  const before = new Date(`${day}T12:00:00`)
  before.setDate(before.getDate() - 6)
  const first = dayOf(before)
  await from.fill(first)
  await page.waitForFunction((wanted) => location.hash.includes(`from=${wanted}`), first)
  // The newest come first, and the rows of one day may fill the screen.
  await page.waitForFunction((last) => {
    const rows = document.querySelector('.rows')
    // The list is loaded anew.
    if (rows === null) return false
    rows.scrollTop = rows.scrollHeight
    return [...document.querySelectorAll('.hit time')].some((one) => one.dateTime.slice(0, 10) < last)
  }, day)
  assert.ok((await times()).map(dayOf).every((one) => one >= first && one <= day))
})
