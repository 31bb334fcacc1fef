import assert from 'node:assert/strict'
import { appendFileSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { agentStanding, captureMemory, diagnose } from '../index.js'
import { writeHistory } from '../scripts/screenshots/history.mjs'
import { boxesOf, goTo, launchBrowser, serveFresh, settled } from './support/browser.mjs'

const browser = await launchBrowser()

/** Opens a view, and waits until it is loaded: a button that moves between press and release is not clicked. */
async function open(t, { view = 'health', ...options }) {
  const served = await serveFresh(t, browser, options)
  const page = await served.open({ view })
  await settled(page)
  return { ...served, page }
}

test('the view of health shows checks, files, index, vectors, cache and deliveries', async (t) => {
  const { page } = await open(t, { prepare: ({ project }) => void writeHistory(project, { count: 80 }) })
  const kpi = (name) => page.locator('.kpi', { hasText: name }).locator('.kpi-value')
  await kpi('Files').filter({ hasText: 'iB' }).waitFor()
  assert.equal(await kpi('Index').textContent(), '100%')
  assert.equal(await kpi('Vectors').textContent(), 'off')
  assert.equal(await kpi('Search cache').textContent(), '0')
  const findings = page.getByRole('list', { name: 'Findings' }).getByRole('listitem')
  await findings.filter({ hasText: 'records could not be delivered' }).waitFor()
  await page.getByRole('region', { name: 'Files' }).getByText('memory-captures.jsonl', { exact: true }).waitFor()
  await page.getByRole('region', { name: 'Orphans' }).getByText('None').waitFor()
  await page.getByRole('slider', { name: 'Deliveries' }).waitFor()
  const work = page.getByRole('region', { name: 'At work' })
  await work.getByText('File watcher').waitFor()
  // A model that nobody installed is no fault, and a finding is a sentence without codes and ids.
  assert.equal(await page.locator('.dot.is-bad').count(), 0)
  assert.match(await findings.first().textContent(), /3 records could not be delivered to the shared store\./)
  assert.doesNotMatch(await page.locator('main').textContent(), /[0-9a-f]{32}|[A-Z]+_[A-Z]+/)
})

test('where nothing was delivered yet, no word of delivering is among the cards, and none of our own', async (t) => {
  const { page } = await open(t, {})
  await page.getByText('every file under .forge/ is known').waitFor()
  assert.equal(await page.getByRole('region', { name: 'Deliveries' }).count(), 0)
  assert.doesNotMatch(await page.locator('main').textContent(), /\b(drain|hallmark|anvil|lattice|ralph|thoughts)/i)
  await goTo(page, '#/home')
  await page.locator('.kpi', { hasText: 'To review' }).waitFor()
  assert.doesNotMatch(await page.locator('main').textContent(), /deliver/i)
})

test('the cards beside the table of files fill the room that it leaves', async (t) => {
  const { page } = await open(t, { prepare: ({ project }) => void writeHistory(project, { count: 80 }) })
  const card = (name) => page.getByRole('region', { name, exact: true })
  await page.getByText('every file under .forge/ is known').waitFor()
  const { files, orphans, work, verification } = await boxesOf(page, {
    files: card('Files'),
    orphans: card('Orphans'),
    work: card('At work'),
    verification: card('Verification'),
  })
  for (const beside of [orphans, work, verification]) {
    assert.ok(beside.x > files.x + files.width, 'beside the table')
    assert.ok(beside.y < files.y + files.height, 'not below it')
    assert.equal(beside.width, work.width, 'as wide as the others')
  }
})

test('warnings are no faults: only those are red', async (t) => {
  const prepare = ({ project }) => void writeHistory(project, { count: 20, letters: 2 })
  const tone = (page) => page.locator('.kpi', { hasText: 'Checks' }).locator('.kpi-value').getAttribute('style')
  const { page } = await open(t, { prepare })
  await page.getByText('records could not be delivered').waitFor()
  assert.match(await tone(page), /--warning/)
  assert.equal(await page.locator('.finding.is-problem, .badge.is-bad').count(), 0)
  assert.ok((await page.locator('.badge.is-warning').count()) > 0)

  const faulty = await open(t, {
    prepare: (memory) => {
      prepare(memory)
      appendFileSync(memory.forge('lessons.jsonl'), '<<<<<<< HEAD\n=======\n>>>>>>> other\n')
    },
  })
  await faulty.page.locator('.finding.is-problem').first().waitFor()
  assert.match(await tone(faulty.page), /--bad/)
})

test('a button runs lossless repairs', async (t) => {
  const { memory, page } = await open(t, {
    prepare: (memory) => {
      writeHistory(memory.project, { count: 40, letters: 2 })
      const journal = memory.forge('lessons.jsonl')
      const [line] = readFileSync(journal, 'utf8').split('\n')
      appendFileSync(journal, `<<<<<<< HEAD\n${line}\n=======\n${line}\n>>>>>>> other\n`)
    },
  })
  const codes = () => diagnose(memory.options).map(({ code }) => code)
  assert.ok(codes().includes('CONFLICT_MARKERS') && codes().includes('DEAD_LETTERS'))
  await page.getByRole('button', { name: /^Heal the files/ }).click()
  await page.getByRole('status').getByText('Done.').waitFor()
  await page.getByRole('button', { name: /^Heal the files/ }).waitFor({ state: 'detached' })
  assert.ok(!codes().includes('CONFLICT_MARKERS'))
  await page.getByRole('button', { name: /^Put them back in the queue/ }).click()
  await page.getByRole('button', { name: /^Put them back in the queue/ }).waitFor({ state: 'detached' })
  assert.ok(!codes().includes('DEAD_LETTERS'))
})

test('records are verified at a button, and the suspects are links', async (t) => {
  const { page } = await open(t, { prepare: ({ project }) => void writeHistory(project, { count: 60, changed: 2 }) })
  await page.getByRole('button', { name: 'Verify records' }).click()
  const verification = page.getByRole('region', { name: 'Verification' })
  await verification.getByText('Look at these').waitFor()
  const suspects = verification.getByRole('list', { name: 'Suspects' }).getByRole('link')
  assert.ok((await suspects.count()) >= 2)
  await suspects.first().click()
  await page.getByRole('region', { name: 'Provenance' }).getByText('Changed', { exact: true }).waitFor()
})

test('a conflict is settled with a key', async (t) => {
  const ports = [
    ['shop', 8080, 9090],
    ['bank', 7070, 6060],
  ]
  const { page } = await open(t, {
    view: 'review/conflicts',
    prepare: ({ options }) => {
      for (const [what, ...values] of ports) {
        for (const [at, author] of ['person', 'agent'].entries()) {
          const body = `The API of the ${what} listens on port ${values[at]}`
          captureMemory({ type: 'lesson', body }, { ...options, author })
        }
      }
    },
  })
  await page.getByText('2 conflicts').waitFor()
  const newer = page.getByRole('group', { name: 'Newer' })
  assert.match(await newer.first().textContent(), /port [69]0/)
  // The words that differ are marked, and nothing else.
  assert.deepEqual((await newer.locator('mark').allTextContents()).sort(), ['6060', '9090'])
  await page.keyboard.press('1')
  await page.getByText('1 conflict', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'Undo' }).click()
  await page.getByText('2 conflicts', { exact: true }).waitFor()
  await page.keyboard.press('1')
  await page.getByText('1 conflict', { exact: true }).waitFor()
  await page.keyboard.press('m')
  await page.getByLabel('The text that replaces both').fill('The ports of both APIs are in the wiki')
  await page.getByRole('button', { name: 'Store the merged text' }).click()
  await page.getByText('Nothing contradicts anything').waitFor()
  await goTo(page, '#/memories')
  await page.getByRole('status').filter({ hasText: '2 memories' }).waitFor()
})

test('agents are paused and resumed, reviews are turned on, and everything is exported on the page', async (t) => {
  const { memory, page } = await open(t, {
    view: 'health/settings',
    prepare: ({ options }) => void captureMemory({ type: 'lesson', body: 'Money is an integer of cents' }, options),
  })
  const standing = () => agentStanding(memory.options).state
  await page.getByRole('button', { name: 'Pause for an hour' }).click()
  await page.getByText('Paused for an hour.').waitFor()
  assert.equal(standing(), 'paused')
  await page.getByRole('button', { name: 'Resume' }).click()
  await page.getByRole('button', { name: 'Pause for an hour' }).waitFor()
  assert.notEqual(standing(), 'paused')
  await page.getByRole('radio', { name: 'What agents capture' }).check()
  await page.getByText('Saved in .forge.json.').waitFor()
  assert.equal(JSON.parse(readFileSync(join(memory.project, '.forge.json'), 'utf8')).review, 'agents')
  await page.getByText('forge-memory model install').waitFor()
  const saved = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Markdown' }).click()
  const file = await (await saved).path()
  assert.match(readFileSync(file, 'utf8'), /Money is an integer of cents/)
})
