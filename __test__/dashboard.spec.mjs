import assert from 'node:assert/strict'
import test from 'node:test'
import { captureMemory, rateMemory, recall, showMemory } from '../index.js'
import { writeHistory } from '../scripts/screenshots/history.mjs'
import { goTo, launchBrowser, serveFresh } from './support/browser.mjs'

const browser = await launchBrowser()

async function open(t, { prepare, ...options } = {}) {
  const served = await serveFresh(t, browser, { prepare })
  return { ...served, page: await served.open(options) }
}

test('a new user can capture and recall on the first page', async (t) => {
  const { page, memory } = await open(t)
  await page.getByText('This memory is empty.').waitFor()
  await page.getByLabel('What was learned').fill('Jest needs --runInBand on Windows')
  await page.getByRole('radio', { name: 'gotcha' }).check()
  await page.getByLabel('Tags, separated by commas').fill('jest, windows')
  await page.getByRole('button', { name: 'Capture' }).click()
  await page.getByRole('status').getByText('Captured.').waitFor()
  await page.getByRole('button', { name: 'runInBand', exact: true }).click()
  const best = page.getByRole('list', { name: 'Best answers' })
  await best
    .locator('mark', { hasText: 'runInBand' })
    .or(best.locator('mark', { hasText: 'run' }))
    .first()
    .waitFor()
  const [hit] = recall('windows', memory.options).hits
  assert.deepEqual([hit.type, hit.text, hit.tags], ['gotcha', 'Jest needs --runInBand on Windows', ['jest', 'windows']])

  await page.getByLabel('What was learned').fill('jest needs --runInBand on windows')
  await page.getByRole('radio', { name: 'gotcha' }).check()
  await page.getByRole('button', { name: 'Capture' }).click()
  await page.getByRole('status').getByText('Already known').waitFor()
})

test('a search highlights matches, and filters narrow it', async (t) => {
  const { page } = await open(t, {
    view: 'memories',
    prepare: ({ options }) => {
      captureMemory({ type: 'gotcha', body: 'Mocking auth leaks between suites', tags: ['auth'] }, options)
      captureMemory({ type: 'lesson', body: 'Reset every mock before each test', tags: ['jest'] }, options)
      captureMemory({ type: 'lesson', body: 'Money is an integer' }, options)
    },
  })
  const rows = page.getByRole('list', { name: 'Memories' }).locator('.hit')
  await rows.nth(2).waitFor()
  await page.getByLabel('Search the memory').fill('mocks')
  await page.getByText('2 answers').waitFor()
  await page.locator('.hit mark').nth(1).waitFor()
  const marks = await page.locator('.hit mark').allTextContents()
  assert.deepEqual(marks.sort(), ['Mocking', 'mock'])
  await page.getByRole('combobox', { name: 'Type' }).selectOption('lesson')
  await page.getByText('1 answer in').waitFor()
  assert.match(await rows.textContent(), /Reset every mock/)
  assert.match(page.url(), /q=mocks&type=lesson/)
  await page.getByLabel('Tag').fill('auth')
  await page.locator('.empty').waitFor()
  await page.getByRole('button', { name: 'Clear filters' }).click()
  await page.getByText('2 answers').waitFor()
  await page.getByLabel('Search the memory').fill('zebra')
  await page.getByText('0 answers').waitFor()
})

test('an entry shows where it comes from, and an edit becomes a revision', async (t) => {
  let id
  const { page, memory } = await open(t, {
    prepare: ({ options }) => {
      id = captureMemory({ type: 'lesson', body: 'Retry paiments twice', source: 'claude/stop-hook' }, options).id
    },
  })
  await goTo(page, `#/entry/${id}`)
  await page.getByRole('region', { name: 'Provenance' }).getByText('Verified').waitFor()
  const details = page.getByRole('region', { name: 'Details' })
  assert.match(await details.textContent(), /claude\/stop-hook/)
  assert.match(await details.textContent(), new RegExp(id))

  await page.getByRole('button', { name: 'Edit' }).click()
  await page.getByLabel('Text').fill('Retry payments twice')
  await page.getByLabel('Confidence, 0 to 1').fill('0.95')
  await page.getByRole('button', { name: 'Save revision' }).click()
  await page.getByText('2 revisions').waitFor()
  const [hit] = recall('payments', memory.options).hits
  assert.deepEqual([hit.text, hit.confidence], ['Retry payments twice', 0.95])
  assert.ok(page.url().endsWith(hit.id))
  const states = await page.locator('.history strong').allTextContents()
  assert.deepEqual(states, ['current', 'superseded'])
})

test('an entry shows the verdicts of sessions and its current confidence', async (t) => {
  let id
  const { page } = await open(t, {
    prepare: ({ options }) => {
      id = captureMemory({ type: 'lesson', body: 'Uploads are retried twice', confidence: 0.8 }, options).id
      rateMemory(id, 'wrong', { ...options, session: 'one' })
      rateMemory(id, 'useful', { ...options, session: 'two' })
    },
  })
  await goTo(page, `#/entry/${id}`)
  const details = page.getByRole('region', { name: 'Details' })
  await details.getByText('useful 1, wrong 1').waitFor()
  assert.match(await details.textContent(), /80(\.0)?\s?%, now 58(\.\d)?\s?%/)
})

test('forgetting asks for confirmation, and then no search shows the record', async (t) => {
  let id
  const { page, memory } = await open(t, {
    prepare: ({ options }) => {
      id = captureMemory({ type: 'lesson', body: 'Forget me, please' }, options).id
    },
  })
  await goTo(page, `#/entry/${id}`)
  await page.getByRole('button', { name: 'Forget' }).click()
  const dialog = page.getByRole('dialog', { name: 'Forget this memory?' })
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await dialog.waitFor({ state: 'detached' })
  assert.equal(showMemory(id, memory.options).state, 'current')

  await page.getByRole('button', { name: 'Forget' }).click()
  await dialog.getByRole('button', { name: 'Forget' }).click()
  await page.getByRole('status').getByText('Forgotten.').waitFor()
  await page.getByText('This memory is empty').waitFor()
  assert.deepEqual(recall('forget', memory.options).hits, [])
})

test('an entry that does not exist is reported with a hint', async (t) => {
  const { page } = await open(t, { isTroubled: true })
  await goTo(page, '#/entry/mem_00000000000000000000000000000000')
  const alert = page.getByRole('alert')
  await alert.waitFor()
  assert.match(await alert.textContent(), /NOT_FOUND/)
  assert.match(await alert.textContent(), /Go back to the list/)
})

test('of ten thousand records only the visible rows are in the document', async (t) => {
  const count = 10_000
  let oldest
  const { page } = await open(t, {
    view: 'memories',
    prepare: ({ project }) => {
      const { thoughts } = writeHistory(project, { count: 12_000 })
      oldest = thoughts[0]
      assert.ok(thoughts.length >= count)
    },
  })
  const list = page.getByRole('list', { name: 'Memories' })
  await list.locator('.hit').first().waitFor()
  assert.ok((await list.locator('li').count()) < 60)
  await list.locator('.hit').first().focus()
  for (let size = 0; size < Number(await list.locator('li').first().getAttribute('aria-setsize')); ) {
    size = Number(await list.locator('li').first().getAttribute('aria-setsize'))
    await page.keyboard.press('End')
    await page.waitForTimeout(300)
  }
  await list.locator(`a[href$="${oldest.id}"]`).waitFor()
  assert.ok((await list.locator('li').count()) < 60)
})
