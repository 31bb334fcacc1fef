// What the dashboard asks of its server beside what every program may ask: changes that can be taken back, the notes that agents were given,
// tags, settings, past sessions and the other projects of the user.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { captureMemory, listMemories, listReview, rateMemory, recall, showMemory } from '../dist/index.js'
import { serve } from '../dist/server/index.js'
import { useAgentHome } from './support/agent-home.mjs'
import { useHome } from './support/home.mjs'
import { freshMemory } from './support/memory.mjs'
import { childEnvironment } from './support/processes.mjs'
import { root } from './support/project.mjs'
import { callerOf } from './support/served.mjs'

const PAGE = { 'forge-page': 'yes' }

async function freshServer(t) {
  const memory = freshMemory(t)
  useHome(t, memory.home)
  const server = await serve({ port: 0, projectDir: memory.project, watch: false, drain: false })
  t.after(() => server.close())
  const call = callerOf(server)
  const change = (method, path, body) => call(method, path, body, PAGE)
  const texts = () =>
    listMemories(memory.options)
      .entries.map(({ text }) => text)
      .sort()
  const undo = async ({ headers }) => call('POST', '/api/memory/undo', { at: headers.get('forge-undo') })
  return { memory, server, call, change, texts, undo }
}

test('what the page changes is taken back by its name: captures, edits, forgetting, many at once', async (t) => {
  const { memory, change, texts, undo } = await freshServer(t)
  const first = await change('POST', '/api/memory/capture', { type: 'lesson', body: 'Jest hangs in watch mode' })
  assert.equal(first.status, 201)
  const { id } = first.body
  await change('POST', '/api/memory/capture', { type: 'lesson', body: 'Money is an integer of cents' })
  const edited = await change('PATCH', `/api/memory/entry/${id}`, { body: 'Vitest hangs in watch mode' })
  assert.equal((await undo(edited)).status, 200)
  assert.deepEqual(texts(), ['Jest hangs in watch mode', 'Money is an integer of cents'])
  const ids = listMemories(memory.options).entries.map((entry) => entry.id)
  const forgotten = await change('POST', '/api/memory/many', { action: 'forget', ids: [...ids, 'mem_0'] })
  assert.deepEqual([forgotten.body.changed, forgotten.body.refused[0].code], [2, 'NOT_FOUND'])
  assert.equal(forgotten.body.refused[0].hint, 'GET /api/memory/list has the memories with their ids')
  assert.deepEqual(texts(), [])
  const back = await undo(forgotten)
  assert.deepEqual(
    back.body.changes.map(({ did }) => did),
    ['restore', 'restore'],
  )
  assert.equal(texts().length, 2)
})

test('a change that another one has followed is not taken back by mistake', async (t) => {
  const { change, texts, undo } = await freshServer(t)
  const first = await change('POST', '/api/memory/capture', { type: 'lesson', body: 'Jest hangs in watch mode' })
  await change('POST', '/api/memory/capture', { type: 'lesson', body: 'Money is an integer of cents' })
  const refused = await undo(first)
  assert.deepEqual([refused.status, refused.body.error.code], [400, 'INVALID_INPUT'])
  assert.equal(texts().length, 2)
})

test('a verdict is taken back, whether it was given here or asked for by an agent; useful as well', async (t) => {
  const { memory, change, undo } = await freshServer(t)
  const { id } = captureMemory({ type: 'lesson', body: 'Jest hangs in watch mode' }, memory.options)
  const wrong = () => showMemory(id, memory.options).verdicts?.wrong ?? 0
  const rated = await change('POST', `/api/memory/entry/${id}/feedback`, { verdict: 'wrong' })
  assert.deepEqual([rated.status, rated.body.counted, wrong()], [200, true, 1])
  assert.deepEqual((await undo(rated)).body.changes, [{ did: 'keep', id, text: 'Jest hangs in watch mode', now: id }])
  assert.deepEqual([wrong(), showMemory(id, memory.options).state], [0, 'current'])

  writeFileSync(join(memory.project, '.forge.json'), '{"review":"agents"}')
  const agent = { ...memory.options, author: 'agent', session: 'one' }
  assert.throws(() => rateMemory(id, 'wrong', agent))
  const [request] = listReview(memory.options)
  const accepted = await change('POST', `/api/memory/review/${request.id}`, { decision: 'accept' })
  assert.deepEqual([accepted.status, wrong(), listReview(memory.options).length], [200, 1, 0])
  await undo(accepted)
  assert.equal(wrong(), 0)
  assert.deepEqual(
    listReview(memory.options).map((waiting) => waiting.id),
    [request.id],
  )

  const useful = await change('POST', `/api/memory/entry/${id}/feedback`, { verdict: 'useful' })
  const found = () => showMemory(id, memory.options).verdicts?.useful ?? 0
  assert.deepEqual([useful.body.counted, found()], [true, 1])
  await undo(useful)
  assert.equal(found(), 0)
})

test('what a program changes over HTTP is not a command of the user', async (t) => {
  const { call } = await freshServer(t)
  const { headers } = await call('POST', '/api/memory/capture', { type: 'lesson', body: 'Written by a script' })
  assert.equal(headers.get('forge-undo'), null)
  assert.deepEqual((await call('GET', '/api/memory/undo')).body, { last: null })
})

test('tags are counted, renamed in all records at once, and the new name is taken back', async (t) => {
  const { memory, call, change, undo } = await freshServer(t)
  for (const [body, tags] of [
    ['Jest hangs in watch mode', ['ci', 'jest']],
    ['Money is an integer of cents', ['ci']],
    ['Cookies are strict', ['jest']],
  ])
    captureMemory({ type: 'lesson', body, tags }, memory.options)
  const counts = async () => (await call('GET', '/api/memory/tags')).body.tags
  assert.deepEqual(await counts(), [
    { tag: 'ci', count: 2 },
    { tag: 'jest', count: 2 },
  ])
  const renamed = await change('POST', '/api/memory/tags', { from: 'ci', to: 'jest' })
  assert.equal(renamed.body.changed, 2)
  assert.deepEqual(await counts(), [{ tag: 'jest', count: 3 }])
  assert.equal((await undo(renamed)).status, 200)
  assert.deepEqual(
    (await counts()).map(({ count }) => count),
    [2, 2],
  )
})

function hook(memory, event, fields) {
  const payload = { session_id: 's', cwd: memory.project, hook_event_name: event, ...fields }
  const env = { ...childEnvironment(memory), FORGE_MEMORY_HOOK_DEADLINE_MS: '20000' }
  const options = { cwd: memory.project, env, input: JSON.stringify(payload), encoding: 'utf8' }
  const { status, stderr } = spawnSync(process.execPath, [join(root, 'dist/cli/main.js'), 'hook', event], options)
  assert.equal(status, 0, stderr)
}

test('each note that an agent was given is named, with why, and whether it was used', async (t) => {
  const { memory, call } = await freshServer(t)
  const edit = (tool_use_id) => ({
    tool_name: 'Edit',
    tool_input: { file_path: 'src/pool.ts', old_string: 'a', new_string: 'b' },
    tool_use_id,
  })
  const { id } = captureMemory({ type: 'gotcha', body: 'src/pool.ts must be closed last.' }, memory.options)
  captureMemory({ type: 'gotcha', body: 'Auth mocks must be made inside beforeEach.' }, memory.options)
  hook(memory, 'PreToolUse', edit('one'))
  hook(memory, 'PreToolUse', edit('two'))
  hook(memory, 'UserPromptSubmit', { prompt: 'Why do the auth mocks fail?' })
  const { notes, total } = (await call('GET', '/api/memory/notes')).body
  assert.equal(total, 2)
  const [prompt, tool] = notes
  assert.deepEqual(
    [tool.id, tool.text, tool.used, tool.hook],
    [id, 'src/pool.ts must be closed last.', 'file', 'before-tool'],
  )
  assert.deepEqual([prompt.used, prompt.type, prompt.session === tool.session], [undefined, 'gotcha', true])
  assert.ok(tool.why.length > 0 && tool.host.length > 0)
  // A note that is not useful counts less.
  const before = showMemory(prompt.id, memory.options).confidenceNow
  await call('POST', `/api/memory/entry/${prompt.id}/feedback`, { verdict: 'wrong' })
  assert.ok(showMemory(prompt.id, memory.options).confidenceNow < before)
})

test('settings: a pause for agents, and which records wait for a review, without touching the rest of .forge.json', async (t) => {
  const { memory, call } = await freshServer(t)
  writeFileSync(join(memory.project, '.forge.json'), '{\n    "projectName": "shop",\n    "others": [1, 2]\n}\n')
  const { body } = await call('GET', '/api/settings')
  assert.deepEqual([body.agents.state === 'paused', body.review], [false, 'off'])
  const paused = await call('POST', '/api/settings', { isPaused: true, pausedMs: 3_600_000 })
  assert.equal(paused.body.agents.state, 'paused')
  assert.notEqual((await call('POST', '/api/settings', { isPaused: false })).body.agents.state, 'paused')
  assert.equal((await call('POST', '/api/settings', { review: 'agents' })).body.review, 'agents')
  assert.match(
    readFileSync(join(memory.project, '.forge.json'), 'utf8'),
    /^\{\n {4}"projectName": "shop",\n {4}"others": \[1, 2\],\n {4}"review": "agents"\n\}/,
  )
  const wrong = await call('POST', '/api/settings', { review: 'never' })
  assert.deepEqual([wrong.status, wrong.body.error.code], [400, 'INVALID_INPUT'])
  captureMemory({ type: 'lesson', body: 'Written by an agent' }, { ...memory.options, author: 'agent' })
  assert.deepEqual(recall('agent', memory.options).hits, [])
})

test('an export is the text of the file that the command writes', async (t) => {
  const { memory, call } = await freshServer(t)
  captureMemory({ type: 'lesson', body: 'Money is an integer of cents' }, memory.options)
  const { body } = await call('GET', '/api/memory/export?format=md')
  assert.equal(body.records, 1)
  assert.match(body.text, /Money is an integer of cents/)
})

test('past sessions are found, and their lessons are offered, stored for the review or never offered again', async (t) => {
  const { memory, call } = await freshServer(t)
  useAgentHome(t, join(memory.folder, 'user'))
  const { body } = await call('GET', '/api/sessions')
  assert.equal(body.status.turns, 0)
  const found = await call('GET', '/api/sessions?query=payments')
  assert.deepEqual(found.body.hits, [])
  const plan = await call('GET', '/api/backfill')
  assert.deepEqual([plan.status, plan.body.findings], [200, []])
  const { status, body: wrong } = await call('GET', '/api/backfill?since=soon')
  assert.deepEqual([status, wrong.error.code], [400, 'INVALID_INPUT'])
  assert.match(wrong.error.message, /^since: `soon` is not an ISO date/)
  assert.match(wrong.error.hint, /^correct the value/)
  assert.equal((await call('POST', '/api/backfill', {})).body.error.code, 'INVALID_INPUT')
  assert.deepEqual((await call('POST', '/api/backfill', { only: [] })).body.findings, [])
})

test('the other projects of the user are named, searched together, and each is opened at an address of its own', async (t) => {
  const { memory, call } = await freshServer(t)
  const other = join(memory.project, '..', 'bank')
  mkdirSync(other, { recursive: true })
  mkdirSync(join(other, '.git'), { recursive: true })
  captureMemory({ type: 'lesson', body: 'Money is an integer of cents' }, memory.options)
  captureMemory({ type: 'lesson', body: 'Transfers of money are booked at midnight' }, { projectDir: other })
  const { projects } = (await call('GET', '/api/projects')).body
  assert.deepEqual(
    projects.map(({ isThis, memories }) => [isThis, memories]),
    [
      [true, 1],
      [false, 1],
    ],
  )
  const { found } = (await call('GET', '/api/projects/recall?query=money')).body
  assert.deepEqual(
    found.map(({ hits }) => hits[0]?.text),
    ['Money is an integer of cents', 'Transfers of money are booked at midnight'],
  )
  const { url } = (await call('POST', '/api/projects/open', { key: projects[1].key })).body
  assert.equal((await call('POST', '/api/projects/open', { key: projects[1].key })).body.url, url)
  const { origin, hash } = new URL(url)
  const there = callerOf({ origin, token: hash.slice('#token='.length) })
  assert.equal(
    (await there('GET', '/api/memory/list')).body.entries[0].text,
    'Transfers of money are booked at midnight',
  )
  assert.equal((await call('POST', '/api/projects/open', { key: 'x' })).status, 404)
})
