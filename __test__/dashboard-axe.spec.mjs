// The rules of accessibility and of layout, in every view: without records, with a few, with twenty thousand; on a desk and on a phone.
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { captureMemory, findProject, keepMemory, rateMemory, reopenMemory } from '../index.js'
import { recordMoments, writeHistory } from '../scripts/screenshots/history.mjs'
import { COLOUR_RULES, recolour, settled, violations } from './support/accessibility.mjs'
import { goTo, launchBrowser, serveFresh } from './support/browser.mjs'
import { layoutFaults } from './support/layout.mjs'

const VIEWS = [
  'home',
  'home/projects',
  'memories',
  'memories?by=type',
  'memories?q=tests',
  'memories/map',
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

/** Checks a view, or what is open: for those who cannot see or point, for texts that touch or are cut, and for what is wider than the screen. */
async function assertSound(page, view, look, rules) {
  const where = `${view ?? page.url()} ${JSON.stringify(look)}`
  if (view !== undefined) await settled(page, view)
  assert.deepEqual(await violations(page, rules), [], where)
  assert.deepEqual(await layoutFaults(page), [], where)
  const { clientWidth, scrollWidth, wide, cut } = await page.evaluate(() => {
    const { clientWidth, scrollWidth } = document.documentElement
    const isOut = (element) => element.getBoundingClientRect().right > clientWidth + 1
    const isScrolled = (element) =>
      element.closest('.table-frame, .tabs, pre, .md table, .unseen, .rows, .plot, .clip, .hit-text, [hidden]')
    const all = [...document.querySelectorAll('#app *')].filter((element) => !isScrolled(element) && isOut(element))
    const frames = [...document.querySelectorAll('.table-frame:not(details *)')]
    return {
      clientWidth,
      scrollWidth,
      wide: all.slice(0, 5).map(({ tagName, className }) => `${tagName}.${className}`),
      cut: frames.filter((frame) => frame.scrollWidth > frame.clientWidth + 1).length,
    }
  })
  assert.deepEqual(wide, [], `${where} ends beside the screen`)
  assert.ok(scrollWidth <= clientWidth, `${where} is wider than the screen`)
  assert.equal(cut, 0, `${where} cuts the columns of a table`)
}

const LOOKS = [
  { isPhone: false, colorScheme: 'light' },
  { isPhone: false, colorScheme: 'dark' },
  { isPhone: true, colorScheme: 'light' },
  { isPhone: true, colorScheme: 'dark' },
]

for (const count of [0, 1, 20, 20_000]) {
  test(`no view of ${count} ${count === 1 ? 'record' : 'records'} breaks a rule of accessibility, on a desk or on a phone, in light or dark colours`, async (t) => {
    const { open } = await serveFresh(t, browser, { prepare: prepareWith(count) })
    for (const isPhone of [false, true]) {
      const page = await open({ isPhone, isTroubled: true })
      for (const view of [...VIEWS, ...OTHERS]) {
        await recolour(page, 'light')
        await assertSound(page, view, { isPhone, colorScheme: 'light' })
        await recolour(page, 'dark')
        await assertSound(page, undefined, { isPhone, colorScheme: 'dark' }, COLOUR_RULES)
      }
    }
  })
}

const LONG = {
  'a text of 60 KB': 'Words and more words of a long text. '.repeat(1650),
  'a word of 60 KB': `w${'W'.repeat(59_000)}`,
  'from right to left': 'المستودع لا يقبل الملفات الكبيرة: استخدم **git lfs** للصور',
  'right to left and left to right': 'قاعدة البيانات listens on port 5432، وليس على 5433\n\n1. أولا\n2. ثانيا',
  emoji: '🚀 Deploys on Friday are fine 🎉 as long as 👩‍👩‍👧 knows 🔥🔥🔥🔥🔥🔥🔥🔥🔥🔥🔥🔥🔥🔥🔥🔥🔥🔥🔥🔥🔥🔥🔥🔥🔥',
  'a table and code': `| ${'column | '.repeat(12)}\n|${'---|'.repeat(12)}\n| ${'cell | '.repeat(12)}\n\n\`\`\`\n${'code '.repeat(200)}\n\`\`\``,
}

/** Texts of every bad kind wherever a text can be: current, proposed, disputed, contradicting, retired, given to an agent, not delivered. */
function prepareHostile({ project, options }) {
  const person = { ...options, author: 'person' }
  const agent = { ...options, author: 'agent' }
  writeHistory(project, {
    count: 20,
    letters: 3,
    textOf: (_, number) => Object.values(LONG)[number % 6].slice(0, 6000),
  })
  writeFileSync(join(project, '.forge.json'), JSON.stringify({ projectName: 'p'.repeat(120), review: 'agents' }))
  const tags = ['t'.repeat(64), 'وسم-طويل', '🚀'.repeat(20)]
  const ids = Object.values(LONG).map((body) => {
    return captureMemory({ type: 'lesson', body, tags, tool: 'tool'.repeat(15) }, person).id
  })
  captureMemory({ type: 'T'.repeat(60), body: 'A type as long as a line' }, person)
  for (const body of Object.values(LONG))
    captureMemory({ type: 'gotcha', body: `${body.slice(0, 50_000)} too`, tags }, agent)
  for (const session of ['one', 'two']) rateMemory(ids[0], 'wrong', { ...person, session })
  for (const [one, other] of [
    [ids[0], ids[1]],
    [ids[2], ids[3]],
  ])
    reopenMemory(one, { ...person, with: other })
  const told = { at: new Date().toISOString(), hook: 'before-tool', host: 'h'.repeat(60), session: 's'.repeat(200) }
  recordMoments(findProject(options), [
    { ...told, kind: 'told', ids, why: ids.map(() => `about ${'folder/'.repeat(40)}file.ts`), tokens: 9, ms: 9 },
    { ...told, kind: 'used', id: ids[1], how: 'file' },
  ])
  return ids
}

test('texts of 60 KB, other scripts and emoji break no view, whatever the width and without WebSockets', async (t) => {
  const ids = []
  const prepare = (memory) => ids.push(...prepareHostile(memory))
  const { open } = await serveFresh(t, browser, { prepare })
  for (const look of [...LOOKS.slice(0, 1), ...LOOKS.slice(3)]) {
    const page = await open({ ...look, hasSockets: !look.isPhone, isTroubled: true })
    const entries = look.isPhone ? ids.map((id) => `entry/${id}`) : []
    for (const view of [...VIEWS, ...OTHERS, ...entries]) await assertSound(page, view, look)
    await settled(page, 'sessions')
    for (const note of await page.locator('.note-given > summary').all()) await note.click()
    await assertSound(page, undefined, look)
    await settled(page, 'review')
    await page.locator('.waiting-one').first().waitFor()
    await page.keyboard.press('j')
    await page.keyboard.press('e')
    await page.getByRole('form', { name: 'Edit' }).waitFor()
    await assertSound(page, undefined, look)
    await page.keyboard.press('Escape')
    await page.keyboard.press('n')
    await page.getByRole('button', { name: 'Undo' }).waitFor()
    await assertSound(page, undefined, look)
    await settled(page, 'memories')
    await page.locator('.rows .hit').first().focus()
    await page.keyboard.press('x')
    await page.getByRole('toolbar', { name: 'Selected memories' }).waitFor()
    await assertSound(page, undefined, look)
  }
})

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
