import assert from 'node:assert/strict'
import test from 'node:test'
import { captureMemory, listMemories, recall, showMemory } from '../index.js'
import { goTo, launchBrowser, serveFresh } from './support/browser.mjs'

const browser = await launchBrowser()

async function open(t, options) {
  const ids = []
  const { memory, open } = await serveFresh(t, browser, {
    prepare: ({ options }) => {
      ids.push(captureMemory({ type: 'gotcha', body: 'Mocks leak between suites: reset them' }, options).id)
      ids.push(captureMemory({ type: 'lesson', body: 'Money is an integer of cents' }, options).id)
    },
  })
  const page = await open(options)
  const box = page.getByRole('combobox', { name: 'Search or do something' })
  const choices = page.getByRole('listbox', { name: 'Choices' }).getByRole('option')
  const choose = async (text) => {
    await page.keyboard.type(text)
    await page.waitForFunction(
      (wanted) =>
        document.querySelector('[role=option][aria-selected=true]')?.textContent?.toLowerCase().includes(wanted),
      text.toLowerCase(),
    )
    await page.keyboard.press('Enter')
  }
  return { memory, page, ids, box, choices, choose }
}

test('Ctrl+K opens the palette, also while the user types, and Escape returns to the same place', async (t) => {
  const { page, box } = await open(t)
  await page.getByLabel('What was learned').focus()
  await page.keyboard.press('Control+k')
  await box.waitFor()
  assert.ok(await box.evaluate((element) => element === document.activeElement))
  await page.keyboard.press('Escape')
  await box.waitFor({ state: 'detached' })
  assert.equal(await page.evaluate(() => document.activeElement?.id), 'capture-text')
  await page.keyboard.press('Control+k')
  await page.keyboard.type('health')
  await page.waitForFunction(() => document.querySelector('.palette input')?.value === 'health')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Health' }).waitFor()
})

test('the palette opens a view by its old or new name', async (t) => {
  const { page, choose } = await open(t)
  for (const [word, title] of [
    ['delivery', 'Delivery'],
    ['code graph', 'Code graph'],
    ['provenance', 'Provenance'],
    ['review', 'Review'],
  ]) {
    await page.keyboard.press('Control+k')
    await choose(word)
    await page.getByRole('heading', { name: title, exact: true }).first().waitFor()
  }
  await page.keyboard.press('Control+k')
  await page.keyboard.type('anvil')
  await page.getByRole('option', { name: 'Go to Delivery' }).waitFor()
})

test('the palette finds records, opens them and searches for more', async (t) => {
  const { page, choices } = await open(t)
  await page.keyboard.press('Control+k')
  await page.keyboard.type('mocks')
  await choices.filter({ hasText: 'Mocks leak between suites' }).waitFor()
  await page.keyboard.press('Enter')
  await page.getByText('Mocks leak between suites: reset them').first().waitFor()
  assert.match(page.url(), /entry\/mem_/)
  await page.keyboard.press('Control+k')
  await page.keyboard.type('integers')
  await choices.filter({ hasText: 'Search for “integers”' }).click()
  await page.getByText('1 answer in').waitFor()
  assert.match(page.url(), /memories\?q=integers/)
})

test('the palette captures the typed text', async (t) => {
  const { memory, page, choices } = await open(t)
  await page.keyboard.press('Control+k')
  await page.keyboard.type('Queues are drained at midnight')
  await choices.filter({ hasText: 'Capture “Queues are drained at midnight” as a lesson' }).click()
  await page.getByRole('status').getByText('Captured.').waitFor()
  assert.equal(recall('midnight', memory.options).hits[0].text, 'Queues are drained at midnight')
})

test('the palette acts on a record that it has found', async (t) => {
  const { memory, page, ids, choices } = await open(t)
  await page.keyboard.press('Control+k')
  await page.keyboard.type('mocks')
  await choices.filter({ hasText: 'Mocks leak' }).waitFor()
  await page.keyboard.press('Tab')
  await page.getByRole('combobox', { name: 'What to do with the memory' }).waitFor()
  assert.deepEqual(await choices.allTextContents(), ['Open', 'Edit', 'Pin', 'Copy the text', 'Copy the id', 'Forget'])
  await page.keyboard.press('Escape')
  await page.getByRole('combobox', { name: 'Search or do something' }).waitFor()
  await page.keyboard.type('mocks')
  await choices.filter({ hasText: 'Mocks leak' }).waitFor()
  await page.keyboard.press('Tab')
  await page.keyboard.type('forget')
  await page.waitForFunction(() => document.querySelectorAll('[role=option]').length === 1)
  await page.keyboard.press('Enter')
  const dialog = page.getByRole('dialog', { name: 'Forget this memory?' })
  await dialog.getByRole('button', { name: 'Forget' }).click()
  await page.getByRole('status').getByText('Forgotten.').waitFor()
  assert.equal(showMemory(ids[0], memory.options).state, 'forgotten')
  assert.equal(listMemories(memory.options).total, 1)
})

test('on the page of a record its actions come first', async (t) => {
  const { page, ids, choices } = await open(t)
  await goTo(page, `#/entry/${ids[1]}`)
  await page.getByText('Money is an integer of cents').first().waitFor()
  await page.keyboard.press('Control+k')
  await choices.first().waitFor()
  assert.match(await choices.first().textContent(), /Editthis memory/)
  await page.keyboard.press('Enter')
  await page.waitForFunction(() => document.activeElement?.tagName === 'TEXTAREA')
})

test('the palette begins with the last query and what was opened last, and shows the keys of its actions', async (t) => {
  const { page, ids, choices } = await open(t, { view: 'memories?q=mocks' })
  await page.getByText('1 answer in').waitFor()
  await goTo(page, `#/entry/${ids[1]}`)
  await page.getByRole('heading', { name: 'Money is an integer of cents' }).waitFor()
  await goTo(page, '#/home')
  await page.getByRole('heading', { name: 'Home' }).waitFor()
  await page.keyboard.press('Control+k')
  await choices.first().waitFor()
  const labels = await choices.locator('.palette-label').allTextContents()
  assert.deepEqual(labels.slice(0, 3), ['Search again for “mocks”', 'Money is an integer of cents', 'Go to Home'])
  assert.equal(await choices.filter({ hasText: 'Go to Review' }).locator('.key').textContent(), 'g r')
  await page.keyboard.press('Enter')
  await page.getByText('1 answer in').waitFor()
})
