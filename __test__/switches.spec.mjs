// How people switch the memory off for their agents, and how a package of a monorepo is put first.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { appendFileSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { freshCommand, json } from './support/command.mjs'
import { call, connectStdio, refused } from './support/mcp.mjs'
import { filesUnder } from './support/project.mjs'

/** Asks the hook of Claude Code about a prompt; whatever happens, the exit code is 0. */
let sessions = 0
function prompt(
  command,
  text,
  { session = `own-${++sessions}`, env = {}, event = 'UserPromptSubmit', fields = {}, cwd } = {},
) {
  const payload = { session_id: session, cwd: cwd ?? command.project, hook_event_name: event, prompt: text, ...fields }
  const { status, stdout, stderr } = command.run(['hook', event], {
    input: JSON.stringify(payload),
    env: { FORGE_MEMORY_HOOK_DEADLINE_MS: '20000', ...env },
  })
  assert.deepEqual([status, stderr], [0, ''])
  return stdout === '' ? undefined : JSON.parse(stdout).hookSpecificOutput?.additionalContext
}

const ABOUT = 'Why do the auth mocks fail?'

function filled(t) {
  const command = freshCommand(t)
  json(command, ['capture', '--type', 'gotcha', 'Auth mocks must be made inside beforeEach.'])
  return command
}

test('FORGE_MEMORY=off silences hooks and hides every tool', async (t) => {
  const command = filled(t)
  assert.match(prompt(command, ABOUT), /beforeEach/)
  for (const value of ['off', 'OFF', '0', 'false'])
    assert.equal(prompt(command, ABOUT, { env: { FORGE_MEMORY: value } }), undefined)
  assert.match(prompt(command, ABOUT, { env: { FORGE_MEMORY: 'on' } }), /beforeEach/)
  const off = { ...command, env: () => command.env({ FORGE_MEMORY: 'off' }) }
  const { client } = await connectStdio(t, off, { args: [] })
  assert.deepEqual((await client.listTools()).tools, [])
  const status = json(command, ['status'], { env: { FORGE_MEMORY: 'off' } })
  assert.deepEqual(status.agents, { state: 'off', why: 'FORGE_MEMORY=off' })
  // People go on.
  assert.equal(json(command, ['recall', 'auth mocks'], { env: { FORGE_MEMORY: 'off' } }).hits.length, 1)
})

test('a pause holds for the commands of an agent, and only a person ends it', (t) => {
  const command = freshCommand(t)
  const { id } = json(command, ['add', '-t', 'lesson', 'The gate needs a key'])
  command.run(['pause'])
  const asAgent = (...args) => command.run(args, { env: { CLAUDECODE: '1' } })
  for (const args of [['add', '-t', 'lesson', 'A lamp'], ['find', 'gate'], ['list'], ['show', id], ['forget', id]])
    assert.match(asAgent(...args).stderr, /the user has paused the memory.*\(PAUSED\)/, args[0])
  assert.match(asAgent('resume').stderr, /an agent cannot end the pause of agents \(UNSUPPORTED\)/)
  assert.equal(asAgent('status').status, 0)
  assert.match(command.run(['find', 'gate']).stdout, /The gate needs a key/)
  command.run(['resume'])
  assert.match(asAgent('find', 'gate').stdout, /The gate needs a key/)
})

test('a pause holds for hooks and tools until it is resumed or over', async (t) => {
  const command = filled(t)
  const { client } = await connectStdio(t, command, { args: [] })
  assert.match(command.run(['pause', '--for', '2h']).stdout, /^Paused in this project until 20/)
  assert.equal(prompt(command, ABOUT), undefined)
  assert.match(await refused(client, 'memory_recall', { query: 'auth' }), /paused the memory until .*\(PAUSED\)/)
  assert.match(await refused(client, 'capture_thought', { content: 'Nothing of this.' }), /PAUSED/)
  assert.match(command.run(['status']).stdout, /agents +paused until 20/)
  const other = { ...command, project: command.folder }
  assert.equal(json(command, ['status'], { cwd: other.project }).agents.state, 'on')
  assert.equal(command.run(['resume']).stdout, 'Agents get notes again.\n')
  assert.equal(command.run(['resume']).stdout, 'Nothing was paused.\n')
  assert.match(prompt(command, ABOUT), /beforeEach/)
  assert.match((await call(client, 'memory_recall', { query: 'auth' })).text, /beforeEach/)
  json(command, ['pause', '--everywhere'])
  assert.equal(json(command, ['status'], { cwd: other.project }).agents.everywhere, true)
  assert.equal(prompt(command, ABOUT), undefined)
  json(command, ['resume'])
  const over = { since: '2026-01-01T00:00:00Z', until: '2026-01-01T02:00:00Z' }
  json(command, ['pause', '--for', '30m'])
  const [file] = readdirSync(join(command.home, 'paused'))
  for (const text of [JSON.stringify(over), '{"since":', '{"since":1}', '{"since":"x","until":"never"}']) {
    writeFileSync(join(command.home, 'paused', file), text)
    assert.match(prompt(command, ABOUT), /beforeEach/, text)
  }
  for (const time of ['2', 'h', '-1h', '0m', '9999d', '2 hours']) {
    assert.equal(command.run(['pause', '--for', time]).status, 2, time)
  }
})

test('a prompt switches its own session off, and on again', (t) => {
  const command = filled(t)
  const transcript = join(command.folder, 'transcript.jsonl')
  const say = (text) =>
    appendFileSync(
      transcript,
      `${JSON.stringify({ type: 'assistant', message: { role: 'assistant', content: text } })}\n`,
    )
  const stop = (session) =>
    prompt(command, undefined, { session, event: 'Stop', fields: { transcript_path: transcript } })
  say('[remember] Said before.')
  stop('s1')
  assert.equal(prompt(command, `${ABOUT}\n[memory:off]`, { session: 's1' }), undefined)
  assert.equal(prompt(command, ABOUT, { session: 's1' }), undefined)
  say('[remember] Said while it was off.')
  stop('s1')
  assert.match(prompt(command, ABOUT, { session: 's2' }), /beforeEach/)
  const stored = () => json(command, ['list']).entries.map(({ text }) => text)
  assert.match(prompt(command, `[Memory: ON]\n\n${ABOUT}`, { session: 's1' }), /beforeEach/)
  // In a question, a quote or code it is text.
  for (const text of ['what does [memory:off] do?', '> [memory:off]', '```\n[memory:off]\n```'])
    prompt(command, text, { session: 's1' })
  say('[remember] Said afterwards.')
  stop('s1')
  assert.deepEqual(
    stored()
      .filter((text) => /^Said/.test(text))
      .sort(),
    ['Said afterwards.', 'Said before.'],
  )
})

test('text of a switched-off session is not stored by another one', (t) => {
  const command = filled(t)
  const transcript = join(command.folder, 'transcript.jsonl')
  writeFileSync(transcript, '')
  const fields = { transcript_path: transcript }
  prompt(command, undefined, { session: 's1', event: 'PreCompact', fields })
  prompt(command, '[memory:off]\nNow something private.', { session: 's1' })
  appendFileSync(
    transcript,
    `${JSON.stringify({ type: 'assistant', message: { role: 'assistant', content: '[remember] Private.' } })}\n`,
  )
  prompt(command, undefined, { session: 's2', event: 'Stop', fields: {} })
  prompt(command, undefined, { session: 's1', event: 'SessionEnd', fields })
  prompt(command, undefined, { session: 's2', event: 'Stop', fields: {} })
  assert.equal(json(command, ['list']).total, 1)
  assert.deepEqual(readdirSync(join(command.home, 'sessions')), [])
})

test('a project disables events one by one, and invalid settings are reported', (t) => {
  const command = filled(t)
  const settings = (hooks) => writeFileSync(join(command.project, '.forge.json'), JSON.stringify({ hooks }))
  settings({ prompt: false })
  assert.equal(prompt(command, ABOUT), undefined)
  assert.match(prompt(command, undefined, { event: 'SessionStart' }), /beforeEach/)
  assert.deepEqual(json(command, ['status']).hooksOff, ['prompt'])
  assert.match(command.run(['status']).stdout, /hooks off +prompt/)
  settings(false)
  assert.equal(prompt(command, undefined, { event: 'SessionStart' }), undefined)
  settings({ prompt: 'no', moments: false, 'session-start': true })
  assert.match(prompt(command, ABOUT), /beforeEach/)
  const told = json(command, ['doctor']).filter(({ message }) => /^hooks\./.test(message))
  assert.deepEqual(
    told.map(({ severity }) => severity),
    ['warning', 'warning'],
  )
  assert.match(command.run(['status']).stderr, /hooks\.prompt: expected true or false/)
  for (const text of ['{', '[]', 'null', '7', '{"hooks":7}']) {
    writeFileSync(join(command.project, '.forge.json'), text)
    assert.match(prompt(command, ABOUT), /beforeEach/, text)
  }
})

test('in a monorepo the package that is worked on comes first', async (t) => {
  const command = freshCommand(t)
  execFileSync('git', ['init', '-q'], { cwd: command.project })
  const scopes = { web: ['apps/web', 'packages/ui'], api: 'services/api', bad: '../out', worse: 7 }
  writeFileSync(join(command.project, '.forge.json'), JSON.stringify({ scopes }))
  for (const folder of ['apps/web/src', 'services/api', 'packages/ui', 'docs'])
    mkdirSync(join(command.project, folder), { recursive: true })
  for (const args of [
    ['The cache of services/api/cache.ts is cleared by hand.'],
    ['The cache needs a warm start.'],
    ['Cache keys carry the locale.', '--tag', 'web'],
    ['The cache in packages/ui/theme is per window.'],
  ])
    json(command, ['capture', '--type', 'gotcha', ...args])
  const order = (folder) =>
    json(command, ['recall', 'cache'], { cwd: join(command.project, folder) }).hits.map(({ text }) => text)
  for (const folder of ['apps/web/src', 'packages/ui']) {
    const texts = order(folder)
    assert.match(texts.slice(0, 2).sort().join(), /^Cache keys.*packages\/ui/)
    assert.match(texts[3], /services\/api/)
  }
  assert.match(order('services/api')[0], /services\/api/)
  assert.equal(order('docs').length, 4)
  const { client } = await connectStdio(t, { ...command, project: join(command.project, 'services/api') }, { args: [] })
  const { text } = await call(client, 'memory_recall', { query: 'cache' })
  assert.ok(text.indexOf('services/api') < text.indexOf('warm start'))
  const told = prompt(command, 'How is the cache cleared?', { cwd: join(command.project, 'services/api') })
  assert.match(told.split('\n')[1], /services\/api/)
})

test('a package with settings of its own searches its own memory first, then that of the repository', async (t) => {
  const command = freshCommand(t)
  execFileSync('git', ['init', '-q'], { cwd: command.project })
  json(command, ['capture', '--type', 'gotcha', 'The cache of the repository is shared.'])
  const inner = join(command.project, 'packages', 'ui')
  mkdirSync(inner, { recursive: true })
  writeFileSync(join(inner, '.forge.json'), '{"projectName":"ui"}')
  json(command, ['capture', '--type', 'gotcha', 'The cache of ui is per window.'], { cwd: inner })
  const texts = (cwd) => json(command, ['recall', 'cache'], { cwd }).hits.map(({ text }) => text)
  assert.deepEqual(texts(inner), ['The cache of ui is per window.', 'The cache of the repository is shared.'])
  assert.deepEqual(texts(command.project), ['The cache of the repository is shared.'])
  const { client } = await connectStdio(t, { ...command, project: inner }, { args: [] })
  const { text } = await call(client, 'memory_recall', { query: 'cache repository' })
  assert.match(text, /2 matches in project memory:.*per window.*is shared/s)
  assert.match(prompt(command, 'Is the cache shared in the repository?', { cwd: inner }), /is shared/)
  // A folder outside of a repository is searched alone.
  const apart = join(command.folder, 'apart', 'inner')
  mkdirSync(apart, { recursive: true })
  mkdirSync(join(command.folder, 'apart', '.forge'))
  writeFileSync(join(apart, '.forge.json'), '{}')
  json(command, ['capture', '--type', 'gotcha', 'The cache of somebody else.'], { cwd: join(command.folder, 'apart') })
  assert.deepEqual(texts(apart), [])
  assert.ok(filesUnder(inner).includes('.forge/memory-captures.jsonl'))
})
