// What the page says when the server is gone or was started again, and how it comes back.
import assert from 'node:assert/strict'
import test from 'node:test'
import { captureMemory } from '../index.js'
import { launchBrowser, serveFresh } from './support/browser.mjs'

const browser = await launchBrowser()

test('a page reconnects after a restart of the server with its token', async (t) => {
  const { memory, server, start, open } = await serveFresh(t, browser)
  const page = await open({ isTroubled: true })
  await server.stop()
  await page.locator('.connection.is-waiting').waitFor()
  const next = await start({ port: server.port })
  assert.equal(next.token, server.token)
  await page.locator('.connection.is-live').waitFor()
  captureMemory({ type: 'lesson', body: 'Captured after the restart' }, memory.options)
  await page.getByRole('log').getByText('Captured after the restart').waitFor()
})

test('without a server the page says since when, and how to start it', async (t) => {
  const { memory, server, start, open } = await serveFresh(t, browser, {
    prepare: ({ options }) => void captureMemory({ type: 'lesson', body: 'Still to be read' }, options),
  })
  const page = await open({ isTroubled: true })
  await page.getByText('Still to be read').first().waitFor()
  await server.stop()
  const outage = page.getByRole('region', { name: 'The server does not answer' })
  await outage.waitFor()
  assert.match(await outage.textContent(), /does not answer since \d\d:\d\d:\d\d/)
  await outage.getByText('forge-memory serve').waitFor()
  // What was there stays there.
  assert.ok(await page.getByText('Still to be read').first().isVisible())
  await start({ port: server.port })
  // The page may be back by itself before the button is pressed.
  await outage.getByRole('button', { name: 'Try now' }).evaluateAll(([button]) => button?.click())
  await page.locator('.connection.is-live').waitFor()
  await outage.waitFor({ state: 'detached' })
  assert.ok(memory.project)
})

test('after a restart with another token, the page says where to find the new address', async (t) => {
  const { server, start, open } = await serveFresh(t, browser)
  const page = await open({ isTroubled: true })
  await server.stop()
  await page.locator('.connection.is-waiting').waitFor()
  const next = await start({ port: server.port, token: 'T'.repeat(43) })
  await page.getByRole('heading', { name: 'This address is out of date' }).waitFor()
  await page.getByText('The server was started again since').waitFor()
  await page.getByLabel('Or paste the address or the token here').fill(next.url)
  await page.keyboard.press('Enter')
  await page.locator('.connection.is-live').waitFor()
})
