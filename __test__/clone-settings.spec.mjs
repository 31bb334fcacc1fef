// What each setting of a clone can do before its user has said `forge-memory trust`: SECURITY.md has a row for each of these tests.
import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { buildPlanBootContext, captureMemory } from '../dist/index.js'
import { readSettings } from '../dist/openbrain/settings.js'
import { untrusted } from '../dist/openbrain/trust.js'
import { freshCommand, json } from './support/command.mjs'
import { useHome } from './support/home.mjs'
import { call, connectStdio } from './support/mcp.mjs'
import { isWindows } from './support/memory.mjs'
import { filesUnder, root } from './support/project.mjs'

const SECRET = ['gh', 'p_', 'R7xk2mQ9vT4bW8nZ3cY6hJ1dF5gL0sPaEiUo'].join('')
const read = (command, path) => readFileSync(join(command.project, path), 'utf8')
const stored = (command) =>
  filesUnder(command.project).some((path) => path.startsWith('.forge/') && read(command, path).includes(SECRET))
const findings = (command, code) =>
  JSON.parse(command.run(['--json', 'doctor']).stdout).filter((each) => each.code === code)

/** A clone with settings, and a user with settings for all projects. */
function clone(t, settings, own) {
  const command = freshCommand(t)
  writeFileSync(join(command.project, '.forge.json'), JSON.stringify(settings))
  if (own !== undefined) {
    mkdirSync(command.home, { recursive: true })
    writeFileSync(join(command.home, 'settings.json'), JSON.stringify(own), { mode: 0o600 })
  }
  return command
}

test('redact: secrets are redacted until the user has approved the clone, and doctor reports a problem all the while', (t) => {
  const command = clone(t, { redact: false })
  const capture = (text) => json(command, ['capture', '--type', 'lesson', `${text} ${SECRET}`])
  assert.equal(capture('push with').redactions, 1)
  json(command, ['save', '--category', 'convention', `deploy with ${SECRET}`])
  assert.ok(!stored(command))
  assert.match(findings(command, 'REDACT_OFF')[0].message, /not approved; they are redacted/)
  assert.equal(findings(command, 'REDACT_OFF')[0].severity, 'problem')
  assert.equal(json(command, ['status']).redact, true)
  assert.equal(json(command, ['trust', '--yes']).trusted, true)
  assert.equal(capture('release with').redactions, 0)
  assert.ok(stored(command))
  assert.match(findings(command, 'REDACT_OFF')[0].message, /stored as they are/)
})

test('redact: the floor of the user holds for a clone that was approved', (t) => {
  const command = clone(t, { redact: false }, { redact: true })
  json(command, ['trust', '--yes'])
  assert.equal(json(command, ['capture', '--type', 'lesson', `push with ${SECRET}`]).redactions, 1)
  assert.ok(!stored(command))
})

test('review: a clone can be stricter than the user, and never laxer', (t) => {
  const outcome = (settings, own) => {
    const command = clone(t, settings, own)
    const input = JSON.stringify({ conversation_id: 'c', text: '[remember] The agent has learned this.' })
    command.run(['hook', 'afterAgentResponse'], { input, env: { FORGE_MEMORY_HOOK_DEADLINE_MS: '60000' } })
    return json(command, ['list']).total
  }
  assert.deepEqual([outcome({ review: 'off' }), outcome({ review: 'agents' })], [1, 0])
  for (const review of ['off', 'agents', 'all']) assert.equal(outcome({ review }, { review: 'agents' }), 0, review)
  assert.equal(outcome({}, { review: 'all' }), 0)
  assert.equal(outcome({}, { review: 'nonsense' }), 0, 'what is not understood lowers nothing')
})

test('settings of the user that cannot be read lower nothing, and doctor says so', (t) => {
  const command = clone(t, { redact: false })
  json(command, ['trust', '--yes'])
  writeFileSync(join(command.home, 'settings.json'), '{"redact": tru', { mode: 0o600 })
  assert.equal(json(command, ['capture', '--type', 'lesson', `push with ${SECRET}`]).redactions, 1)
  const [found] = findings(command, 'CONFIG')
  const path = join(command.home, 'settings.json')
  assert.match(found.message, /settings\.json of your own folder is not a JSON object/)
  assert.deepEqual([found.subject, found.hint], [path, `correct the setting in ${path}`])
})

test('review: a file that is a link out of the project, or too large, counts as one that cannot be read', (t) => {
  const outcomeOf = (place) => {
    const command = freshCommand(t)
    useHome(t, command.home)
    place(command)
    const input = { type: 'lesson', body: 'Told by an agent' }
    return captureMemory(input, { projectDir: command.project, author: 'agent' })
  }
  const large = `{"review":"off"${' '.repeat(16 << 20)}}`
  const linked = (to) => (command) => symlinkSync(join(command.folder, to), join(command.project, '.forge.json'))
  const places = {
    'leads out of the project': (command) => {
      writeFileSync(join(command.folder, 'theirs.json'), '{"review":"off"}')
      linked('theirs.json')(command)
    },
    'is a broken link': linked('nothing.json'),
    'at most 16777216 are read': ({ project }) => writeFileSync(join(project, '.forge.json'), large),
  }
  for (const [why, place] of Object.entries(places)) {
    const { review, waitsBecause } = outcomeOf(place)
    assert.equal(review, 'proposed', why)
    assert.match(waitsBecause, new RegExp(`^\\.forge\\.json cannot be read: .*${why}`))
  }
  const own = outcomeOf(({ home }) => {
    mkdirSync(home, { recursive: true })
    writeFileSync(join(home, 'settings.json'), large, { mode: 0o600 })
  })
  assert.equal(own.review, 'proposed')
  assert.match(own.waitsBecause, /^settings\.json of your own folder cannot be read: .*captures of agents wait/)
})

test('review: with a project file that cannot be read, what agents say waits, and the answer says why', async (t) => {
  const command = freshCommand(t)
  useHome(t, command.home)
  const file = join(command.project, '.forge.json')
  const texts = ['{"review":"agents",}', '[]', '{"review":"agent"}']
  for (const [at, text] of texts.entries()) {
    writeFileSync(file, text)
    const outcome = captureMemory(
      { type: 'lesson', body: `Told with file ${at}` },
      { projectDir: command.project, author: 'agent' },
    )
    assert.equal(outcome.review, 'proposed', text)
    assert.match(outcome.waitsBecause, /^(\.forge\.json is not|review: expected)/, text)
  }
  const { client } = await connectStdio(t, command)
  const told = await call(client, 'capture_thought', { content: 'Told by an agent' })
  assert.match(told.text, /^Proposed .*it waits for a person, because review: expected/)
  assert.equal(json(command, ['add', '-t', 'lesson', 'Told by a person']).review, undefined)
  writeFileSync(file, '{"review":"agents"}')
  const wanted = captureMemory({ type: 'lesson', body: 'Told as the settings say' }, { projectDir: command.project })
  assert.deepEqual([wanted.review, wanted.waitsBecause], ['proposed', undefined])
})

test('capture: where the user says so, nothing is captured before the clone is approved', (t) => {
  const command = clone(t, {}, { capture: 'trusted' })
  const refused = command.run(['--json', 'capture', '--type', 'lesson', 'The gate needs Node 20'])
  assert.equal(refused.status, 2)
  assert.match(JSON.parse(refused.stdout).error.message, /not approved on this machine/)
  assert.match(JSON.parse(refused.stdout).error.hint, /forge-memory trust/)
  assert.notEqual(command.run(['save', 'pnpm vitest --run']).status, 0)
  const input = JSON.stringify({ conversation_id: 'c', text: '[remember] The agent has learned this.' })
  const hook = () =>
    command.run(['hook', 'afterAgentResponse'], { input, env: { FORGE_MEMORY_HOOK_DEADLINE_MS: '60000' } })
  assert.deepEqual(hook(), { status: 0, stdout: '', stderr: '' })
  assert.equal(json(command, ['list']).total, 0)
  assert.ok(!existsSync(join(command.home, 'owed')))
  assert.match(json(command, ['trust', '--yes']).asks[0], /store what agents learn here/)
  hook()
  assert.equal(json(command, ['list']).total, 1)
})

test('search: where the user says so, agents find thoughts of their own project only', async (t) => {
  const command = clone(t, { projectName: 'shop' }, { search: 'project' })
  const bank = join(command.folder, 'bank')
  mkdirSync(bank)
  writeFileSync(join(bank, '.forge.json'), JSON.stringify({ projectName: 'bank' }))
  for (const [name, cwd] of [
    ['shop', command.project],
    ['bank', bank],
  ]) {
    json(command, ['capture', '--type', 'lesson', `The gate of ${name} needs Node 20`], { cwd })
    json(command, ['drain'], { cwd })
  }
  const asked = async () => {
    const { client } = await connectStdio(t, command)
    const answer = await call(client, 'search_thoughts', { query: 'gate', project: 'bank' })
    return answer.thoughts.map(({ project }) => project)
  }
  assert.deepEqual(await asked(), ['shop'])
  writeFileSync(join(command.home, 'settings.json'), '{}', { mode: 0o600 })
  assert.deepEqual(await asked(), ['bank'])
})

test('openbrain.dedupThreshold: a lower one than 0.9 is not used', (t) => {
  const command = clone(t, { openbrain: { dedupThreshold: 0.5 } })
  const first = 'The gate needs Node 20 and pnpm on every machine of the team'
  json(command, ['capture', '--type', 'lesson', first])
  const other = json(command, [
    'capture',
    '--type',
    'lesson',
    'The gate needs Node 22 and pnpm on a machine of the team',
  ])
  assert.equal(other.deduped, false)
  assert.match(findings(command, 'CONFIG')[0].message, /expected a number from 0\.9 to 1/)
})

test('openbrain.url, embedder.url: one question lists every address, and nothing is approved before', (t) => {
  const command = clone(t, {
    redact: false,
    openbrain: { url: 'https://store.example/' },
    embedder: { kind: 'ollama', url: 'http://127.0.0.1:1/' },
  })
  if (!isWindows) {
    mkdirSync(join(command.folder, 'elsewhere'))
    symlinkSync(join(command.folder, 'elsewhere'), join(command.project, '.forge'))
  }
  useHome(t, command.home)
  const refused = command.run(['trust'])
  assert.equal(refused.status, 2)
  assert.match(refused.stderr, /standard input is not a terminal/)
  assert.deepEqual(
    filesUnder(command.folder).filter((path) => path.includes('trusted-') && !path.includes('trusted-scripts')),
    [],
  )
  const { asks, trusted } = json(command, ['trust', '--yes'])
  assert.equal(trusted, true)
  for (const what of [/https:\/\/store\.example/, /http:\/\/127\.0\.0\.1:1/, /store passwords and keys/])
    assert.equal(asks.filter((each) => what.test(each)).length, 1, String(what))
  assert.equal(asks.filter((each) => /\.forge is a link/.test(each)).length, isWindows ? 0 : 1)
  assert.deepEqual(untrusted(readSettings(command.project)), [])
  assert.deepEqual(json(command, ['trust']).asks, [])
})

test('openbrain.keywordMap: any pattern is matched in linear time, and asks the own records only', {
  timeout: 60_000,
}, (t) => {
  const keywordMap = [{ pattern: '(a+)+$', query: 'invoice rules' }]
  const command = clone(t, { openbrain: { keywordMap } })
  const options = { projectDir: command.project }
  const plan = { name: 'p', slices: [`${'a'.repeat(50_000)}!`, 'a'] }
  const { hints } = buildPlanBootContext(plan, 'shop', options)
  assert.deepEqual(
    hints.map(({ query }) => query),
    ['plan p', 'invoice rules'],
  )
})

test('embedder.model: the name of an installed model, and never a path', (t) => {
  for (const model of ['../../evil', 'e5-small-v2']) {
    const command = clone(t, { embedder: { kind: 'local', model } })
    assert.match(findings(command, 'CONFIG')[0].message, /expected all-MiniLM-L6-v2 or multilingual-e5-small/)
  }
})

const { properties } = JSON.parse(readFileSync(join(root, 'docs/reference/forge.schema.json'), 'utf8'))
const DECLARED = Object.entries(properties).flatMap(([name, declared]) =>
  Object.entries(declared.properties ?? { '': declared }).map(([key, each]) => [
    key === '' ? name : `${name}.${key}`,
    each,
  ]),
)
const [, PAGE] = readFileSync(join(root, 'SECURITY.md'), 'utf8').split('## What the settings of a clone can do')
const [ROWS] = PAGE.split('\n## ')

/** A value that is not the usual one, and as large as it may be. */
function unusual({ type, enum: choices, default: usual, maximum = 10_000_000 }) {
  if (choices) return choices.findLast((choice) => choice !== usual)
  if (type === 'boolean') return usual !== true
  return type === 'integer' || type === 'number' ? maximum : undefined
}

/** A file that has every setting of a row of the page at an unusual value. */
function settingsOf(row) {
  const hostile = {
    projectName: '../../x',
    hooks: false,
    scopes: { evil: ['../..', '/etc'] },
    'watch.rules': [{ pattern: '../../**', type: 'lesson', body: 'x' }],
  }
  const file = {}
  for (const [key, declared] of DECLARED.filter(([key]) => row.includes(`\`${key}\``) || key in hostile)) {
    const [name, inner] = key.split('.')
    const value = hostile[key] ?? unusual(declared)
    assert.notEqual(value, undefined, `${key}: the test needs a hostile value`)
    if (inner === undefined) file[name] = value
    else file[name] = { ...file[name], [inner]: value }
  }
  return file
}

test('how this project is stored, watched and shown: nothing leaves the project or starts', (t) => {
  const row = ROWS.split('\n').find((line) => line.includes('how this project is stored, watched and shown'))
  const command = clone(t, settingsOf(row))
  const outside = () =>
    filesUnder(command.folder).filter((path) => !path.startsWith('project/') && !path.startsWith('home/'))
  const before = outside()
  json(command, ['capture', '--type', 'lesson', 'The gate needs Node 20'])
  for (const args of [['status'], ['recall', 'gate'], ['report'], ['trust']])
    assert.equal(command.run(args).status, 0, args[0])
  assert.deepEqual(outside(), before)
  assert.deepEqual(json(command, ['trust']).asks, [])
})

test('the page of security has a row for every setting that a clone can have', () => {
  assert.ok(DECLARED.length > 20)
  assert.deepEqual(
    DECLARED.filter(([key]) => !ROWS.includes(`\`${key}\``)).map(([key]) => key),
    [],
  )
})

test('doctor reports every setting that is invalid', (t) => {
  const file = {}
  for (const [key] of DECLARED) {
    const [name, inner] = key.split('.')
    if (inner === undefined) file[name] = null
    else file[name] = { ...file[name], [inner]: null }
  }
  const messages = findings(clone(t, file), 'CONFIG').map(({ message }) => message)
  for (const [key] of DECLARED)
    assert.ok(
      messages.some((message) => message.startsWith(`${key}: expected `)),
      `${key} in ${messages.join('\n')}`,
    )
})
