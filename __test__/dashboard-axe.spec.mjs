// The rules of accessibility and of layout, in every view: without records, with a few, with twenty thousand; on a desk and on a phone.
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { captureMemory, keepMemory } from '../index.js'
import { writeHistory } from '../scripts/screenshots/history.mjs'
import { settled, violations } from './support/accessibility.mjs'
import { goTo, launchBrowser, serveFresh } from './support/browser.mjs'
import { layoutFaults } from './support/layout.mjs'

const VIEWS = [
  'home',
  'home/projects',
  'memories',
  'memories?by=type',
  'memories?q=tests',
  'memories/tags',
  'review',
  'review/conflicts',
  'sessions',
  'sessions/past',
  'sessions/backfill',
  'health',
]
const OTHERS = ['health/delivery', 'health/code', 'health/provenance', 'health/settings']
const browser = await launchBrowser()

/** The first is kept, so the last one is in conflict with it. */
const PORTS = [8080, 9090, 7070].map((port) => `The API listens on port ${port}`)

/** Something of everything that a person can meet: types of their own, proposals, contradictions. */
function prepareWith(count) {
  return ({ project, options }) => {
    if (count === 0) return
    writeHistory(project, { count, changed: count > 10 ? 1 : 0, letters: Math.min(3, count) })
    writeFileSync(join(project, '.forge.json'), JSON.stringify({ projectName: 'shop', review: 'agents' }))
    const person = { ...options, author: 'person' }
    const [kept] = PORTS.slice(0, 2).map((body) => captureMemory({ type: 'incident', body }, person))
    keepMemory(kept.id, person)
    captureMemory({ type: 'incident', body: PORTS[2] }, person)
    captureMemory({ type: 'recipe', body: 'Proposed by an agent' }, { ...options, author: 'agent' })
  }
}

const LOOKS = [
  { isPhone: false, colorScheme: 'light' },
  { isPhone: false, colorScheme: 'dark' },
  { isPhone: true, colorScheme: 'light' },
  { isPhone: true, colorScheme: 'dark' },
]

for (const count of [0, 20, 20_000]) {
  test(`no view of ${count} records breaks a rule of accessibility, on a desk or on a phone, in light or dark colours`, async (t) => {
    const { open } = await serveFresh(t, browser, { prepare: prepareWith(count) })
    for (const look of LOOKS) {
      const page = await open({ ...look, isTroubled: true })
      for (const view of [...VIEWS, ...OTHERS]) {
        await settled(page, view)
        assert.deepEqual(await violations(page), [], `${view} ${JSON.stringify(look)}`)
        assert.deepEqual(await layoutFaults(page), [], `${view} ${JSON.stringify(look)}`)
        const { clientWidth, scrollWidth } = await page.evaluate(() => {
          const { clientWidth, scrollWidth } = document.documentElement
          return { clientWidth, scrollWidth }
        })
        assert.ok(scrollWidth <= clientWidth, `${view} is wider than the screen`)
        const cut = await page.evaluate(
          () =>
            [...document.querySelectorAll('.table-frame:not(details *)')].filter(
              (frame) => frame.scrollWidth > frame.clientWidth + 1,
            ).length,
        )
        assert.equal(cut, 0, `${view} cuts the columns of a table`)
      }
    }
  })
}

test('the palette, a selection and the confirmation before forgetting are accessible too', async (t) => {
  const { open } = await serveFresh(t, browser, { prepare: prepareWith(20) })
  for (const look of LOOKS) {
    const page = await open({ ...look, view: 'memories' })
    await page.locator('.rows .hit').first().waitFor()
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox', { name: 'Search or do something' }).fill('tests')
    await page.getByRole('option', { name: /^Search for/ }).waitFor()
    assert.deepEqual(await violations(page), [], 'palette')
    await page.keyboard.press('Escape')
    await page.locator('.rows .hit').first().focus()
    await page.keyboard.press('x')
    const bar = page.getByRole('toolbar', { name: 'Selected memories' })
    await bar.waitFor()
    assert.deepEqual(await violations(page), [], 'chosen')
    for (const name of ['Tag', 'Forget']) {
      await bar.getByRole('button', { name }).click()
      await page.getByRole('dialog').waitFor()
      assert.deepEqual(await violations(page), [], name)
      await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()
      await page.getByRole('dialog').waitFor({ state: 'detached' })
    }
    await goTo(page, '#/review/conflicts')
    await page.getByRole('button', { name: 'Merge them' }).first().waitFor()
    await page.keyboard.press('m')
    await page.getByRole('form', { name: 'Merge' }).waitFor()
    assert.deepEqual(await violations(page), [], 'merge')
  }
})
