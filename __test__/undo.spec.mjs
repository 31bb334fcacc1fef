// `undo` takes back what the user did last: one command a run, and nothing that has changed since.
import assert from 'node:assert/strict'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { freshCommand, json } from './support/command.mjs'

function freshMemory(t) {
  const command = freshCommand(t)
  const capture = (text, ...args) => json(command, ['capture', '-t', 'lesson', ...args, text]).id
  const texts = () => json(command, ['list']).entries.map(({ text }) => text)
  const undo = () => json(command, ['undo'])
  const refused = (...args) => {
    const { status, stderr } = command.run(['undo', ...args])
    assert.equal(status > 0, true, stderr)
    return stderr
  }
  return { command, capture, texts, undo, refused }
}

const FLAKY = 'The login test is flaky on Windows'
const SLOW = 'Builds take eleven minutes without a cache'

test('a capture is forgotten again, and a dry run only says so', (t) => {
  const { command, capture, texts, refused } = freshMemory(t)
  const id = capture(FLAKY)
  capture(SLOW)
  const dry = command.run(['undo', '--dry-run'])
  assert.match(
    dry.stdout,
    /^Would take back capture of .*:\n\n[\s\S]* forgotten +Builds take eleven[\s\S]*Nothing was written\.\n$/,
  )
  assert.deepEqual(texts(), [SLOW, FLAKY])
  assert.match(command.run(['undo']).stdout, /^Took back capture of .*:\n\n[\s\S]*forgotten +Builds take/)
  assert.deepEqual(texts(), [FLAKY])
  assert.deepEqual(json(command, ['undo']).changes, [{ did: 'forget', id, text: FLAKY, now: id }])
  assert.deepEqual(texts(), [])
  assert.match(refused(), /^error: there is no command of yours left to take back \(NOT_FOUND\)\nhint: /)
})

test('forgotten memories come back with their type, tags, confidence and expiry, all of one command', (t) => {
  const { command, capture, texts, undo } = freshMemory(t)
  const one = capture(
    FLAKY,
    '--tag',
    'login',
    '--confidence',
    '0.55',
    '--tool',
    'forge_sweep',
    '--expires-at',
    '2090-01-01',
  )
  const other = capture(SLOW)
  json(command, ['save', '--category', 'convention', 'Makefiles use tabs'])
  const pattern = json(command, ['list']).entries.find(({ type }) => type === 'convention').id
  command.run(['forget', one, other, pattern])
  assert.deepEqual(texts(), [])
  assert.deepEqual(
    undo().changes.map(({ did }) => did),
    ['restore', 'restore', 'restore'],
  )
  assert.deepEqual(texts().sort(), [SLOW, 'Makefiles use tabs', FLAKY].sort())
  const back = json(command, ['list', '--tag', 'login']).entries[0]
  assert.deepEqual([back.type, back.confidence, back.source], ['lesson', 0.55, 'forge_sweep'])
  assert.match(back.expiresAt, /^2090-01-01/)
  command.run(['forget', back.id])
  assert.equal(undo().changes.length, 1)
})

test('an edit is taken back whole: text, type, tags and confidence', (t) => {
  const { command, capture, undo } = freshMemory(t)
  const id = capture(FLAKY, '--tag', 'login', '--confidence', '0.55')
  json(command, ['edit', id, '-t', 'gotcha', '--tag', 'auth', '--confidence', '0.9', 'The logout test is flaky'])
  const { changes, command: name } = undo()
  assert.deepEqual([name, changes[0].did], ['edit', 'edit'])
  const { entry, revisions } = json(command, ['show', id])
  assert.deepEqual([entry.text, entry.type, entry.tags, entry.confidence], [FLAKY, 'lesson', ['login'], 0.55])
  assert.equal(revisions.length, 3)
})

test('a memory that the captured one had retired is current again, and keep is taken back as well', (t) => {
  const { command, capture, texts, undo } = freshMemory(t)
  const old = capture('The API rate limit is 100 requests per minute')
  capture('The API rate limit is 250 requests per minute')
  assert.equal(texts().length, 1)
  assert.deepEqual(
    undo().changes.map(({ did }) => did),
    ['forget', 'keep'],
  )
  assert.deepEqual(texts(), ['The API rate limit is 100 requests per minute'])
  assert.equal(json(command, ['show', old]).state, 'current')
  const port = capture('The staging server listens on port 8080')
  capture('The staging server listens on port 9090')
  assert.equal(json(command, ['keep', port]).kept, true)
  assert.equal(undo().changes[0].did, 'retire')
  assert.equal(json(command, ['show', port]).state, 'retired')
})

test('a settled conflict is taken back; what cannot be is refused, with what to do instead', (t) => {
  const { command, capture, texts, undo, refused } = freshMemory(t)
  const one = capture('The gateway listens on port 8080')
  const said = ['capture', '--type', 'lesson', 'The gateway listens on port 9090']
  const other = json(command, said, { env: { CLAUDECODE: '1' } }).id
  json(command, ['conflicts', '--resolve', one, other, '--holds', 'newer'])
  assert.deepEqual(texts(), ['The gateway listens on port 9090'])
  assert.equal(undo().changes[0].did, 'keep')
  assert.equal(texts().length, 2)
  json(command, ['conflicts', '--resolve', one, other, '--holds', 'both'])
  assert.match(
    refused(),
    /^error: the last command, conflicts, cannot be taken back \(UNSUPPORTED\)\nhint: forge-memory keep ID/,
  )
})

test('what has changed since is not touched, and neither is anything else of that command', (t) => {
  const { command, capture, texts, refused } = freshMemory(t)
  const agent = { env: { CLAUDECODE: '1' } }
  const one = capture(FLAKY)
  const other = json(command, ['capture', '--type', 'lesson', SLOW], agent).id
  command.run(['forget', one])
  // An agent edits the other one, which is its own; its commands are not the user's.
  command.run(['edit', other, 'Builds take two minutes with a cache'], agent)
  command.run(['undo'])
  assert.deepEqual(texts().sort(), ['Builds take two minutes with a cache', FLAKY].sort())
  assert.match(refused(), /was changed after that command: nothing was taken back \(INVALID_INPUT\)/)
  assert.equal(texts().length, 2)
  assert.match(command.run(['undo'], agent).stderr, /an agent cannot take back what a person did \(UNSUPPORTED\)/)
})

test('the log is private, holds no texts, and a damaged one is passed over', (t) => {
  const { command, capture, texts, undo } = freshMemory(t)
  capture(FLAKY)
  capture(SLOW)
  const folder = join(command.home, 'commands')
  const [project] = readdirSync(folder)
  const files = readdirSync(join(folder, project)).sort()
  assert.equal(files.length, 2)
  for (const file of files) assert.doesNotMatch(readFileSync(join(folder, project, file), 'utf8'), /flaky|eleven/)
  writeFileSync(join(folder, project, files[1]), '{"_v":1,')
  undo()
  assert.deepEqual(texts(), [SLOW])
})
