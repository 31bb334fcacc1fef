// The page about what hooks injected shows what `forge-memory stats` shows.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import test from 'node:test'
import { captureMemory, findProject, listMemories, rateMemory, recall, showMemory } from '../index.js'
import { recordMoments } from '../scripts/screenshots/history.mjs'
import { violations } from './support/accessibility.mjs'
import { useAgentHome } from './support/agent-home.mjs'
import { launchBrowser, serveFresh } from './support/browser.mjs'
import { childEnvironment } from './support/processes.mjs'
import { root } from './support/project.mjs'

const browser = await launchBrowser()
const program = join(root, 'dist/cli/main.js')

function run(memory, args, input = '') {
  const env = { ...childEnvironment(memory), FORGE_MEMORY_HOOK_DEADLINE_MS: '20000' }
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...args], {
    cwd: memory.project,
    env,
    input,
    encoding: 'utf8',
  })
  assert.equal(status, 0, stderr)
  return stdout
}

function hook(memory, event, fields) {
  const payload = { session_id: 's', cwd: memory.project, hook_event_name: event, ...fields }
  return run(memory, ['hook', event], JSON.stringify(payload))
}

const edit = (file_path, tool_use_id) => ({
  tool_name: 'Edit',
  tool_input: { file_path, old_string: 'a', new_string: 'b' },
  tool_use_id,
})

function prepare(memory) {
  for (const body of ['src/pool.ts must be closed last.', 'Auth mocks must be made inside beforeEach.'])
    captureMemory({ type: 'gotcha', body }, memory.options)
  hook(memory, 'PreToolUse', edit('src/pool.ts', 'one'))
  hook(memory, 'PreToolUse', edit('src/pool.ts', 'two'))
  hook(memory, 'UserPromptSubmit', { prompt: 'Why do the auth mocks fail?' })
}

test('the page shows notes by hook and by week as stats does, and calls none wasted', async (t) => {
  const { memory, open } = await serveFresh(t, browser, { prepare })
  const stats = JSON.parse(run(memory, ['--json', 'stats']))
  assert.deepEqual([stats.injected, stats.used, stats.wasted], [2, 1, 1])
  const page = await open({ view: 'sessions' })
  const kpi = (name) => {
    const label = page.getByRole('term').getByText(name, { exact: true })
    return page.locator('.kpi', { has: label }).locator('.kpi-value')
  }
  await kpi('Injected').waitFor()
  for (const [name, value] of [
    ['Injected', stats.injected],
    ['Used', stats.used],
    ['No use seen', stats.wasted],
  ])
    assert.equal(await kpi(name).textContent(), String(value), name)
  const cells = (label) =>
    page
      .getByRole('region', { name: label, exact: true })
      .locator('tbody tr')
      .evaluateAll((rows) => rows.map((row) => [...row.cells].slice(0, 5).map((cell) => cell.textContent)))
  assert.deepEqual(
    await cells('Injected notes by hook'),
    stats.byHook.map(({ hook, injected, used, wasted, tokens }) => [hook, injected, used, wasted, tokens].map(String)),
  )
  await page.getByText('Show the numbers').click()
  assert.deepEqual(
    await cells('Injected notes by week'),
    stats.byWeek.map(({ week, injected, used, wasted, tokens }) => [week, injected, used, wasted, tokens].map(String)),
  )
  const chart = page.getByRole('slider', { name: 'Injected notes by week' })
  await chart.focus()
  await page.keyboard.press('Home')
  assert.match(await chart.getAttribute('aria-valuetext'), /^20\d\d-W\d\d: 2 injected, 1 used, 1 no use seen$/)
  assert.doesNotMatch(await page.locator('main').textContent(), /wasted/i)
  // What a hook does while the page is open appears without a reload.
  hook(memory, 'UserPromptSubmit', { session_id: 'other', prompt: 'Why do the auth mocks fail?' })
  await kpi('Injected').getByText('3', { exact: true }).waitFor()
})

test('without injections the page says how to set up hooks, and has a shortcut', async (t) => {
  const { open } = await serveFresh(t, browser)
  const page = await open()
  await page.keyboard.press('g')
  await page.keyboard.press('s')
  await page.getByRole('heading', { name: 'Notes given' }).waitFor()
  await page.getByText('No note was injected yet').waitFor()
})

test('each note opens: which, to whom, why, used or not; “Not useful” makes it count less', async (t) => {
  const { memory, open } = await serveFresh(t, browser, { prepare })
  const page = await open({ view: 'sessions' })
  const notes = page.getByRole('list', { name: 'Notes that agents were given' }).getByRole('listitem')
  await notes.nth(1).waitFor()
  const used = notes.filter({ hasText: 'src/pool.ts must be closed last.' })
  await used.locator('summary').click()
  const facts = await used.locator('dd').allTextContents()
  assert.match(
    facts.join(' | '),
    /claude, session \w+ \| before-tool \| .+ \| used: its file was touched \| .*src\/pool\.ts/,
  )
  await page.getByRole('radio', { name: 'No use seen' }).check()
  await notes.nth(1).waitFor({ state: 'detached' })
  assert.match(await notes.first().textContent(), /Auth mocks/)
  await notes.first().locator('summary').click()
  const [{ id }] = recall('auth mocks', memory.options).hits
  const before = showMemory(id, memory.options).confidenceNow
  await notes
    .first()
    .getByRole('button', { name: /^Not useful/ })
    .click()
  await page.getByText('Counted: agents get it later, or not at all.').waitFor()
  assert.ok(showMemory(id, memory.options).confidenceNow < before)
  assert.deepEqual(await violations(page), [])
  // In the toast it is taken back, and what was said before stays said.
  await page.getByRole('button', { name: 'Undo' }).click()
  await page.getByText(/^Taken back: Auth mocks/).waitFor()
  const { confidenceNow, verdicts, state } = showMemory(id, memory.options)
  assert.deepEqual([confidenceNow.toFixed(4), verdicts?.wrong ?? 0, state], [before.toFixed(4), 0, 'current'])
})

test('“Not for this” leaves a note out at that file alone, and is taken back', async (t) => {
  const { memory, open } = await serveFresh(t, browser, { prepare })
  const page = await open({ view: 'sessions' })
  const note = page.getByRole('listitem').filter({ hasText: 'src/pool.ts must be closed last.' })
  await note.locator('summary').click()
  const [{ id }] = recall('pool closed', memory.options).hits
  const isTold = (session_id) =>
    hook(memory, 'PreToolUse', { ...edit('src/pool.ts', session_id), session_id }).includes('closed last')
  assert.equal(isTold('before'), true)
  await note.getByRole('button', { name: /^Not for this: \w+, src\/pool\.ts$/ }).click()
  await page.getByText('Agents are not given it there any more, and still elsewhere:').waitFor()
  assert.equal(isTold('after'), false)
  assert.equal(showMemory(id, memory.options).state, 'current')
  assert.deepEqual(await violations(page), [])
  await page.getByRole('button', { name: 'Undo' }).click()
  await page.getByText(/^Taken back: src\/pool\.ts must/).waitFor()
  assert.equal(isTold('again'), true)
})

const VERDICTS = [
  ['wrong', /^Not useful/, 'Counted: agents get it later, or not at all.'],
  ['useful', /^Useful/, 'Counted: it comes up earlier.'],
]
for (const [verdict, button, said] of VERDICTS)
  test(`“${verdict}” that is taken back leaves what others said, and can be said again`, async (t) => {
    const { memory, open } = await serveFresh(t, browser, {
      prepare: (fresh) => {
        prepare(fresh)
        const [{ id }] = recall('auth mocks', fresh.options).hits
        rateMemory(id, verdict, { ...fresh.options, author: 'person', session: 'another' })
      },
    })
    const [{ id }] = recall('auth mocks', memory.options).hits
    const count = () => showMemory(id, memory.options).verdicts?.[verdict]
    const page = await open({ view: 'sessions' })
    const note = page.getByRole('listitem').filter({ hasText: 'Auth mocks' })
    await note.locator('summary').click()
    for (const _ of ['once', 'again']) {
      await note.getByRole('button', { name: button }).click()
      await page.getByText(said).waitFor()
      assert.equal(count(), 2)
      await page.getByRole('button', { name: 'Undo' }).click()
      await page.getByText(/^Taken back: Auth mocks/).waitFor()
      assert.equal(count(), 1)
      await page.getByRole('button', { name: 'Dismiss' }).click()
    }
  })

test('without a search, past sessions are listed, the newest first, page by page, with the notes given in each', async (t) => {
  const { memory, open } = await serveFresh(t, browser, {
    prepare: ({ options }) => {
      const { id } = captureMemory({ type: 'gotcha', body: 'src/pool.ts must be closed last.' }, options)
      const day = Date.parse('2026-08-01T09:00:00Z')
      const told = Array.from({ length: 30 }, (_, at) => ({
        ...{ kind: 'told', hook: 'before-tool', host: 'claude', session: `s-${at}`, ids: [id], tokens: 9, ms: 9 },
        at: new Date(day + at * 3_600_000).toISOString(),
      }))
      recordMoments(findProject(options), [...told, { ...told[29], kind: 'used', id, how: 'file' }])
    },
  })
  const page = await open({ view: 'sessions/past' })
  const sessions = page.getByRole('list', { name: 'Sessions with notes' }).locator('> li')
  await sessions.nth(19).waitFor()
  assert.equal(await sessions.count(), 20)
  assert.match(await sessions.first().textContent(), /claude s-29.*1 note, 1 used/)
  assert.match(await sessions.nth(1).textContent(), /claude s-28.*1 note, 0 used/)
  await page.getByRole('button', { name: 'Show 10 more' }).click()
  await sessions.nth(29).waitFor()
  assert.match(await sessions.nth(29).textContent(), /claude s-0/)
  await sessions.first().locator('summary').click()
  const link = sessions.first().getByRole('link', { name: 'src/pool.ts must be closed last.' })
  await link.waitFor()
  assert.deepEqual(await violations(page), [])
  await link.click()
  await page.getByText('src/pool.ts must be closed last.').first().waitFor()
  assert.equal(listMemories(memory.options).total, 1)
})

/** A session of Claude Code in which the user says something. */
function sessionOf(id, cwd, text) {
  const message = { role: 'user', content: text }
  const line = { type: 'user', uuid: id, sessionId: id, timestamp: '2026-08-01T09:00:00.000Z', cwd, message }
  return `${JSON.stringify(line)}\n`
}

test('a past session is a line of time of what was said and done, of the notes that were given and the lessons that were stored', async (t) => {
  const { open } = await serveFresh(t, browser, {
    prepare: (memory) => {
      const { folder, project, options } = memory
      const write = useAgentHome(t, join(folder, 'user'))
      write('.claude/projects/p/one.jsonl', sessionOf('one', project, 'Why does the pool hang?'))
      captureMemory({ type: 'gotcha', body: 'src/pool.ts must be closed last.' }, options)
      const inSession = (event, fields) => hook(memory, event, { ...fields, session_id: 'one' })
      inSession('PreToolUse', edit('src/pool.ts', 'one'))
      inSession('PreToolUse', edit('src/pool.ts', 'two'))
      inSession('Stop', { last_assistant_message: '[remember:lesson] Pools are opened in the order of their names.' })
    },
  })
  const page = await open({ view: 'sessions/past' })
  await page.getByRole('button', { name: 'Read what is new' }).click()
  const session = page.getByRole('list', { name: 'Newest sessions' }).locator('> li')
  await session.getByText('1 turn, 1 note, 1 used, 1 lesson stored').waitFor()
  await session.locator('summary').click()
  const points = await session.locator('.turns > li').allTextContents()
  assert.equal(points.length, 3)
  assert.match(points[0], /^promptWhy does the pool hang\?/)
  assert.match(points[1], /^notesrc\/pool\.ts must be closed last\. for file src\/pool\.ts, used/)
  assert.match(points[2], /^lessonPools are opened in the order of their names\./)
  assert.deepEqual(await violations(page), [])
  const other = page.getByRole('list', { name: 'Sessions with notes' }).locator('> li')
  await other.getByText('1 note, 1 used, 1 lesson stored').waitFor()
  await session.getByRole('link', { name: 'Pools are opened in the order of their names.' }).click()
  await page.getByRole('heading', { level: 1, name: 'Pools are opened in the order of their names.' }).waitFor()
})

/** More than one answer may have. */
const SESSIONS = 63

test('the newest sessions of the project are listed without hooks and without a search', async (t) => {
  const { open } = await serveFresh(t, browser, {
    prepare: ({ folder, project }) => {
      const write = useAgentHome(t, join(folder, 'user'))
      const dayOf = (at) => new Date(Date.parse('2026-08-01') + at * 86_400_000).toISOString().slice(0, 10)
      for (let at = 0; at < SESSIONS; at += 1)
        write(
          `.claude/projects/p/s${at}.jsonl`,
          sessionOf(`s${at}`, project, `question number ${at}`).replaceAll('2026-08-01', dayOf(at)),
        )
      write('.claude/projects/q/elsewhere.jsonl', sessionOf('elsewhere', '/work/elsewhere', 'of another project'))
    },
  })
  const page = await open({ view: 'sessions/past' })
  await page.getByText('No session is indexed yet').waitFor()
  await page.getByRole('button', { name: 'Read what is new' }).click()
  const sessions = page.getByRole('list', { name: 'Newest sessions' }).locator('> li')
  await sessions.nth(9).waitFor()
  assert.equal(await sessions.count(), 10)
  assert.match(await sessions.first().textContent(), /question number 62.*Claude Code, 1 turn/)
  const more = page.getByRole('button', { name: 'Show more' })
  for (const last of [29, 49, 62]) {
    await more.click()
    await sessions.nth(last).waitFor()
  }
  assert.equal(await sessions.count(), SESSIONS, 'and none of another project')
  assert.equal(await more.count(), 0)
  assert.match(await sessions.last().textContent(), /question number 0/)
  await sessions.first().locator('summary').click()
  await sessions.first().getByText('claude --resume s62').waitFor()
  assert.deepEqual(await violations(page), [])
  await sessions.first().getByRole('button', { name: 'Forget it' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Forget', exact: true }).click()
  await sessions.filter({ hasText: 'question number 62' }).waitFor({ state: 'detached' })
  assert.equal(await sessions.count(), SESSIONS - 1)
  await page.reload()
  await sessions.nth(9).waitFor()
  assert.match(await sessions.first().textContent(), /question number 61/, 'what is indexed is listed at once')
  await page.getByLabel('Search past sessions').fill('question')
  await page.keyboard.press('Enter')
  const found = page.locator('.stack .card-step')
  for (const last of [19, 39, 59, 61]) {
    await found.nth(last).waitFor()
    if (last < 61) await more.click()
  }
  await more.waitFor({ state: 'detached' })
  assert.equal(await found.count(), SESSIONS - 1, 'and every hit of a search')
})

test('past sessions are searched, and their lessons accepted, on the page', async (t) => {
  const { memory, open } = await serveFresh(t, browser, {
    prepare: ({ folder, project }) => {
      const write = useAgentHome(t, join(folder, 'user'))
      const said = ['from now on run make lint before you commit', 'always use pnpm instead of npm here']
      for (const [at, text] of said.entries())
        write(`.claude/projects/p/s${at}.jsonl`, sessionOf(`s${at}`, project, text))
    },
  })
  const page = await open({ view: 'sessions/past' })
  await page.getByText('No session is indexed yet').waitFor()
  await page.getByLabel('Search past sessions').fill('pnpm')
  await page.keyboard.press('Enter')
  await page.locator('.turn-text', { hasText: 'always use pnpm instead of npm here' }).waitFor()
  await page.getByLabel('Search past sessions').fill('zebra')
  await page.keyboard.press('Enter')
  await page.getByText('No session is about “zebra”').waitFor()
  await page.getByRole('link', { name: 'Lessons', exact: true }).click()
  await page.getByRole('button', { name: 'Look for lessons' }).click()
  const lessons = page.getByRole('list', { name: 'Lessons in past sessions' }).getByRole('listitem')
  await lessons.nth(1).waitFor()
  assert.deepEqual(await violations(page), [])
  await lessons.filter({ hasText: 'make lint' }).getByRole('checkbox').check()
  await page.getByRole('button', { name: 'Never offer again' }).click()
  await lessons.nth(1).waitFor({ state: 'detached' })
  await page.getByRole('checkbox', { name: 'Select all 1' }).check()
  await page.getByRole('button', { name: 'Accept', exact: true }).click()
  await page.getByText('There is nothing new in past sessions').waitFor()
  const { entries } = listMemories(memory.options)
  assert.equal(entries.length, 1)
  assert.match(entries[0].text, /pnpm/)
})
