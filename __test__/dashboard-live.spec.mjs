import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { captureMemory, listMemories, listReview, rateMemory } from '../index.js'
import { goTo, launchBrowser, painted, serveFresh, startCapturer } from './support/browser.mjs'
import { sentenceOf } from './support/memory.mjs'

const TRIES = 8

const browser = await launchBrowser()

test('captures of other processes appear on the page without a reload', async (t) => {
  const { memory, open } = await serveFresh(t, browser)
  const page = await open()
  const capture = await startCapturer(t, memory)
  const delays = []
  for (let at = 0; at < TRIES; at += 1) {
    const body = sentenceOf(at)
    const shown = painted(page, body)
    const { at: began } = await capture({ type: 'lesson', body, tool: 'forge_sweep' })
    delays.push((await shown) - began)
  }
  t.diagnostic(`capture to paint: ${delays.join(', ')} ms`)
  await page.locator('.kpi', { hasText: 'Captures' }).getByText(String(TRIES), { exact: true }).waitFor()
})

test('numbers, charts and lists follow without a reload', async (t) => {
  const { memory, open } = await serveFresh(t, browser)
  const page = await open()
  const capture = await startCapturer(t, memory)
  await page.getByText('This memory is empty.').waitFor()
  await capture({ type: 'gotcha', body: sentenceOf(1), tool: 'forge_sweep' })
  await capture({ type: 'gotcha', body: sentenceOf(1), tool: 'forge_analyze' })
  const kpi = (name, value) => page.locator('.kpi', { hasText: name }).getByText(value, { exact: true }).waitFor()
  await kpi('Captures', '2')
  await kpi('Memories', '1')
  await kpi('Already known', '50%')
  await page.getByRole('slider', { name: 'Captures per hour' }).waitFor()
  assert.match(await page.getByRole('list', { name: 'Captures by tool' }).textContent(), /forge_analyze1.*forge_sweep1/)
  await page.getByRole('log', { name: 'Live feed' }).getByText('already known').waitFor()

  await goTo(page, '#/memories')
  await page.getByRole('status').filter({ hasText: '1 memory' }).waitFor()
  await capture({ type: 'lesson', body: sentenceOf(2), tool: 'forge_sweep' })
  await page.getByRole('status').filter({ hasText: '2 memories' }).waitFor()
})

test('the feed says in words what happened to a record, and leads to it', async (t) => {
  const { memory, open } = await serveFresh(t, browser)
  const page = await open()
  const capture = await startCapturer(t, memory)
  await capture({ type: 'decision', body: 'The session timeout is 30 minutes' })
  await capture({ type: 'decision', body: 'The session timeout is 45 minutes since the audit' })
  const feed = page.getByRole('log', { name: 'Live feed' })
  const retired = feed.getByRole('link').filter({ hasText: 'Retired by a newer memory' })
  await retired.getByText('The session timeout is 30 minutes').waitFor()
  assert.doesNotMatch(await feed.textContent(), /\{"|memory-/, 'raw events are shown')
})

test('a page that lost the server reconnects by itself and shows every event', async (t) => {
  const { memory, server, start, open } = await serveFresh(t, browser)
  const page = await open({ isTroubled: true })
  const capture = await startCapturer(t, memory)
  await capture({ type: 'lesson', body: sentenceOf(1) })
  await page.getByText(sentenceOf(1)).first().waitFor()

  await server.stop()
  await page.locator('.connection.is-waiting').waitFor()
  assert.match(await page.locator('.connection').textContent(), /Offline/)
  await page.getByRole('log').getByText(sentenceOf(1)).waitFor()
  await capture({ type: 'lesson', body: sentenceOf(2) })
  await start({ port: server.port, token: server.token })
  await page.locator('.connection.is-live').waitFor()
  await page.getByRole('log').getByText(sentenceOf(2)).waitFor()
  const rows = await page.getByRole('log').locator('.event-text').allTextContents()
  assert.deepEqual(rows, [sentenceOf(2), sentenceOf(1)])
})

test('a paused feed shows no new events until it is resumed', async (t) => {
  const { memory, open } = await serveFresh(t, browser)
  const page = await open()
  const capture = await startCapturer(t, memory)
  await capture({ type: 'lesson', body: sentenceOf(1) })
  await page.getByRole('log').getByText(sentenceOf(1)).waitFor()
  await page.getByRole('button', { name: 'Pause' }).click()
  await capture({ type: 'lesson', body: sentenceOf(2) })
  const more = page.getByRole('button', { name: 'Show 1 more' })
  await more.waitFor()
  assert.equal(await page.getByRole('log').locator('.event').count(), 1)
  await more.click()
  assert.equal(await page.getByRole('log').locator('.event').count(), 2)
})

test('without its token the page gives a hint, and accepts a pasted address', async (t) => {
  const { server } = await serveFresh(t, browser)
  const context = await browser.newContext()
  t.after(() => context.close())
  const page = await context.newPage()
  await page.goto(server.origin)
  await page.getByRole('heading', { name: 'One step is missing' }).waitFor()
  await page.getByText('forge-memory dashboard').waitFor()
  await page.getByLabel('Or paste the address or the token here').fill(server.url)
  await page.getByRole('button', { name: 'Open' }).click()
  await page.locator('.connection.is-live').waitFor()
  assert.ok(!page.url().includes(server.token), 'the token is still in the address')

  await page.goto(`${server.origin}/#token=${'0'.repeat(32)}`)
  await page.getByRole('heading', { name: 'This address is out of date' }).waitFor()
})

test('the feed shows texts instead of ids', async (t) => {
  const { memory, open } = await serveFresh(t, browser)
  const { id } = captureMemory({ type: 'lesson', body: 'The cache is **cold** after a deploy' }, memory.options)
  rateMemory(id, 'useful', { ...memory.options, session: 'one' })
  const page = await open()
  const feed = page.getByRole('log', { name: 'Live feed' })
  await feed.getByText('The cache is cold after a deploy').nth(1).waitFor()
  const rows = await feed.locator('.event').allTextContents()
  assert.equal(rows.length, 2)
  assert.ok(!rows.some((text) => text.includes(id.slice(-8))), 'an id is shown')
})

test('what one tab decides or takes back is shown in the other, and nothing is decided twice', async (t) => {
  const { memory, open } = await serveFresh(t, browser, {
    prepare: ({ project, options }) => {
      writeFileSync(join(project, '.forge.json'), JSON.stringify({ review: 'agents' }))
      for (const at of [1, 2])
        captureMemory({ type: 'lesson', body: sentenceOf(at), tool: 'claude' }, { ...options, author: 'agent' })
    },
  })
  const [one, other] = [
    await open({ view: 'review', isTroubled: true }),
    await open({ view: 'review', isTroubled: true }),
  ]
  const waits = (page) => page.getByRole('list', { name: 'To review' }).getByRole('listitem')
  const rowOf = (page, at) => waits(page).filter({ hasText: sentenceOf(at) })
  const accept = (page, at) => rowOf(page, at).getByRole('button', { name: 'Accept' }).click()
  for (const page of [one, other]) await waits(page).nth(1).waitFor()
  await accept(one, 1)
  await rowOf(other, 1).waitFor({ state: 'detached' })
  await one.getByRole('button', { name: 'Undo' }).click()
  for (const page of [one, other]) await rowOf(page, 1).waitFor()
  await Promise.all([accept(one, 2), accept(other, 2)])
  for (const page of [one, other]) await rowOf(page, 2).waitFor({ state: 'detached' })
  assert.deepEqual([listMemories(memory.options).total, listReview(memory.options).length], [1, 1])
})
