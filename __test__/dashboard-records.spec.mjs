import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { captureMemory, listMemories, recall, showMemory } from '../index.js'
import { boxesOf, goTo, launchBrowser, serveFresh } from './support/browser.mjs'
import { sentenceOf } from './support/memory.mjs'

const browser = await launchBrowser()

const KINDS = [
  {
    type: 'gotcha',
    body: 'Mocks leak between suites: reset them before each test',
    tags: ['jest'],
    source: 'claude/a',
  },
  { type: 'lesson', body: 'Money is an integer. Floats lose cents in refunds', tags: ['pay'], source: 'claude/b' },
  { type: 'lesson', body: 'Retry the payment call with a key: a timeout charges twice', tags: [], source: 'claude/a' },
]

function write({ options }) {
  for (const { source, ...capture } of KINDS) captureMemory({ ...capture, source }, options)
}

async function open(t, { prepare = write, ...options } = {}) {
  const served = await serveFresh(t, browser, { prepare })
  const page = await served.open({ view: 'memories', ...options })
  const list = page.getByRole('list', { name: 'Memories' })
  return { ...served, page, list, rows: list.locator('.hit') }
}

const focusedRow = (page) => page.evaluate(() => document.activeElement?.closest('[data-at]')?.getAttribute('data-at'))
const waitForRow = (page, at) =>
  page.waitForFunction(
    (wanted) => document.activeElement?.closest('[data-at]')?.getAttribute('data-at') === wanted,
    String(at),
  )

test('a row has the headline of a record and its gist', async (t) => {
  const { rows } = await open(t)
  await rows.nth(2).waitFor()
  assert.deepEqual(await rows.locator('.hit-title').allTextContents(), [
    'Retry the payment call with a key: a timeout charges twice',
    'Money is an integer.',
    'Mocks leak between suites: reset them before each test',
  ])
  assert.deepEqual(await rows.locator('.hit-gist').allTextContents(), ['', 'Floats lose cents in refunds', ''])
})

test('the keys of the list work regardless of the focus', async (t) => {
  const { page, rows } = await open(t)
  await rows.nth(2).waitFor()
  await page.keyboard.press('j')
  await waitForRow(page, 0)
  assert.equal(await page.getByLabel('Search the memory').inputValue(), '', 'the search box has eaten the key')
  await page.keyboard.press('j')
  await waitForRow(page, 1)
  await page.keyboard.press('k')
  await waitForRow(page, 0)
  await page.keyboard.press('Escape')
  await page.waitForFunction(() => document.activeElement?.id === 'search')
  await page.keyboard.press('ArrowDown')
  await waitForRow(page, 0)
  await page.keyboard.press('j')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Money is an integer.' }).waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('heading', { name: 'Memories' }).waitFor()
  await waitForRow(page, 1)
  await page.getByRole('link', { name: 'Memories' }).first().focus()
  await page.keyboard.press('j')
  await waitForRow(page, 1)
})

test('text typed right after the search shortcut reaches the field completely', async (t) => {
  const { page } = await open(t, { view: 'home' })
  await page.locator('h1').waitFor()
  // Both are sent before the first one is answered: nothing waits for the view.
  await Promise.all([page.keyboard.press('/'), page.keyboard.type('mocks')])
  await page.getByText('1 answer in').waitFor()
  assert.equal(await page.getByLabel('Search the memory').inputValue(), 'mocks')
  await page.keyboard.press('Enter')
  await waitForRow(page, 0)
})

test('records are grouped by type, day and source', async (t) => {
  const { page, list, rows } = await open(t)
  await rows.nth(2).waitFor()
  const heads = () => list.locator('.group-head').allTextContents()
  await page.getByRole('radio', { name: 'Type' }).check()
  await list.locator('.group-head').nth(1).waitFor()
  assert.deepEqual(await heads(), ['lesson2', 'gotcha1'])
  await page.getByRole('radio', { name: 'Source' }).check()
  await list.locator('.group-head', { hasText: 'claude/a' }).waitFor()
  assert.deepEqual(await heads(), ['claude/a2', 'claude/b1'])
  await page.getByRole('radio', { name: 'Day' }).check()
  await list.locator('.group-head', { hasText: 'Today' }).waitFor()
  assert.deepEqual(await heads(), ['Today3'])
  await page.getByRole('heading', { name: 'Memories' }).focus()
  await page.keyboard.press('j')
  await waitForRow(page, 1)
  assert.match(page.url(), /by=day/)
})

test('filters are in the address: a reload keeps them, a step back takes back the last one, a bookmark is a saved view', async (t) => {
  const { page, rows } = await open(t)
  await rows.nth(2).waitFor()
  const type = page.getByRole('combobox', { name: 'Type' })
  await type.selectOption('lesson')
  await rows.nth(2).waitFor({ state: 'detached' })
  await page.getByRole('combobox', { name: 'Scope' }).selectOption('global')
  await rows.first().waitFor({ state: 'detached' })
  await page.goBack()
  await page.waitForFunction(() => document.querySelectorAll('.rows .hit').length === 2)
  assert.equal(await type.inputValue(), 'lesson')
  await page.reload()
  await page.waitForFunction(() => document.querySelectorAll('.rows .hit').length === 2)
  assert.equal(await type.inputValue(), 'lesson')
  await page.getByLabel('Search the memory').pressSequentially('money')
  await rows.nth(1).waitFor({ state: 'detached' })
  await page.goBack()
  await rows.nth(2).waitFor()
  assert.equal(await type.inputValue(), '')
})

test('a pinned record stays on top, also after a reload', async (t) => {
  const { page, list, rows } = await open(t)
  await rows.nth(2).waitFor()
  await rows.nth(2).focus()
  await page.keyboard.press('p')
  await list.locator('.group-head', { hasText: 'Pinned' }).waitFor()
  await page.waitForFunction(() => document.querySelectorAll('.rows .hit').length === 4)
  assert.match(await rows.first().textContent(), /Mocks leak/)
  await page.reload()
  await list.locator('.group-head', { hasText: 'Pinned' }).waitFor()
  assert.match(await rows.first().textContent(), /Mocks leak/)
  await rows.first().focus()
  await page.keyboard.press('p')
  await list.locator('.group-head').first().waitFor({ state: 'detached' })
})

test('several records are selected, tagged and forgotten at once', async (t) => {
  const { page, rows, memory } = await open(t)
  await rows.nth(2).waitFor()
  await rows.first().focus()
  await page.keyboard.press('x')
  await page.getByText('1 selected').waitFor()
  await page.keyboard.press('j')
  await waitForRow(page, 1)
  await page.keyboard.press('x')
  await page.getByText('2 selected').waitFor()
  const bar = page.getByRole('toolbar', { name: 'Selected memories' })
  await bar.getByRole('button', { name: 'Tag' }).click()
  const tags = page.getByRole('dialog', { name: 'Tag 2 memories' })
  await tags.getByLabel('Tags to add, separated by commas').fill('billing')
  await page.keyboard.press('Enter')
  await page.getByRole('status').getByText('2 memories tagged.').waitFor()
  const { entries } = listMemories({ ...memory.options, tags: ['billing'] })
  assert.deepEqual(entries.map(({ tags }) => tags.length).sort(), [1, 2])

  await bar.waitFor({ state: 'detached' })
  await rows.first().focus()
  await page.keyboard.press('x')
  await bar.getByRole('button', { name: 'Select all 3' }).click()
  await page.getByText('3 selected').waitFor()
  await bar.getByRole('button', { name: 'Forget' }).click()
  await page.getByRole('dialog', { name: 'Forget 3 memories?' }).getByRole('button', { name: 'Forget' }).click()
  await page.getByRole('status').getByText('3 memories forgotten.').waitFor()
  assert.equal(listMemories(memory.options).total, 0)
  await page.getByText('This memory is empty').waitFor()
})

test('a selected row is the one that the next key moves from', async (t) => {
  const { page, rows } = await open(t)
  await rows.nth(2).waitFor()
  await page.keyboard.press('x')
  await waitForRow(page, 0)
  for (const key of ['j', 'x', 'j', 'x']) await page.keyboard.press(key)
  await page.getByRole('status').getByText('3 selected').waitFor()
})

test('Escape gives up the choice first, and the list afterwards', async (t) => {
  const { page, rows } = await open(t)
  await rows.nth(2).waitFor()
  await rows.first().focus()
  await page.keyboard.press('x')
  await page.getByText('1 selected').waitFor()
  await page.keyboard.press('Escape')
  await page.getByText('1 selected').waitFor({ state: 'detached' })
  assert.equal(await focusedRow(page), '0')
  await page.keyboard.press('Escape')
  await page.waitForFunction(() => document.activeElement?.id === 'search')
})

test('proposed records are accepted from the list', async (t) => {
  let id
  const { page, rows, memory } = await open(t, {
    prepare: ({ project, options }) => {
      writeFileSync(join(project, '.forge.json'), JSON.stringify({ review: 'agents' }))
      id = captureMemory({ type: 'lesson', body: 'A proposal of an agent' }, { ...options, author: 'agent' }).id
    },
  })
  await page.getByText('This memory is empty').waitFor()
  await page.getByLabel('Include proposed').check()
  await rows.first().getByText('proposed').waitFor()
  await rows.first().focus()
  await page.keyboard.press('x')
  await page.getByRole('toolbar').getByRole('button', { name: 'Accept' }).click()
  await page.getByRole('status').getByText('Accepted.').waitFor()
  assert.equal(showMemory(id, memory.options).state, 'current')
  assert.equal(recall('proposal', memory.options).hits.length, 1)
})

test('the current record is shown beside the list', async (t) => {
  const { page, rows } = await open(t)
  await rows.nth(2).waitFor()
  const preview = page.getByRole('region', { name: 'The current memory' })
  await preview.getByText('Retry the payment call with a key: a timeout charges twice').waitFor()
  await page.keyboard.press('j')
  await page.keyboard.press('j')
  await preview.getByText('Money is an integer. Floats lose cents in refunds').waitFor()
  await page.keyboard.press('e')
  await page.waitForFunction(() => document.activeElement?.tagName === 'TEXTAREA')
  await page.getByLabel('Text').fill('Money is an integer of cents')
  await page.getByRole('button', { name: 'Save revision' }).click()
  await page.getByText('2 revisions').waitFor()
})

test('on a phone the filters are folded', async (t) => {
  const { page, rows } = await open(t, { isPhone: true })
  await rows.nth(2).waitFor()
  const type = page.getByRole('combobox', { name: 'Type' })
  assert.equal(await type.isVisible(), false)
  await page.getByText('Filters and groups').click()
  assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 360)
  await type.selectOption('gotcha')
  await page.getByText('Filters and groups (1 set)').waitFor()
  await page.waitForFunction(() => document.querySelectorAll('.rows .hit').length === 1)
  const { box, list } = await boxesOf(page, { box: page.getByLabel('Search the memory'), list: rows })
  assert.ok(box.y < list.y)
})

test('going back restores the list and the opened row', async (t) => {
  const { page, rows, list } = await open(t, {
    prepare: ({ options }) => {
      for (let at = 0; at < 150; at += 1)
        captureMemory(
          { type: 'lesson', body: `Entry number ${at} of many, about thing${at} and that${at * 7}` },
          options,
        )
    },
  })
  await rows.first().waitFor()
  await rows.first().focus()
  await page.keyboard.press('End')
  await waitForRow(page, 149)
  const text = await list.locator('[data-at="149"]').textContent()
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: /^Entry number 0 of many/ }).waitFor()
  await page.keyboard.press('Escape')
  await waitForRow(page, 149)
  assert.equal(await list.locator('[data-at="149"]').textContent(), text)
  await goTo(page, '#/memories?type=lesson')
  await page.getByRole('status').filter({ hasText: '150 memories' }).waitFor()
})

test('answers say by which words they were found, weak ones are folded, and the page says what was compared', async (t) => {
  const { page, rows } = await open(t, {
    prepare: ({ options }) => {
      const about = (text) => captureMemory({ type: 'lesson', body: text }, options)
      about('Payments are retried three times with a key')
      about('Retried payments keep their key, and payments without one are refused')
      for (let at = 0; at < 12; at += 1) about(`The ${sentenceOf(at)} job waits for a key of the vault`)
    },
    view: 'memories?q=payments%20retried%20key',
  })
  const status = page.locator('[data-query]')
  await status.waitFor()
  assert.match(await status.textContent(), /by words only: no model of meaning is in use/)
  const words = () => rows.locator('.hit-why').allTextContents()
  assert.deepEqual(await words(), ['has payments, retried, key', 'has payments, retried, key'])
  await page.getByRole('button', { name: 'Show 12 weak ones' }).click()
  await rows.nth(13).waitFor()
  assert.deepEqual((await words()).slice(2), Array(12).fill('has key'))
  await page.getByRole('button', { name: 'Hide 12 weak ones' }).click()
  await rows.nth(2).waitFor({ state: 'detached' })
})

test('“Select all” selects all, however many there are', async (t) => {
  const COUNT = 1234
  const { page, rows, memory } = await open(t, {
    prepare: ({ options }) => {
      for (let at = 0; at < COUNT; at += 1) captureMemory({ type: 'lesson', body: sentenceOf(at) }, options)
    },
  })
  await rows.first().focus()
  await page.keyboard.press('x')
  const bar = page.getByRole('toolbar', { name: 'Selected memories' })
  await bar.getByRole('button', { name: 'Select all 1,234' }).click()
  await page.getByText('1,234 selected').waitFor()
  await bar.getByRole('button', { name: 'Tag' }).click()
  await page.getByLabel('Tags to add, separated by commas').fill('imported')
  await page.keyboard.press('Enter')
  // Each is a revision of its own: on a busy machine they take minutes.
  await page.getByRole('status').getByText('1,234 memories tagged.').waitFor({ timeout: 300_000 })
  assert.equal(listMemories({ ...memory.options, tags: ['imported'] }).total, COUNT)
})

test('tags are completed, counted and renamed, and the new name is taken back', async (t) => {
  const { page, rows, memory } = await open(t)
  await rows.nth(2).waitFor()
  const suggested = page.locator('.filters datalist option')
  await page.getByLabel('Tag', { exact: true }).focus()
  await suggested.nth(1).waitFor({ state: 'attached' })
  assert.deepEqual(await suggested.evaluateAll((all) => all.map(({ value }) => value)), ['jest', 'pay'])
  await page.getByRole('link', { name: 'All tags' }).click()
  await page.getByRole('list', { name: 'Tags' }).getByRole('button', { name: 'Rename pay' }).click()
  const dialog = page.getByRole('dialog', { name: 'Rename pay' })
  await dialog.getByLabel('New name; empty removes the tag').fill('payments')
  await dialog.getByRole('button', { name: 'Rename' }).click()
  await page.getByRole('link', { name: 'payments' }).waitFor()
  const tagged = (tag) => listMemories({ ...memory.options, tags: [tag] }).total
  assert.deepEqual([tagged('pay'), tagged('payments')], [0, 1])
  await page.getByRole('button', { name: 'Undo' }).click()
  await page.getByRole('button', { name: 'Rename pay', exact: true }).waitFor()
  assert.deepEqual([tagged('pay'), tagged('payments')], [1, 0])
})
