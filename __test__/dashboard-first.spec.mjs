// Home: what a person may have to do comes first, and what is no news is not shown.
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { captureMemory, editMemory, listMemories, publishEvents, showMemory } from '../index.js'
import { writeHistory } from '../scripts/screenshots/history.mjs'
import { launchBrowser, serveFresh } from './support/browser.mjs'

const browser = await launchBrowser()
const DAY_MS = 86_400_000
const inDays = (days) => new Date(Date.now() + days * DAY_MS).toISOString()

test('Home begins with what waits, what expires soon and what was learned since yesterday', async (t) => {
  const { memory, open } = await serveFresh(t, browser, {
    prepare: ({ project, options }) => {
      const person = { ...options, author: 'person' }
      captureMemory({ type: 'gotcha', body: 'The mail sandbox is open until Friday', expiresAt: inDays(3) }, person)
      captureMemory({ type: 'decision', body: 'Money is an integer of cents' }, person)
      writeFileSync(join(project, '.forge.json'), JSON.stringify({ review: 'agents' }))
      captureMemory({ type: 'gotcha', body: 'Jest needs --runInBand on Windows' }, { ...options, author: 'agent' })
    },
  })
  const page = await open()
  await page.getByRole('heading', { name: 'Waits for you' }).waitFor()
  const names = await page.locator('main section h2').allTextContents()
  assert.deepEqual(names.slice(0, 3), ['Waits for you', 'Expires soon', 'Learned since yesterday'])
  const card = (name) => page.getByRole('region', { name })
  await card('Waits for you').getByRole('link', { name: 'Jest needs --runInBand on Windows' }).waitFor()
  await card('Waits for you').getByRole('link', { name: 'Decide about it' }).waitFor()

  await card('Expires soon').getByRole('button', { name: 'Renew' }).click()
  await page.getByRole('status').getByText('Renewed').waitFor()
  await card('Expires soon').getByText('Nothing within two weeks.').waitFor()
  const soon = listMemories(memory.options).entries.find(({ text }) => text.startsWith('The mail sandbox'))
  assert.ok(Date.parse(soon.expiresAt) > Date.now() + 14 * DAY_MS)

  await card('Learned since yesterday').getByRole('button', { name: 'Take back: Money' }).click()
  await page.locator('.notice blockquote', { hasText: 'Money is an integer of cents' }).waitFor()
  await card('Learned since yesterday').getByText('Money').waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Undo' }).click()
  await card('Learned since yesterday').getByText('Money').waitFor()
})

test('neither a delivery nor an edit is news: not in the feed, not as learned, not as retired', async (t) => {
  const { memory, open } = await serveFresh(t, browser)
  const person = { ...memory.options, author: 'person' }
  const { id } = captureMemory({ type: 'lesson', body: 'Jest hangs in watch mode' }, person)
  const page = await open()
  const feed = page.getByRole('log', { name: 'Live feed' })
  await feed.getByText('Jest hangs in watch mode').waitFor()
  const drain = { type: 'openbrain-flush', attempted: 3, delivered: 1, deferred: 2, dlq: 0, durationMs: 7 }
  publishEvents([JSON.stringify(drain)], memory.options)
  const edited = editMemory(id, { body: 'Vitest hangs in watch mode' }, person)
  captureMemory({ type: 'lesson', body: 'Money is an integer of cents' }, person)
  await feed.getByText('Money is an integer of cents').waitFor()
  assert.equal(await feed.locator('.event').count(), 2)
  const learned = page.getByRole('region', { name: 'Learned since yesterday' })
  await learned.getByText('Money is an integer of cents').waitFor()
  assert.equal(await page.getByRole('region', { name: 'Retired in the last 7 days' }).count(), 0)
  assert.equal(showMemory(edited.id, memory.options).revisions.length, 2)
})

test('an edit of an older memory is not learned since yesterday', async (t) => {
  const { open } = await serveFresh(t, browser, {
    prepare: ({ project, options }) => {
      const { thoughts } = writeHistory(project, { count: 5, now: Date.now() - 5 * DAY_MS })
      editMemory(thoughts[0].id, { body: 'Edited only today' }, { ...options, author: 'person' })
    },
  })
  const page = await open()
  await page.getByRole('region', { name: 'Learned since yesterday' }).getByText('Nothing yet.').waitFor()
})
