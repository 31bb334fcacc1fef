// Where a record comes from: one for another project, or for all, says it, and notes tell it once a person has vouched for it; a name that an agent
// gave is a claim.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { captureMemory } from '../dist/index.js'
import { freshCommand, json, noteFor, runBeside } from './support/command.mjs'
import { configured } from './support/company.mjs'
import { useHome } from './support/home.mjs'
import { call, connectStdio } from './support/mcp.mjs'
import { execute, startPostgres } from './support/postgres.mjs'
import { readLines } from './support/project.mjs'

const RATE = 'Shop prices are stored as integer cents'
const TABS = 'Makefiles of every repository use tabs'

/** Two projects of one user: an agent works in `api`, and stores what is about `shop`, and about all. */
async function twoProjects(t) {
  const api = freshCommand(t)
  const shop = { ...api, project: join(api.folder, 'shop') }
  mkdirSync(shop.project)
  for (const [name, { project }] of Object.entries({ api, shop })) {
    execFileSync('git', ['init', '-q', project])
    execFileSync('git', ['-C', project, 'remote', 'add', 'origin', `https://example.org/acme/${name}.git`])
  }
  const inShop = (args) => api.run(args, { cwd: shop.project })
  const { client } = await connectStdio(t, api)
  return { api, shop, inShop, client }
}

const capture = (client, content, more) => call(client, 'capture_thought', { content, type: 'decision', ...more })
const prompt = (command, text, session) =>
  noteFor(command, { hook_event_name: 'UserPromptSubmit', session_id: session, prompt: text })

test('a record about another project names both in every list, and its line has where it was stored', async (t) => {
  const { api, inShop, client } = await twoProjects(t)
  const { id } = await capture(client, RATE, { project: 'example.org/acme/shop', from: undefined })
  const [line] = readLines(api.project, '.forge/memory-captures.jsonl')
  assert.deepEqual([line.project, line.from], ['example.org/acme/shop', 'example.org/acme/api'])
  for (const args of [['find', 'prices cents'], ['list'], ['show', id]]) {
    assert.match(api.run(args).stdout, /about acme\/shop(, |\s+origin\s+| {2})from acme\/api/, args[0])
  }
  const { notes } = await call(client, 'memory_show', { ids: [id] })
  assert.deepEqual([notes[0].about, notes[0].from], ['example.org/acme/shop', 'example.org/acme/api'])
  assert.equal(prompt(api, 'how are the shop prices stored in cents', 'a1'), '')

  await client.close()
  assert.equal(api.run(['drain']).status, 0)
  assert.match(inShop(['find', '--shared', 'prices cents']).stdout, /integer cents\n.*shop.*from .*api/)
  const there = await connectStdio(t, { ...api, project: join(api.folder, 'shop') })
  const { thoughts } = await call(there.client, 'search_thoughts', { query: 'prices cents' })
  assert.deepEqual([thoughts[0].content, thoughts[0].from], [RATE, 'example.org/acme/api'])
})

test('its own project is none', async (t) => {
  const { api, client } = await twoProjects(t)
  await capture(client, RATE, { project: 'example.org/acme/api' })
  await capture(client, 'Releases are cut on Tuesdays', {})
  const lines = readLines(api.project, '.forge/memory-captures.jsonl')
  assert.deepEqual(
    lines.map(({ from }) => from),
    [undefined, undefined],
  )
  assert.doesNotMatch(api.run(['list']).stdout, /about|from/)
  assert.match(prompt(api, 'when are releases cut, on Tuesdays?', 'a1'), /Releases are cut/)
})

test('what an agent stores for all is recalled at once, and told unasked once a person has vouched for it', async (t) => {
  const { shop, inShop, client } = await twoProjects(t)
  await call(client, 'memory_save', { pattern: TABS, category: 'convention', scope: 'global' })
  const there = await connectStdio(t, shop)
  const recalled = await there.client.callTool({ name: 'memory_recall', arguments: { query: 'makefiles tabs' } })
  assert.match(recalled.content[0].text, /Makefiles of every repository use tabs \(.*from .*api\)/)
  assert.match(inShop(['find', 'makefiles tabs']).stdout, /\(global\) {2}from .*api/)
  assert.match(inShop(['list']).stdout, /\(global, from .*api\) Makefiles/)
  const asked = 'which of the makefiles of every repository use tabs'
  const start = (session) => noteFor(shop, { hook_event_name: 'SessionStart', source: 'startup', session_id: session })
  assert.deepEqual([prompt(shop, asked, 's1'), start('s2')], ['', ''])

  const { hits } = json(shop, ['find', 'makefiles tabs'], { cwd: shop.project })
  assert.equal(inShop(['keep', hits[0].id]).status, 0)
  assert.match(prompt(shop, asked, 's3'), /use tabs/)
  assert.match(start('s4'), /use tabs/)
})

test('the name that an agent gives is a claim in every answer, and in a store the name of who delivers it stands', async (t) => {
  const server = await startPostgres()
  t.after(() => server.close())
  const url = await server.database()
  const ben = configured(t, url)
  useHome(t, ben.home)
  const claim = { type: 'decision', body: RATE, createdBy: 'anna@example.org', source: 'you' }
  const { id } = captureMemory(claim, { projectDir: ben.project, author: 'agent', door: 'mcp' })
  assert.match(ben.run(['show', id]).stdout, /said by\s+agent, mcp[\s\S]*claims to be by anna@example\.org/)
  assert.equal(json(ben, ['show', id]).entry.claimedBy, 'anna@example.org')

  const drained = await runBeside(ben, ['drain'], { FORGE_CREATED_BY: 'ben@example.org' })
  assert.equal(drained.status, 0, drained.stderr)
  const rows = await execute(url, 'select created_by, metadata from forge_memory.thoughts')
  assert.deepEqual(
    rows.map(({ created_by, metadata }) => [created_by, metadata.claimed_by]),
    [['ben@example.org', 'anna@example.org']],
  )
  const colleague = configured(t, url)
  const { stdout } = await runBeside(colleague, ['find', '--shared', 'prices cents'])
  assert.match(stdout, /claims to be by anna@example\.org/)
  const answer = await runBeside(colleague, ['--json', 'find', '--shared', 'prices cents'])
  const [hit] = JSON.parse(answer.stdout).thoughts
  assert.deepEqual([hit.createdBy, hit.claimedBy], ['ben@example.org', 'anna@example.org'])
})
