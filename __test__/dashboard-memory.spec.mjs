// A memory: its own page, and its row in a list.
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { captureMemory, editMemory, findProject, listMemories, showMemory } from '../index.js'
import { recordMoments } from '../scripts/screenshots/history.mjs'
import { settled, violations } from './support/accessibility.mjs'
import { launchBrowser, serveFresh } from './support/browser.mjs'

const browser = await launchBrowser()
const DAY_MS = 86_400_000

test('the page of a memory says how often agents were given it, renews and pins it, and its history is a line of time', async (t) => {
  let id
  const { memory, open } = await serveFresh(t, browser, {
    prepare: ({ options }) => {
      const person = { ...options, author: 'person' }
      const expiresAt = new Date(Date.now() + 3 * DAY_MS).toISOString()
      const first = captureMemory({ type: 'gotcha', body: 'Jest needs --runInBand on Windows', expiresAt }, person)
      id = editMemory(first.id, { body: 'Jest needs --runInBand on Windows. It hangs else.' }, person).id
      const at = (minutes) => new Date(Date.now() + minutes * 60_000).toISOString()
      const told = { hook: 'before-tool', host: 'claude', kind: 'told', why: ['file a.ts'], tokens: 9, ms: 5 }
      recordMoments(findProject(options), [
        { ...told, at: at(1), session: 'one', ids: [first.id] },
        { ...told, at: at(2), session: 'two', ids: [id] },
        { hook: 'before-tool', host: 'claude', kind: 'used', at: at(3), session: 'two', id, how: 'file' },
      ])
    },
  })
  const page = await open({ view: `entry/${id}` })
  await page.getByRole('heading', { level: 1, name: 'Jest needs --runInBand on Windows.' }).waitFor()
  const details = page.getByRole('region', { name: 'Details' })
  await details.getByText('2 times, used 1 time').waitFor()
  const points = page.getByRole('region', { name: 'History' }).getByRole('listitem')
  await points.nth(3).waitFor()
  const told = await points.allTextContents()
  assert.match(told[0], /given to claude for file a\.ts, and it was used/)
  assert.match(told[1], /given to claude for file a\.ts/)
  assert.match(told[2], /^current.*said by person/)
  assert.match(told[3], /^superseded/)

  await details.getByRole('button', { name: 'Renew' }).click()
  await page.getByRole('status').getByText('Renewed').waitFor()
  assert.ok(Date.parse(showMemory(id, memory.options).entry.expiresAt) > Date.now() + 14 * DAY_MS)

  await page.getByRole('button', { name: 'Pin' }).click()
  await page.getByRole('button', { name: 'Unpin' }).waitFor()
  await page.getByRole('button', { name: 'Useful', exact: true }).click()
  await details.getByText('useful 1, wrong 0').waitFor()
  assert.deepEqual(await violations(page), [])
})

test('a contradiction is on the page of both memories, with both texts and the decision', async (t) => {
  const { memory, open } = await serveFresh(t, browser, {
    prepare: ({ options }) => {
      captureMemory(
        { type: 'decision', body: 'The API of the shop listens on port 8080' },
        { ...options, author: 'person' },
      )
      captureMemory(
        { type: 'decision', body: 'The API of the shop listens on port 9090' },
        { ...options, author: 'agent' },
      )
    },
  })
  const [{ id }] = listMemories(memory.options).entries
  const page = await open({ view: `entry/${id}` })
  const card = page.getByRole('region', { name: 'Contradicted' })
  await card.getByRole('group', { name: 'Newer' }).getByText('9090').waitFor()
  await card.getByRole('group', { name: 'Older' }).getByText('8080').waitFor()
  assert.deepEqual(await violations(page), [])
  await card.getByRole('button', { name: 'Both hold' }).click()
  await card.waitFor({ state: 'detached' })
  assert.equal(listMemories(memory.options).total, 2)
})

const LONG = 'Retry the payment call with an idempotency key: otherwise a timeout charges twice, as it did in March'

test('a memory of 64 KB scrolls in its frame, on its page and beside the list, and what can be done with it is in sight', async (t) => {
  const body = `# Notes\n\n${'A memory may have very many words, and `code`. '.repeat(1380)}The very end`
  assert.ok(body.length > 64_000)
  const prepare = ({ options }) => void captureMemory({ type: 'lesson', body }, { ...options, author: 'person' })
  const { memory, open } = await serveFresh(t, browser, { prepare })
  const [{ id }] = listMemories(memory.options).entries
  for (const [isPhone, view] of [
    [false, 'memories'],
    [false, `entry/${id}`],
    [true, `entry/${id}`],
  ]) {
    const page = await open({ isPhone, view })
    const text = page.locator('.entry-text')
    await text.waitFor()
    const edit = await page.locator('main').getByText('Edit', { exact: true }).boundingBox()
    assert.ok(edit.y + edit.height <= page.viewportSize().height, `${view}: ${edit.y}`)
    await text.focus()
    await page.keyboard.press('End')
    await page.waitForFunction(() => {
      const { scrollTop, scrollHeight, clientHeight } = document.querySelector('.entry-text')
      return scrollTop > 0 && scrollTop + clientHeight >= scrollHeight - 1
    })
    assert.deepEqual(await violations(page), [])
  }
})

test('a row has two lines of its text without a gap in it, and says by which words it was found', async (t) => {
  const { open } = await serveFresh(t, browser, {
    prepare: ({ options }) => {
      captureMemory({ type: 'lesson', body: `${LONG}. Seen in the checkout` }, options)
      captureMemory({ type: 'gotcha', body: 'المستودع لا يقبل الملفات الكبيرة: payment' }, options)
    },
  })
  for (const isPhone of [false, true]) {
    const page = await open({ isPhone, view: 'memories?q=payments' })
    const row = page.locator('.hit', { hasText: 'Retry the payment' })
    await row.getByText('has payments').waitFor()
    assert.ok(!(await row.textContent()).includes('score'))
    const text = row.locator('.two-lines')
    assert.equal(await text.textContent(), `${LONG}. Seen in the checkout`)
    const { lines, isInside } = await text.evaluate((element) => {
      const { bottom } = element.getBoundingClientRect()
      const height = Number.parseFloat(getComputedStyle(element).lineHeight)
      return {
        lines: Math.round(element.clientHeight / height),
        isInside: bottom <= element.closest('li').getBoundingClientRect().bottom,
      }
    })
    assert.deepEqual([lines, isInside], [2, true])
    assert.deepEqual(await violations(page), [])
    await settled(page, 'home')
    assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= (isPhone ? 360 : 1280))
  }
})

test('the page of a memory says which machine wrote it, as far as its line does', async (t) => {
  const bodies = ['Written on this machine', 'Written on another machine', 'Written by an older version']
  const { memory, open } = await serveFresh(t, browser, {
    prepare: ({ project, options }) => {
      for (const body of bodies) captureMemory({ type: 'lesson', body }, options)
      const path = join(project, '.forge/memory-captures.jsonl')
      const [own, other, older] = readFileSync(path, 'utf8').split('\n')
      const changed = [own, other.replace(/"_mark":"\w/, '"_mark":"x'), older.replace(/,"_mark":"\w+"/, '')]
      writeFileSync(path, changed.map((line) => `${line}\n`).join(''))
    },
  })
  const page = await open()
  const said = []
  for (const { id, text } of listMemories(memory.options).entries) {
    await settled(page, `entry/${id}`)
    await page.getByRole('heading', { level: 1, name: text }).waitFor()
    const fact = page.getByText('Machine', { exact: true })
    said.push([
      text,
      (await fact.count()) === 0 ? undefined : await fact.evaluate((term) => term.nextElementSibling.textContent),
    ])
  }
  assert.deepEqual(Object.fromEntries(said), {
    [bodies[0]]: 'this one',
    [bodies[1]]: 'another one, or this one before the folder was moved',
    [bodies[2]]: undefined,
  })
})

test('a heading is the title by itself, however short, in the row and on the page of a memory', async (t) => {
  const { open } = await serveFresh(t, browser, {
    prepare: ({ options }) => {
      captureMemory({ type: 'lesson', body: '# Notes\nThe build hangs without a cache.' }, options)
      captureMemory({ type: 'lesson', body: '## **Pools**\n\n- Close them last' }, options)
      captureMemory({ type: 'lesson', body: 'In short\nmost retries are of no use' }, options)
    },
  })
  const page = await open({ view: 'memories' })
  const titles = page.locator('.rows .hit-title')
  await titles.nth(2).waitFor()
  assert.deepEqual(await titles.allTextContents(), ['In short\nmost retries are of no use', 'Pools', 'Notes'])
  assert.equal(await page.locator('.rows .hit-gist').last().textContent(), 'The build hangs without a cache.')
  await page.locator('.rows .hit').last().click()
  await page.getByRole('heading', { level: 1, name: 'Notes', exact: true }).waitFor()
})
