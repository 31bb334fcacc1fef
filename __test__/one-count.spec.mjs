// Memories are the current records, and every surface says the same number of them.
import assert from 'node:assert/strict'
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import * as library from '../dist/index.js'
import { serve } from '../dist/server/index.js'
import { goTo, launchBrowser, openDashboard, settled } from './support/browser.mjs'
import { freshCommand, json, noteFor } from './support/command.mjs'
import { KEY, talk } from './support/dialogue.mjs'
import { useHome } from './support/home.mjs'
import { call, connectStdio } from './support/mcp.mjs'
import { expired, freshFolder } from './support/project.mjs'
import { callerOf } from './support/served.mjs'
import { hasTerminal } from './support/terminal.mjs'

const browser = await launchBrowser()

const COUNTS = {
  memories: 6,
  global: 1,
  expiring: 0,
  retired: 3,
  waiting: 1,
  lapsed: 0,
  rejected: 1,
  expired: 2,
  forgotten: 2,
}

/** A store with every kind of record. */
function everyKind(t) {
  const command = freshCommand(t, { HOME: freshFolder(t) })
  const { project, home } = command
  useHome(t, home)
  const options = { projectDir: project }
  const capture = (body, more = {}, author = 'person') =>
    library.captureMemory({ type: 'lesson', body, ...more }, { ...options, author }).id
  const bodies = [
    'Money is stored as integer cents',
    'Migrations run before the deploy',
    'The queue is drained at night',
  ]
  const [first, second, third] = bodies.map((body) => capture(body))
  // Retired: by name, by a rule, and by a person; an edit retires nothing.
  capture('The queue is drained every hour', { supersedes: third })
  capture('The API listens on port 8080', { type: 'decision' })
  capture('The API listens on port 9090', { type: 'decision' })
  library.editMemory(second, { body: 'Migrations run after the deploy' }, { ...options, author: 'person' })
  library.replaceMemory({ old: capture('Nobody uses the fax gateway') }, { ...options, author: 'person' })
  // Forgotten, in the project and for all projects.
  library.forget(capture('The intern likes tea'), { ...options, author: 'person' })
  const globally = (pattern) => library.memorySave({ pattern, category: 'convention', scope: 'global' }, options)
  globally('Commits are signed')
  library.forget(globally('Commits are squashed').id, options)
  library.memorySave({ pattern: 'Tests run with --maxWorkers=1', category: 'test_command' }, options)
  // Expired.
  for (const body of ['The sprint ends on Friday', 'The build is red']) expired((more) => capture(body, more))
  // The line of a branch that had the same text: a copy, which lists show once.
  const line = readFileSync(join(project, '.forge', 'memory-captures.jsonl'), 'utf8').split('\n')[0]
  const copy = line.replaceAll(first, `mem_${'0'.repeat(31)}1`)
  assert.notEqual(copy, line)
  appendFileSync(join(project, '.forge', 'memory-captures.jsonl'), `${copy}\n`)
  // Waiting and rejected.
  writeFileSync(join(project, '.forge.json'), '{"review":"agents"}')
  const proposals = ['The cache is warmed at start', 'Logs are kept for a week'].map((body) =>
    capture(body, {}, 'agent'),
  )
  library.rejectMemory(proposals[0], { ...options, author: 'person' })
  return { ...command, options }
}

const numberIn = (text, pattern) => {
  const found = pattern.exec(text)
  assert.ok(found, `${pattern} in:\n${text}`)
  return Number(found[1])
}

/** What the page shows: in its menu, as its key figure, above its list, and below an answer. */
async function countsOfPage(server) {
  const { page, end } = await openDashboard(browser, server)
  await settled(page)
  const said = {
    'page, key figure': Number(await page.locator('.kpi', { hasText: 'Memories' }).locator('.kpi-value').textContent()),
    'page, menu': Number(await page.locator('nav a[href="#/memories"] .badge').textContent()),
  }
  await goTo(page, '#/memories')
  const above = page.getByRole('status').filter({ hasText: /\d memories/ })
  said['page, list'] = numberIn(await above.textContent(), /(\d+) memories/)
  await end()
  return said
}

test('every surface says the same number of memories, and names the other records apart', async (t) => {
  const command = everyKind(t)
  const { options } = command
  assert.deepEqual(library.memoryStatus(options).counts, COUNTS)
  assert.deepEqual(library.buildMemoryReport(options).counts, COUNTS)
  const said = {
    listMemories: library.listMemories(options).total,
    'listMemories, its entries': library.listMemories({ ...options, limit: 100 }).entries.length,
    'listMemories without expired ones':
      library.listMemories({ ...options, includeExpired: true }).total - COUNTS.expired,
    'listMemories without proposals':
      library.listMemories({ ...options, includeProposed: true }).total - COUNTS.waiting,
    recall: library.recall('deploy', options).searched,
    'recall of the project': library.recall('deploy', { ...options, scope: 'project' }).searched + COUNTS.global,
    'recall without a match': library.recall('xylophone', options).searched,
  }
  const files = library.diagnose(options).find(({ code }) => code === 'FILES')
  said.diagnose = numberIn(files.message, /^(\d+) memories, 1 of them for all projects;/)

  const output = (...args) => command.run(args).stdout
  said.status = numberIn(output('status'), /^memories +(\d+)/m)
  said['list --json'] = json(command, ['list', '--limit', '2']).total
  said.list = numberIn(output('list', '--limit', '2'), /2 of (\d+); --limit shows more/)
  said['recall on a terminal'] = numberIn(output('recall', 'deploy'), /in (\d+) memories/)
  said.doctor = numberIn(output('doctor'), /(\d+) memories, 1 of them for all projects/)
  said.report = numberIn(output('report'), /^(\d+) memories, 1 of them/m)
  const apart = 'apart from them 3 retired, 1 waiting for review, 1 rejected, 2 expired, 2 forgotten'
  assert.ok(output('report').replace(/\s+/g, ' ').includes(apart))
  for (const [name, count] of [
    ['retired', COUNTS.retired],
    ['waiting for review', COUNTS.waiting],
    ['expired', COUNTS.expired],
    ['forgotten', COUNTS.forgotten],
  ]) {
    assert.equal(numberIn(output('status'), new RegExp(`^${name} +(\\d+)`, 'm')), count, name)
  }
  assert.equal(json(command, ['list', '--retired']).total, COUNTS.retired)
  assert.equal(library.listReview(options).filter(({ why }) => why === 'proposed').length, COUNTS.waiting)

  const server = await serve({ port: 0, drain: false, watch: false, projectDir: command.project })
  t.after(() => server.close())
  const ask = async (path) => (await callerOf(server)('GET', path)).body
  said['GET /api/status'] = (await ask('/api/status')).counts.memories
  said['GET /api/memory/report'] = (await ask('/api/memory/report')).counts.memories
  said['GET /api/memory/list'] = (await ask('/api/memory/list')).total
  said['GET /api/memory/groups'] = (await ask('/api/memory/groups?by=type')).total
  said['GET /api/memory/recall'] = (await ask('/api/memory/recall?query=deploy')).searched
  const { headers } = { headers: { authorization: `Bearer ${server.token}` } }
  const metrics = await (await fetch(`${server.origin}/metrics`, { headers })).text()
  const gauge = (state) => numberIn(metrics, new RegExp(`^forge_memory_records\\{state="${state}"\\} (\\d+)$`, 'm'))
  said.metrics = gauge('project') + gauge('global')
  assert.equal(gauge('retired'), COUNTS.retired)

  const { client } = await connectStdio(t, command)
  const listed = await client.callTool({ name: 'list_thoughts', arguments: { limit: 2 } })
  said.list_thoughts = listed.structuredContent.total
  said.thought_stats = numberIn((await call(client, 'thought_stats', {})).text, /^There are (\d+) memories/)
  said.forge_memory_report = numberIn(
    (await call(client, 'forge_memory_report', {})).text,
    /: (\d+) memories, 1 of them/,
  )

  Object.assign(said, await countsOfPage(server))

  // A note counts nothing; what it has are current records, each once.
  const payload = { session_id: 'start', hook_event_name: 'SessionStart', source: 'startup' }
  const noted = noteFor(command, payload).match(/^ {2}\[.*(?= \()/gm)
  const current = library.listMemories({ ...options, limit: 100 }).entries.map(({ text }) => text)
  const texts = noted.map((line) => line.replace(/^.* \u2014 /, ''))
  assert.ok(
    texts.length > 2 && texts.every((text) => current.includes(text)),
    `${texts.join('\n')}\nof\n${current.join('\n')}`,
  )
  assert.equal(new Set(texts).size, texts.length)

  if (hasTerminal) {
    const turns = [['What would you like to do?', KEY.escape]]
    const { screen } = await talk([process.execPath, command.program], turns, {
      cwd: command.project,
      env: command.env(),
    })
    said['forge-memory'] = numberIn(screen, /^memory +(\d+) memories, 1 of them for all projects$/m)
  }
  for (const [surface, count] of Object.entries(said)) assert.equal(count, COUNTS.memories, surface)
})

test('the count follows what this and another process write', (t) => {
  const command = everyKind(t)
  const { options } = command
  library.captureMemory({ type: 'lesson', body: 'The demo is at noon' }, { ...options, author: 'person' })
  assert.equal(library.memoryStatus(options).counts.memories, COUNTS.memories + 1)
  const { id } = json(command, ['capture', '--type', 'lesson', 'Backups are tested monthly']).thought
  assert.equal(library.recall('backups', options).searched, COUNTS.memories + 2)
  json(command, ['forget', id, '--yes'])
  assert.deepEqual(library.memoryStatus(options).counts, {
    ...COUNTS,
    memories: COUNTS.memories + 1,
    forgotten: COUNTS.forgotten + 1,
  })
})
