import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { captureMemory, rateMemory } from '../index.js'
import { writeHistory } from '../scripts/screenshots/history.mjs'
import { settled, violations } from './support/accessibility.mjs'
import { goTo, launchBrowser, serveFresh } from './support/browser.mjs'

const VIEWS = [
  'home',
  'home/projects',
  'memories',
  'memories/map',
  'memories/tags',
  'review',
  'review/conflicts',
  'sessions',
  'sessions/past',
  'sessions/backfill',
  'health',
  'health/delivery',
  'health/code',
  'health/provenance',
  'health/settings',
]
const browser = await launchBrowser()

const history = ({ project }) => void writeHistory(project, { count: 80 })

for (const colorScheme of ['light', 'dark']) {
  test(`no view in ${colorScheme} colours breaks a rule of accessibility`, async (t) => {
    const { memory, open } = await serveFresh(t, browser, { prepare: history })
    // Requests for a code graph that is not there are refused, which the browser logs.
    const page = await open({ colorScheme, isTroubled: true })
    const { id } = captureMemory({ type: 'lesson', body: 'One more to look at' }, memory.options)
    for (const session of ['mcp:1', 'mcp:2']) rateMemory(id, 'wrong', { ...memory.options, session })
    for (const view of [...VIEWS, `entry/${id}`]) {
      await settled(page, view)
      assert.deepEqual(await violations(page), [], view)
    }
    await page.getByRole('button', { name: 'Edit' }).click()
    assert.deepEqual(await violations(page), [], 'edit')
    await page.getByRole('button', { name: 'Cancel' }).click()
    await page.keyboard.press('?')
    await page.getByRole('dialog').waitFor()
    assert.deepEqual(await violations(page), [], 'help')
  })
}

test('no view is wider than the screen, from the narrowest phone to a wide desk', async (t) => {
  const { memory, open } = await serveFresh(t, browser, { prepare: history })
  const page = await open({ isTroubled: true })
  const { id } = captureMemory({ type: 'lesson', body: `x${'y'.repeat(400)}`, tags: ['z'.repeat(60)] }, memory.options)
  for (const width of [360, 801, 2560]) {
    await page.setViewportSize({ width, height: 900 })
    for (const view of [...VIEWS, `entry/${id}`]) {
      await settled(page, view)
      const found = await page.evaluate(() => document.documentElement.scrollWidth)
      assert.ok(found <= width, `${view} is ${found} pixels wide`)
    }
  }
})

test('colours follow the system until the user chooses', async (t) => {
  const { open } = await serveFresh(t, browser)
  const page = await open({ colorScheme: 'dark' })
  const ground = () => page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor)
  const dark = await ground()
  await page.emulateMedia({ colorScheme: 'light' })
  const light = await ground()
  assert.notEqual(light, dark)
  await page.getByRole('button', { name: 'Use dark colours' }).click()
  assert.equal(await ground(), dark)
  await page.reload()
  await page.locator('.connection.is-live').waitFor()
  assert.equal(await ground(), dark)
})

test('everything can be done without a pointer', async (t) => {
  const { open } = await serveFresh(t, browser, {
    prepare: ({ options }) => {
      captureMemory({ type: 'lesson', body: 'First thing' }, options)
      captureMemory({ type: 'lesson', body: 'Second thing' }, options)
    },
  })
  const page = await open()
  const press = async (...keys) => {
    for (const key of keys) await page.keyboard.press(key)
  }
  const focused = () => page.evaluate(() => document.activeElement?.textContent)
  await press('Tab')
  assert.equal(await focused(), 'Skip to the content')
  await press('Enter')
  assert.equal(await page.evaluate(() => document.activeElement?.id), 'main')
  await page.getByText('Second thing').first().waitFor()
  // What else is on the page comes as it is loaded, also before the rows.
  do await press('Tab')
  while ((await focused()) === '')
  assert.equal(await focused(), 'Second thing')
  await page.evaluate(() => document.activeElement?.blur())
  await press('c')
  assert.equal(await page.evaluate(() => document.activeElement?.id), 'capture-text')
  await page.keyboard.type('Third thing, by keyboard')
  await press('Control+Enter')
  await page.getByRole('status').getByText('Captured.').waitFor()

  await page.evaluate(() => document.activeElement?.blur())
  await press('/')
  await page.getByRole('heading', { name: 'Memories' }).waitFor()
  await page.waitForFunction(() => document.activeElement?.id === 'search')
  await page.keyboard.type('thing')
  await page.getByText('3 answers').waitFor()
  await page.locator('.rows a[tabindex="0"]').focus()
  const first = await focused()
  await press('j')
  await page.waitForFunction((text) => document.activeElement?.textContent !== text, first)
  await press('k', 'End', 'Home', 'Enter')
  await page.getByRole('heading', { name: / thing/, level: 1 }).waitFor()
  await page.getByRole('button', { name: 'Edit' }).waitFor()
  await press('e')
  await page.waitForFunction(() => document.activeElement?.tagName === 'TEXTAREA')
  await press('Escape')
  await page.getByRole('button', { name: 'Edit' }).waitFor()
  await press('g', 'd')
  await page.getByRole('heading', { name: 'Delivery' }).waitFor()
  // The focus follows the heading, a frame or two later.
  await page.waitForFunction(() => document.activeElement !== document.body)
  assert.equal(await focused(), 'Delivery')
  await press('?')
  await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor()
  await press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
})

test('records are shown as text only, and invisible characters are shown as escapes', async (t) => {
  const hostile =
    '<img src=x onerror="window.hurt=1"><script>window.hurt=1</script> & \u001b[31m \u202egnp.exe javascript:1'
  let id
  const { open } = await serveFresh(t, browser, {
    prepare: ({ options }) => {
      const capture = { type: 'lesson', body: hostile, tags: ['"><i>x'], tool: 'forge_sweep' }
      id = captureMemory(capture, options).id
    },
  })
  const page = await open()
  for (const view of ['home', 'memories?q=hurt', `entry/${id}`]) {
    await settled(page, view)
    await page.getByText('window.hurt=1').first().waitFor()
    const text = await page.locator('main').innerText()
    assert.ok(text.includes('<script>'), view)
    assert.ok(text.includes('\\u{1b}') && text.includes('\\u{202e}'), view)
    assert.ok(!text.includes('\u001b') && !text.includes('\u202e'), view)
    assert.equal(await page.locator('main img, main script, main b, main i').count(), 0)
    assert.equal(await page.evaluate(() => globalThis.hurt), undefined)
  }
})

test('the page allows itself nothing but its own files', async (t) => {
  const { server } = await serveFresh(t, browser)
  const response = await fetch(server.origin)
  const policy = response.headers.get('content-security-policy')
  assert.match(policy, /default-src 'none'/)
  assert.doesNotMatch(policy, /unsafe/)
  const html = await response.text()
  assert.doesNotMatch(html, /<script(?![^>]*\bsrc=)|<style|\bon\w+=|https?:/)
})

test('the list of keys fits a screen of 900 pixels, each key in one line', async (t) => {
  const { open } = await serveFresh(t, browser)
  const page = await open()
  await page.setViewportSize({ width: 1440, height: 900 })
  await page.keyboard.press('?')
  const dialog = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
  await dialog.waitFor()
  assert.ok(await dialog.evaluate((element) => element.scrollHeight <= element.clientHeight), 'it has to be scrolled')
  const heights = await dialog
    .locator('dt')
    .evaluateAll((keys) => keys.map((key) => key.getBoundingClientRect().height))
  assert.ok(Math.max(...heights) < 30, `keys are wrapped: ${heights}`)
})

test('on a phone the list of keys begins with its first lines', async (t) => {
  const { open } = await serveFresh(t, browser)
  const page = await open({ isPhone: true })
  await page.keyboard.press('?')
  const dialog = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
  await dialog.waitFor()
  const { scrollTop, scrollHeight, clientHeight } = await dialog.evaluate(
    ({ scrollTop, scrollHeight, clientHeight }) => ({ scrollTop, scrollHeight, clientHeight }),
  )
  assert.ok(scrollHeight > clientHeight, 'it is longer than the screen')
  assert.equal(scrollTop, 0)
})

test('the field for a capture grows until all that was typed can be seen', async (t) => {
  const { open } = await serveFresh(t, browser)
  const page = await open({ isPhone: true })
  const field = page.getByLabel('What was learned')
  const heightOf = () => field.evaluate(({ clientHeight }) => clientHeight)
  const alone = await heightOf()
  assert.ok(alone < 50, `an empty field has more than one line: ${alone} pixels`)
  await field.fill(
    'First line of what was learned\nand a second one, which is longer than the first and takes three lines',
  )
  assert.ok(await field.evaluate(({ scrollHeight, clientHeight }) => scrollHeight <= clientHeight), 'lines are hidden')
  await field.fill('')
  assert.equal(await heightOf(), alone, 'it does not shrink again')
})

test('an empty memory is not told to choose another period', async (t) => {
  const { open } = await serveFresh(t, browser)
  const page = await open()
  const card = page.getByRole('region', { name: 'Captures over time' })
  await card.getByText('No captures yet').waitFor()
  assert.equal(await card.getByText('Choose a longer period').count(), 0)
})

test('five entries lead everywhere, and an unknown address leads Home', async (t) => {
  const { open } = await serveFresh(t, browser, { prepare: history })
  const page = await open({ isTroubled: true })
  const entries = page.getByRole('navigation', { name: 'Views' }).getByRole('link')
  const names = (await entries.allInnerTexts()).map((text) => text.split('\n')[0])
  assert.deepEqual(names, ['Home', 'Memories', 'Review', 'Sessions', 'Health'])
  for (const [address, title] of [
    ['nowhere', 'Home'],
    ['memories?type=lesson', 'Memories'],
    ['sessions', 'Notes given'],
    ['health', 'Health'],
    ['review/conflicts', 'Review'],
  ]) {
    await settled(page, address)
    await page.getByRole('heading', { name: title, exact: true, level: 1 }).waitFor()
  }
  await entries.getByText('Health').click()
  const parts = page.getByRole('navigation', { name: 'Parts of Health' })
  for (const name of ['Delivery', 'Provenance', 'Code graph', 'Settings', 'Checks']) {
    await parts.getByRole('link', { name }).click()
    await parts.locator('[aria-current=page]', { hasText: name }).waitFor()
  }
})

const MARKDOWN = `# How a release is made

1. Run \`npm test\`
2. **Wait** for CI, then [look](https://example.org/ci) or [do not](javascript:window.hurt=1)

<b onclick="window.hurt=1">not bold</b> ![x](https://example.org/x.png)

\`\`\`sh
make publish
\`\`\`

| step | who |
|---|---|
| tag | Ann |
`

test('Markdown is rendered, and nothing in a text becomes HTML, loads something or runs', async (t) => {
  let id
  const { open } = await serveFresh(t, browser, {
    prepare: ({ options }) => {
      id = captureMemory({ type: 'lesson', body: MARKDOWN }, options).id
    },
  })
  const page = await open({ view: `entry/${id}` })
  const text = page.locator('.entry .entry-text')
  await text.locator('.md-heading', { hasText: 'How a release is made' }).waitFor()
  assert.deepEqual(await text.locator('ol > li').count(), 2)
  assert.deepEqual(await text.locator('strong').allTextContents(), ['Wait'])
  assert.deepEqual(await text.locator('pre code').allTextContents(), ['make publish'])
  assert.deepEqual(await text.locator('td').allTextContents(), ['tag', 'Ann'])
  const links = await text
    .locator('a')
    .evaluateAll((all) => all.map((one) => [one.getAttribute('href'), one.rel, one.target]))
  assert.deepEqual(links, [['https://example.org/ci', 'noopener noreferrer nofollow', '_blank']])
  const shown = await text.innerText()
  for (const raw of [
    '[do not](javascript:window.hurt=1)',
    '<b onclick="window.hurt=1">',
    '![x](https://example.org/x.png)',
  ])
    assert.ok(shown.includes(raw), raw)
  assert.equal(await text.locator('b, img').count(), 0)
  // In a list the text has no marks, and its headline is its first line.
  await goTo(page, '#/memories')
  const row = page.getByRole('list', { name: 'Memories' }).locator('.hit-title')
  assert.equal(await row.textContent(), 'How a release is made')
})

const LONG = {
  'a text of 60 KB': 'Words and more words of a long text. '.repeat(1650),
  'a word of 60 KB': 'w'.repeat(60_000),
  'brackets that a parser is slow for': '[a]('.repeat(15_000),
  'stars that a parser is slow for': '*a*'.repeat(5000),
  'from right to left': 'المستودع لا يقبل الملفات الكبيرة: استخدم **git lfs** للصور',
  emoji: '🚀 **Deploys** on Friday are fine 🎉 as long as 👩‍👩‍👧 knows 🔥',
  'quotes in quotes': '> '.repeat(3000),
}

test('long texts, other scripts, emoji and hostile Markdown are shown at once, and nothing is wider than a phone', async (t) => {
  const ids = []
  const { open } = await serveFresh(t, browser, {
    prepare: ({ options }) => {
      for (const body of Object.values(LONG)) ids.push(captureMemory({ type: 'lesson', body }, options).id)
    },
  })
  const page = await open({ isPhone: true })
  for (const [at, name] of Object.keys(LONG).entries()) {
    await settled(page, `entry/${ids[at]}`)
    await page.locator(`[data-record="${ids[at]}"] .entry-text`).waitFor()
    const { width, direction } = await page.evaluate(() => {
      const text = document.querySelector('.entry-text')
      const inner = text.querySelector('p') ?? text
      return { width: document.documentElement.scrollWidth, direction: getComputedStyle(inner).direction }
    })
    assert.ok(width <= 360, `${name} is ${width} pixels wide`)
    assert.equal(direction, name === 'from right to left' ? 'rtl' : 'ltr', name)
  }
  for (const view of ['home', 'memories', 'memories?q=deploys']) {
    await settled(page, view)
    assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= 360, view)
  }
})

test('in a browser without WebSockets, what happens appears as well', async (t) => {
  const { memory, open } = await serveFresh(t, browser)
  const page = await open({ hasSockets: false })
  await page.getByText('Every 3 s').waitFor()
  captureMemory({ type: 'lesson', body: 'Captured while nobody pushed' }, memory.options)
  await page.getByRole('log', { name: 'Live feed' }).getByText('Captured while nobody pushed').waitFor()
  await page.locator('.kpi', { hasText: 'Memories' }).getByText('1', { exact: true }).waitFor()
})

test('on a phone the tabs scroll to the chosen one', async (t) => {
  const { open } = await serveFresh(t, browser)
  const page = await open({ isPhone: true })
  await settled(page, 'health/settings')
  const tab = page.getByRole('navigation', { name: 'Parts of Health' }).locator('[aria-current=page]')
  const { x, width } = await tab.boundingBox()
  assert.ok(x >= 0 && x + width <= 360, `the tab is at ${x}`)
})

test('another project is opened from the name of this one, and all are searched together', async (t) => {
  const { open } = await serveFresh(t, browser, {
    prepare: ({ project, options }) => {
      captureMemory({ type: 'lesson', body: 'Money is an integer of cents' }, options)
      const bank = join(project, '..', 'bank')
      mkdirSync(join(bank, '.git'), { recursive: true })
      writeFileSync(join(bank, '.forge.json'), JSON.stringify({ projectName: 'acme/bank', review: 'agents' }))
      const person = { projectDir: bank, author: 'person' }
      captureMemory({ type: 'lesson', body: 'Transfers of money are booked at midnight' }, person)
      captureMemory({ type: 'lesson', body: 'Accounts are never closed' }, { projectDir: bank, author: 'agent' })
    },
  })
  const page = await open({ isElsewhere: true })
  await page.locator('.projects > summary').click()
  const menu = page.getByRole('list', { name: 'Projects' })
  await menu.getByRole('button', { name: /^acme\/bank/ }).waitFor()
  assert.deepEqual(await violations(page), [], 'menu')
  await page.keyboard.press('Escape')
  await menu.waitFor({ state: 'hidden' })
  await page.locator('.projects > summary').click()
  await page.getByRole('link', { name: 'All projects' }).click()
  await page.getByRole('heading', { name: 'All projects' }).waitFor()
  await page.getByLabel('Search all projects').fill('money')
  await page.getByText('Transfers of money are booked at midnight').waitFor()
  await page.getByText('Money is an integer of cents').waitFor()
  // The field finds projects by their names as well, and each says what waits there.
  await page.getByLabel('Search all projects').fill('bank')
  const listed = page.getByRole('list', { name: 'Projects' }).last().getByRole('heading')
  await page.waitForFunction(() => document.querySelectorAll('.project-list > li').length === 1)
  assert.deepEqual(await listed.allTextContents(), ['acme/bank'])
  await page.locator('.project-list li').getByText('1 waits for you').waitFor()
  await page.getByLabel('Search all projects').fill('')
  const other = page.locator('.project-list li', { hasText: 'bank' })
  await other.getByRole('button', { name: 'Open' }).click()
  await page.locator('.brand-word', { hasText: 'bank' }).waitFor()
  await page.getByText('Transfers of money are booked at midnight').first().waitFor()
  assert.ok(!page.url().includes('token'))
})
