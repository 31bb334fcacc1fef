import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { keysOf, PRESSED, page, pressed, TASKS } from '../bench/keystrokes.mjs'
import { captureMemory, listMemories, listReview } from '../index.js'
import { launchBrowser, serveFresh, settled } from './support/browser.mjs'
import { root } from './support/project.mjs'
import { freshStage, typed } from './support/typed-pages.mjs'

const browser = await launchBrowser()

test('the keys beside other tools do their tasks on the page, without a click', async (t) => {
  const prepare = ({ project, options }) => {
    captureMemory({ type: 'gotcha', body: 'The pool must be closed last' }, { ...options, author: 'person' })
    writeFileSync(join(project, '.forge.json'), '{"review":"agents"}')
    captureMemory({ type: 'lesson', body: 'Builds need two cores' }, { ...options, author: 'agent' })
  }
  const { memory, open } = await serveFresh(t, browser, { prepare })
  const page = await open()
  const texts = () => listMemories(memory.options).entries.map(({ text }) => text)
  const press = async (name) => {
    await settled(page)
    for (const key of pressed(PRESSED[name].presses)) {
      await page.keyboard.press(key)
      // A person sees what a key has opened before the next one.
      if (name === 'write' && key === 'c')
        await page.waitForFunction(() => document.activeElement.matches('textarea, input'))
      if (key === 'Control+k') await page.getByRole('dialog').waitFor()
      if (name === 'decide' && key === 'r') await page.locator('.waiting-one.is-at').waitFor()
      if (key === 'l' && name === 'find') await page.getByRole('option', { name: /pool must be/ }).waitFor()
    }
  }
  await press('find')
  await page.getByRole('heading', { level: 1, name: /The pool must be closed last/ }).waitFor()
  await press('write')
  await page.getByRole('log', { name: 'Live feed' }).getByText('Vite hangs in CI').waitFor()
  assert.ok(texts().includes('Vite hangs in CI'))
  // The field stays for the next one, until it is left.
  await page.keyboard.press('Escape')
  await press('decide')
  await page.getByRole('status').getByText('Accepted').waitFor()
  const waits = () => [listReview(memory.options).length, texts().includes('Builds need two cores')]
  assert.deepEqual(waits(), [0, true])
  await press('undo')
  await page.locator('.waiting-one').waitFor()
  assert.deepEqual(waits(), [1, false])
  await press('home')
  await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor()
  await press('keys')
  await page.getByRole('dialog').waitFor()
})

test('the page of keystrokes is what its program writes, and no task takes more keys than it did', () => {
  assert.equal(
    readFileSync(join(root, 'bench', 'keystrokes.md'), 'utf8'),
    page(),
    'node bench/keystrokes.mjs writes it',
  )
  assert.equal(TASKS.length, 13)
  assert.ok(keysOf(TASKS[0].now) <= 120, `the first answer takes ${keysOf(TASKS[0].now)} keys`)
  for (const { task, before, now } of TASKS.filter((one) => one.before)) assert.ok(keysOf(now) <= keysOf(before), task)
})

for (const name of ['before', 'now']) {
  test(`what a newcomer types does its task: ${name}`, async (t) => {
    const stage = freshStage(t)
    const shown = async (line) => {
      const { status, output } = await typed(`forge-memory ${line}`, stage)
      assert.deepEqual([line, status], [line, 0], output)
      return output
    }
    const newest = async () => JSON.parse(await shown('--json list -t gotcha -n 1')).entries[0].id
    for (const { task, [name]: lines = [] } of TASKS) {
      for (const line of lines.filter((each) => !each.startsWith('$ '))) {
        const id = line.includes('ID') ? await newest() : ''
        if (task === 'correct it') await shown('add -t gotcha "Jest needs -i"')
        await shown(line.replace('ID', task === 'correct it' ? await newest() : id))
      }
    }
    const texts = JSON.parse(await shown('--json list')).entries.map(({ text }) => text)
    assert.ok(texts.includes('Makefiles use tabs') && texts.includes('Jest needs --runInBand'), texts.join())
  })
}
