import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { captureMemory, drainOpenBrain } from '../dist/index.js'
import { writeHistory } from '../scripts/screenshots/history.mjs'
import { launchBrowser, serveFresh } from './support/browser.mjs'
import { startEmbedder } from './support/embedder-server.mjs'
import { readLines } from './support/project.mjs'
import { approveStores } from './support/trust.mjs'

const browser = await launchBrowser()

async function open(t, view, history) {
  const served = await serveFresh(t, browser, { prepare: ({ project }) => history && writeHistory(project, history) })
  return { ...served, page: await served.open({ view }) }
}

test('drains are a chart that the arrow keys read out', async (t) => {
  const { page, memory } = await open(t, 'health/delivery', { count: 60 })
  const passes = readLines(memory.forge('openbrain-stats.jsonl'))
  const chart = page.getByRole('slider', { name: 'Deliveries' })
  await chart.waitFor()
  await chart.focus()
  await page.keyboard.press('Home')
  const said = await chart.getAttribute('aria-valuetext')
  assert.match(said, new RegExp(`${passes[0].delivered} delivered, ${passes[0].deferred} deferred`))
  await page.locator('.plot-tip').waitFor()
  await page.getByText('Show the numbers').click()
  assert.equal(await page.getByRole('region', { name: 'Deliveries' }).locator('tbody tr').count(), passes.length)
})

test('the endpoint shows how many thoughts of the shared store have a vector', async (t) => {
  const embedder = await startEmbedder()
  t.after(() => embedder.close())
  const configure = ({ project, home }, kind) => {
    const settings = { openbrain: { url: 'file' }, embedder: { kind, url: embedder.url, model: 'test' } }
    writeFileSync(join(project, '.forge.json'), JSON.stringify(settings))
    approveStores(project, home)
  }
  const prepare = async (memory) => {
    configure(memory, 'none')
    captureMemory({ type: 'lesson', body: 'the gate needs Node 20' }, memory.options)
    await drainOpenBrain(memory.options)
    configure(memory, 'ollama')
  }
  // The server does not drain, so that nothing is filled in before it is looked at.
  const { memory, open } = await serveFresh(t, browser, { prepare, drain: false })
  const page = await open({ view: 'health/delivery' })
  const endpoint = page.getByRole('region', { name: 'Endpoint' })
  await endpoint.getByText('0 of 1 thought').waitFor()
  await endpoint.getByText('ollama:test').waitFor()
  await drainOpenBrain(memory.options)
  await page.reload()
  await endpoint.getByText('1 of 1 thought').waitFor()
})

test('an empty view has a hint', async (t) => {
  const { page } = await open(t, 'health/delivery')
  await page.getByText('Nothing was delivered yet').waitFor()
  await page.getByText('There are none.').waitFor()
})

test('hallmark coverage counts stamped records and links to changed ones', async (t) => {
  const { page, memory } = await open(t, 'health/provenance', { count: 50, changed: 1 })
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
  const { page } = await open(t, 'health/provenance')
  await page.getByText('Every record gets a stamp when it is captured.').waitFor()
})
