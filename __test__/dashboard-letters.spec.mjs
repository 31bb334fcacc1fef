import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import test from 'node:test'
import { recall } from '../index.js'
import { writeHistory } from '../scripts/screenshots/history.mjs'
import { launchBrowser, serveFresh } from './support/browser.mjs'
import { readLines } from './support/project.mjs'

const browser = await launchBrowser()

/** A project with dead letters; the store is the embedded one, in the home of the test. */
async function open(t) {
  const prepare = ({ project }) => void writeHistory(project, { count: 40, letters: 3 })
  const { memory, open } = await serveFresh(t, browser, { prepare })
  const page = await open({ view: 'health/delivery' })
  await page.getByRole('list', { name: 'Failed deliveries' }).locator('.letter').nth(2).waitFor()
  const dead = () =>
    existsSync(memory.forge('openbrain-dlq.jsonl')) ? readLines(memory.forge('openbrain-dlq.jsonl')) : []
  return { memory, page, dead, letters: page.getByRole('list', { name: 'Failed deliveries' }).locator('.letter') }
}

async function count(page, name, wanted) {
  await page.locator('.kpi', { hasText: name }).getByText(wanted, { exact: true }).waitFor()
}

test('a dead letter that is retried waits in the queue, and the next drain delivers it', async (t) => {
  const { page, letters } = await open(t)
  await count(page, 'Queue depth', '9')
  await letters
    .first()
    .getByRole('button', { name: /^Retry/ })
    .click()
  await page.getByRole('status').getByText('1 delivery back in the queue').waitFor()
  await count(page, 'Failed', '2')
  await count(page, 'Queue depth', '10')
  await page.getByRole('button', { name: 'Deliver now' }).click()
  await page.getByRole('status').getByText('10 of 10 delivered.').waitFor()
  await count(page, 'Queue depth', '0')
  await page.getByRole('region', { name: 'Endpoint' }).getByText('Reachable').waitFor()
})

test('letters are dropped only after a question, and the memories stay', async (t) => {
  const { memory, page, letters, dead } = await open(t)
  const [{ content }] = dead()
  await page.getByRole('checkbox', { name: 'Select all' }).check()
  await page.getByRole('button', { name: 'Drop selected' }).click()
  const dialog = page.getByRole('dialog', { name: 'Drop 3 failed deliveries?' })
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await dialog.waitFor({ state: 'detached' })
  assert.equal(await letters.count(), 3)
  await page.getByRole('button', { name: 'Drop selected' }).click()
  await dialog.getByRole('button', { name: 'Drop' }).click()
  await page.getByText('There are none.').waitFor()
  assert.ok(recall(content, memory.options).hits.some(({ text }) => text === content))
})

test('a drain in the background is a new column, without a reload', async (t) => {
  const prepare = ({ project }) => void writeHistory(project, { count: 40, letters: 0 })
  const { memory, open } = await serveFresh(t, browser, { prepare, drain: true })
  const page = await open({ view: 'health/delivery' })
  await count(page, 'Queue depth', '0')
  const passes = () => readLines(memory.forge('openbrain-stats.jsonl')).length
  await page.waitForFunction(
    (wanted) => document.querySelector('[role=slider]')?.getAttribute('aria-valuemax') === wanted,
    String(Math.min(60, passes()) - 1),
  )
})
