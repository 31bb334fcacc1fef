// The review: a list in which one or many are decided, contradictions, and what a capture has done to other memories.
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { captureMemory, listMemories, listReview, showMemory } from '../index.js'
import { violations } from './support/accessibility.mjs'
import { goTo, launchBrowser, serveFresh } from './support/browser.mjs'
import { sentenceOf } from './support/memory.mjs'

const browser = await launchBrowser()

async function open(t, count, options = {}) {
  const ids = []
  const served = await serveFresh(t, browser, {
    prepare: ({ project, options }) => {
      writeFileSync(join(project, '.forge.json'), JSON.stringify({ review: 'agents' }))
      for (let at = 0; at < count; at += 1) {
        const capture = { type: 'lesson', body: sentenceOf(at), tool: 'claude' }
        ids.push(captureMemory(capture, { ...options, author: 'agent' }).id)
      }
    },
  })
  const page = await served.open({ view: 'review', ...options })
  const rows = page.getByRole('list', { name: 'To review' }).getByRole('listitem')
  const states = () => ids.map((id) => showMemory(id, { ...served.memory.options, includeProposed: true }).state)
  return { ...served, page, rows, ids, states }
}

test('the inbox is one list: keys decide about the current one, and are on its buttons', async (t) => {
  const { page, rows, states } = await open(t, 3)
  await rows.nth(2).waitFor()
  assert.deepEqual(await page.locator('.waiting-one .key:visible').allTextContents(), ['y', 'e', 'n'])
  assert.equal(await rows.first().locator('.key:visible').count(), 3)
  await page.keyboard.press('j')
  await page.keyboard.press('j')
  await page.locator('.waiting-one:nth-child(2).is-at').waitFor()
  await page.keyboard.press('n')
  await rows.nth(2).waitFor({ state: 'detached' })
  assert.deepEqual(states(), ['proposed', 'rejected', 'proposed'])
  // The toast names what was decided by its text.
  await page.getByRole('status').getByText('Rejected').waitFor()
  await page.locator('.notice blockquote', { hasText: sentenceOf(1) }).waitFor()
  await page.keyboard.press('u')
  await rows.nth(2).waitFor()
  assert.deepEqual(states(), ['proposed', 'proposed', 'proposed'])
  // A row that is not current is decided with the first click: its buttons stay where they are.
  await rows.first().getByRole('button', { name: 'Reject' }).click()
  await rows.nth(2).waitFor({ state: 'detached' })
  await page.locator('.waiting-one.is-at').getByRole('button', { name: 'Edit' }).click()
  await page.getByLabel('The text to store in its place').fill('Deploys need two people')
  await page.getByRole('button', { name: 'Accept this text' }).click()
  await rows.nth(1).waitFor({ state: 'detached' })
  assert.deepEqual(states().filter((state) => state === 'proposed').length, 1)
})

test('a row of the review is one line; the current one says what it would retire with both texts, and where it was said', async (t) => {
  const { page, rows, memory } = await open(t, 2, { view: 'home' })
  const person = { ...memory.options, author: 'person' }
  const old = captureMemory({ type: 'decision', body: 'The API listens on port 8080' }, person).id
  const body = 'The gateway of the API listens on port 9090'
  captureMemory(
    { type: 'decision', body, supersedes: old, confidence: 0.95, tool: 'claude' },
    { ...memory.options, author: 'agent', session: 'mcp:one' },
  )
  await goTo(page, '#/review')
  await rows.nth(2).waitFor()
  const heights = await rows.evaluateAll((all) => all.map((row) => row.clientHeight))
  assert.ok(heights[1] < 60 && heights[2] < 60, `rows of ${heights} pixels`)
  await page.getByRole('radio', { name: 'Surest first' }).check()
  const first = rows.first()
  await first.getByText('95%').waitFor()
  await first.getByRole('group', { name: 'Accepting it retires' }).getByText('The API listens on port 8080').waitFor()
  await first.getByRole('group', { name: 'What a person said gives way to' }).getByText('9090').waitFor()
  assert.deepEqual(await violations(page), [])
  // Nothing is accepted unseen while no confidence is measured.
  assert.equal(await page.getByRole('button', { name: /above/ }).count(), 0)
  const second = page.locator('.waiting-one').nth(1)
  await second.locator('.waiting-title').click()
  await second.getByRole('link', { name: 'Find the turn in which it was said' }).click()
  await page.getByRole('heading', { name: 'Past sessions' }).waitFor()
  assert.notEqual(await page.getByLabel('Search past sessions').inputValue(), '')
})

test('several are accepted at once, and “Select all” selects all, more than are drawn as well', async (t) => {
  const { page, rows, memory } = await open(t, 130)
  await rows.nth(99).waitFor()
  assert.equal(await rows.count(), 100)
  await page.getByRole('checkbox', { name: 'Select all 130' }).check()
  await page.getByText('130 selected').waitFor()
  await rows.first().getByRole('checkbox').uncheck()
  await page.getByRole('button', { name: 'Accept selected' }).click()
  await page.getByRole('status').getByText('129 memories accepted.').waitFor()
  await rows.nth(1).waitFor({ state: 'detached' })
  assert.equal(listReview(memory.options).length, 1)
  assert.equal(listMemories(memory.options).total, 129)
  await page.getByRole('button', { name: 'Undo' }).click()
  await page.getByText('Taken back: 129 changes.').waitFor()
  // One message, which names some of what was taken back.
  assert.equal(await page.locator('.notice').count(), 1)
  assert.equal(await page.locator('.notice blockquote').count(), 3)
  await page.getByRole('checkbox', { name: 'Select all 130' }).waitFor()
  assert.deepEqual([listReview(memory.options).length, listMemories(memory.options).total], [130, 0])
})

test('an empty review says what comes there, and where to look', async (t) => {
  const { page } = await open(t, 0)
  await page.getByText('Nothing waits for a review').waitFor()
  await page.getByRole('link', { name: 'Settings' }).first().waitFor()
  await page.getByRole('link', { name: 'past sessions' }).click()
  await page.getByRole('heading', { name: 'Lessons in past sessions' }).waitFor()
})

test('every change offers to take it back: forgetting, an edit, many at once', async (t) => {
  const { page, memory } = await open(t, 0, { view: 'memories' })
  const person = { ...memory.options, author: 'person' }
  const one = captureMemory({ type: 'lesson', body: 'Jest hangs in watch mode' }, person)
  captureMemory({ type: 'lesson', body: 'Money is an integer of cents' }, person)
  const texts = () =>
    listMemories(memory.options)
      .entries.map(({ text }) => text)
      .sort()
  const before = texts()
  const undo = page.getByRole('button', { name: 'Undo' })
  const list = page.getByRole('list', { name: 'Memories' }).locator('.hit')
  await list.nth(1).waitFor()
  await list.first().focus()
  await page.keyboard.press('x')
  const bar = page.getByRole('toolbar', { name: 'Selected memories' })
  await bar.getByRole('button', { name: 'Select both' }).click()
  await bar.getByRole('button', { name: 'Forget' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Forget' }).click()
  await page.getByText('2 memories forgotten.').waitFor()
  assert.deepEqual(texts(), [])
  await undo.click()
  await page.getByText('Taken back: 2 changes.').waitFor()
  await list.nth(1).waitFor()
  assert.deepEqual(texts(), before)
  const [{ id }] = listMemories({ ...memory.options, limit: 10 }).entries.filter(({ text }) => text.startsWith('Jest'))
  await page.evaluate((to) => {
    location.hash = to
  }, `#/entry/${id}?edit=yes`)
  await page.getByLabel('Text', { exact: true }).fill('Vitest hangs in watch mode')
  await page.getByRole('button', { name: 'Save revision' }).click()
  await page.getByText('Saved as a new revision.').waitFor()
  // The key of the button works without it.
  await page.getByRole('heading', { level: 1 }).focus()
  await page.keyboard.press('u')
  await page.getByText('Taken back: Jest hangs in watch mode').waitFor()
  assert.deepEqual(texts(), before)
  assert.ok(one.id)
})

test('what a capture has retired is shown with its text, and both hold at a button', async (t) => {
  const { page, memory } = await open(t, 0, { view: 'home' })
  captureMemory({ type: 'decision', body: 'The API listens on port 8080' }, { ...memory.options, author: 'person' })
  await page.getByLabel('What was learned').fill('The API listens on port 9090')
  await page.getByRole('radio', { name: 'decision' }).check()
  await page.getByRole('button', { name: 'Capture' }).click()
  const offer = page.getByRole('region', { name: 'What it may replace' })
  await offer.getByText('It took the place of:').waitFor()
  await offer.getByRole('link', { name: 'The API listens on port 8080' }).waitFor()
  await page.locator('.notice blockquote', { hasText: 'The API listens on port 8080' }).waitFor()
  const card = page.getByRole('region', { name: 'Retired in the last 7 days' })
  await card.getByText('The API listens on port 8080').waitFor()
  await offer.getByRole('button', { name: 'Both hold' }).click()
  await card.waitFor({ state: 'detached' })
  assert.equal(listMemories(memory.options).total, 2)
})

test('a type is suggested by what the text says, and the choice of a person counts more', async (t) => {
  const { page } = await open(t, 0, { view: 'home' })
  const chosen = async () => page.locator('.capture [type=radio]:checked').getAttribute('value')
  const field = page.getByLabel('What was learned')
  for (const [text, type] of [
    ['The release script fails on macOS', 'gotcha'],
    ['We use PostgreSQL 16 instead of MySQL', 'decision'],
    ['Branches are named after the area', 'convention'],
    ['Profiling showed that parsing is slow', 'lesson'],
  ]) {
    await field.fill(text)
    assert.equal(await chosen(), type, text)
  }
  await page.getByRole('radio', { name: 'pattern' }).check()
  await field.fill('The release script fails on macOS')
  assert.equal(await chosen(), 'pattern')
})

test('a message takes the place of the one before, and names what was taken back', async (t) => {
  const { page, memory } = await open(t, 0, { view: 'home' })
  const [first, second] = ['Jest hangs in watch mode', 'Money is an integer of cents'].map(
    (body) => captureMemory({ type: 'lesson', body }, { ...memory.options, author: 'person' }).id,
  )
  const shown = page.locator('.notice')
  const undo = page.getByRole('button', { name: 'Undo' })
  for (const [id, verdict, says] of [
    [first, 'Useful', 'Counted: it comes up earlier.'],
    [second, 'Not useful', 'Counted: agents get it later, or not at all.'],
  ]) {
    await goTo(page, `#/entry/${id}`)
    await page.getByRole('heading', { level: 1, name: verdict === 'Useful' ? /^Jest/ : /^Money/ }).waitFor()
    await page.getByRole('button', { name: verdict, exact: true }).click()
    await shown.getByText(says).waitFor()
    assert.equal(await shown.count(), 1)
  }
  await undo.click()
  await shown.getByText('Taken back: Money is an integer of cents').waitFor()
  assert.equal(await shown.count(), 1)
  assert.equal(await undo.count(), 0)
})
