import assert from 'node:assert/strict'
import test from 'node:test'
import { writeHistory } from '../scripts/screenshots/history.mjs'
import { launchBrowser, serveFresh } from './support/browser.mjs'
import { readLines } from './support/project.mjs'

const browser = await launchBrowser()

async function open(t, view, history) {
  const served = await serveFresh(t, browser, { prepare: ({ project }) => history && writeHistory(project, history) })
  return { ...served, page: await served.open({ view }) }
}

test('drains are a chart that the arrow keys read out', async (t) => {
  const { page, memory } = await open(t, 'anvil', { count: 60 })
  const passes = readLines(memory.forge('openbrain-stats.jsonl'))
  const chart = page.getByRole('slider', { name: 'Drain passes' })
  await chart.waitFor()
  await chart.focus()
  await page.keyboard.press('Home')
  const said = await chart.getAttribute('aria-valuetext')
  assert.match(said, new RegExp(`${passes[0].delivered} delivered, ${passes[0].deferred} deferred`))
  await page.locator('.plot-tip').waitFor()
  await page.getByText('Show the numbers').click()
  assert.equal(await page.getByRole('region', { name: 'Drain passes' }).locator('tbody tr').count(), passes.length)
})

test('an empty view has a hint', async (t) => {
  const { page } = await open(t, 'anvil')
  await page.getByText('No drain has run yet').waitFor()
  await page.getByText('There are none.').waitFor()
})

test('hallmark coverage counts stamped records and links to changed ones', async (t) => {
  const { page, memory } = await open(t, 'hallmark', { count: 50, changed: 1 })
  const thoughts = readLines(memory.raw)
  const stamped = thoughts.filter(({ hallmark }) => hallmark).length
  const kpi = (name) => page.locator('.kpi', { hasText: name }).locator('.kpi-value')
  await kpi('Verified').waitFor()
  assert.equal(await kpi('Verified').textContent(), String(stamped - 1))
  assert.equal(await kpi('Changed').textContent(), '1')
  await page.getByRole('region', { name: 'Changed records' }).getByRole('link').click()
  await page.getByRole('region', { name: 'Provenance' }).getByText('Changed', { exact: true }).waitFor()
})

test('without records, the coverage view explains how records get a hallmark', async (t) => {
  const { page } = await open(t, 'hallmark')
  await page.getByText('Every record gets a stamp when it is captured.').waitFor()
})
