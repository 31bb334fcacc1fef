import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import test from 'node:test'
import {
  captureMemory,
  keepGitPast,
  latticeIndex,
  memoryRecall,
  promptNotes,
  recall,
  sessionNotes,
} from '../dist/index.js'
import { serve } from '../dist/server/index.js'
import { keepPastOf } from '../dist/shared/git-past.js'
import { freshCommand, json } from './support/command.mjs'
import { connectWithin } from './support/mcp.mjs'
import { freshMemory, isWindows } from './support/memory.mjs'

const LONG_AGO = 1_000_000_000
const LATER = 4_000_000_000

/** Writes a file of a project as if that had been done at a time, in seconds. */
function write(project, name, text = 'text', seconds = LONG_AGO) {
  const path = join(project, name)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
  utimesSync(path, seconds, seconds)
}

const touch = (project, name, seconds) => utimesSync(join(project, name), seconds, seconds)

/** Runs git in a project with a neutral identity. */
function gitIn(project) {
  return (...args) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', '-c', 'commit.gpgsign=false', ...args], {
      cwd: project,
      stdio: 'pipe',
    })
}

function capture({ options }, body, fields = {}) {
  return captureMemory({ tool: 'test', type: 'gotcha', body, ...fields }, options)
}

/** The state of what the record names that answers first. */
function stateOf({ options }, query) {
  const [hit] = recall(query, options).hits
  return hit.freshness?.state
}

test('a path in a text is unchanged, changed or gone', (t) => {
  const memory = freshMemory(t)
  write(memory.project, 'src/pool.ts')
  capture(memory, 'The pool in `src/pool.ts:12` leaks a connection.')
  const [hit] = recall('pool leaks', memory.options).hits
  assert.equal(hit.freshness.state, 'unchanged')
  assert.match(hit.freshness.why, /src\/pool\.ts/)
  assert.ok(Math.abs(Date.parse(hit.freshness.checkedAt) - Date.now()) < 60_000)
  touch(memory.project, 'src/pool.ts', LATER)
  assert.equal(stateOf(memory, 'pool leaks'), 'changed')
  rmSync(join(memory.project, 'src/pool.ts'))
  assert.equal(stateOf(memory, 'pool leaks'), 'gone')
})

test('a source file is compared by its hash: rewriting the same bytes leaves it unchanged', (t) => {
  const memory = freshMemory(t)
  write(memory.project, 'src/pool.ts', 'one two three')
  capture(memory, 'Connections leak.', { sourceFile: 'src/pool.ts' })
  capture(memory, 'Only the second word matters.', { sourceFile: 'src/pool.ts', byteRange: [4, 7] })
  write(memory.project, 'src/pool.ts', 'one two three', LATER)
  assert.equal(stateOf(memory, 'connections leak'), 'unchanged')
  write(memory.project, 'src/pool.ts', 'one two 3', LATER + 1)
  assert.equal(stateOf(memory, 'connections leak'), 'changed')
  assert.equal(stateOf(memory, 'second word'), 'unchanged', 'its bytes are the same')
  write(memory.project, 'src/pool.ts', 'one', LATER + 2)
  assert.equal(stateOf(memory, 'second word'), 'changed', 'its bytes are not there any more')
  rmSync(join(memory.project, 'src/pool.ts'))
  assert.equal(stateOf(memory, 'connections leak'), 'gone')
})

test('a record that is captured again describes the current state', (t) => {
  const memory = freshMemory(t)
  const minuteAgo = Math.floor(Date.now() / 1000) - 60
  write(memory.project, 'src/pool.ts', 'one')
  capture(memory, 'Zebra stripes in src/pool.ts')
  capture(memory, 'Connections leak.', { sourceFile: 'src/pool.ts' })
  const back = readFileSync(memory.raw, 'utf8').replaceAll(/"captured_at":"20\d\d/g, '"captured_at":"2020')
  writeFileSync(memory.raw, back)
  write(memory.project, 'src/pool.ts', 'two', minuteAgo)
  assert.deepEqual([stateOf(memory, 'zebra'), stateOf(memory, 'connections')], ['changed', 'changed'])
  assert.equal(capture(memory, 'Zebra stripes in src/pool.ts').deduped, true)
  assert.equal(capture(memory, 'Connections leak.', { sourceFile: 'src/pool.ts' }).deduped, true)
  assert.deepEqual([stateOf(memory, 'zebra'), stateOf(memory, 'connections')], ['unchanged', 'unchanged'])
})

test('a source file that is too large to be read for an answer is compared by its time', (t) => {
  const memory = freshMemory(t)
  write(memory.project, 'data.bin', 'x')
  truncateSync(join(memory.project, 'data.bin'), 3_000_000)
  touch(memory.project, 'data.bin', LONG_AGO)
  capture(memory, 'The data has a header.', { sourceFile: 'data.bin' })
  assert.equal(stateOf(memory, 'data header'), 'unchanged')
  touch(memory.project, 'data.bin', LATER)
  assert.equal(stateOf(memory, 'data header'), 'changed')
})

test('scripts of a package and targets of a makefile are there or gone', (t) => {
  const memory = freshMemory(t)
  write(memory.project, 'package.json', '{"scripts":{"test:unit":"x"}}')
  write(memory.project, 'Makefile', 'snap:\n\techo\n')
  capture(memory, 'Unit tests: npm run test:unit')
  capture(memory, 'Snapshots are made with `make snap`')
  assert.deepEqual([stateOf(memory, 'unit tests'), stateOf(memory, 'snapshots')], ['unchanged', 'unchanged'])
  write(memory.project, 'package.json', '{"scripts":{"test":"x"}}', LATER)
  write(memory.project, 'Makefile', 'shots:\n\techo\n', LATER)
  assert.deepEqual([stateOf(memory, 'unit tests'), stateOf(memory, 'snapshots')], ['gone', 'gone'])
  write(memory.project, 'package.json', '{"workspaces":["a"],"scripts":{"test":"x"}}', LATER + 1)
  assert.equal(stateOf(memory, 'unit tests'), undefined, 'another package may have it')
})

test('a record that references nothing in the project is not marked', (t) => {
  const memory = freshMemory(t)
  write(memory.project, 'client/index.ts')
  for (const text of [
    'Zebra: client/server is a pattern',
    'Zebra: see https://example.com/src/a.ts',
    'Zebra: /etc/passwd, ../up.ts, ~/x.ts and other/place.ts',
    'Zebra: e.g. 1.2.3 and/or 24/7',
    'Zebra: lib/a.rb was renamed to client/index.rb',
  ]) {
    capture(memory, text)
  }
  const { hits } = recall('zebra', memory.options)
  assert.equal(hits.length, 5)
  assert.deepEqual(
    hits.filter(({ freshness }) => freshness !== undefined),
    [],
  )
})

test('a record about changed or missing files ranks below an equally relevant one, and is never hidden', (t) => {
  const memory = freshMemory(t)
  write(memory.project, 'src/one.ts')
  write(memory.project, 'src/two.ts')
  capture(memory, 'Zebra stripes need black ink: src/one.ts')
  capture(memory, 'Zebra stripes want thin lines: src/two.ts')
  const order = () => recall('zebra stripes', memory.options).hits.map(({ text }) => text.slice(-10, -3))
  const [first, second] = order()
  rmSync(join(memory.project, `${first}.ts`))
  assert.deepEqual(order(), [second, first])
  assert.equal(recall('zebra stripes', { ...memory.options, limit: 1 }).hits[0].text.slice(-10, -3), second)
})

test('a recall as of a past moment does not check the present files', (t) => {
  const memory = freshMemory(t)
  write(memory.project, 'src/one.ts', 'x', LATER)
  const { thought } = capture(memory, 'Zebra stripes in src/one.ts')
  const [hit] = recall('zebra', { ...memory.options, at: thought.captured_at }).hits
  assert.equal(hit.freshness, undefined)
})

test('freshness false in the settings leaves everything unchecked', (t) => {
  const memory = freshMemory(t)
  writeFileSync(join(memory.project, '.forge.json'), '{"freshness":false}')
  write(memory.project, 'src/one.ts', 'x', LATER)
  capture(memory, 'Zebra stripes in src/one.ts')
  assert.equal(stateOf(memory, 'zebra'), undefined)
  writeFileSync(join(memory.project, '.forge.json'), '{}')
  assert.equal(stateOf(memory, 'zebra'), 'changed')
})

test('a fresh clone marks no record as changed', (t) => {
  const origin = freshMemory(t)
  const git = gitIn(origin.project)
  git('init', '-q')
  write(origin.project, 'src/one.ts', 'x')
  capture(origin, 'Zebra stripes in src/one.ts')
  git('add', '-A', '-f', 'src', '.forge/memory-captures.jsonl')
  git('commit', '-qm', 'x')
  const project = join(origin.folder, 'clone')
  execFileSync('git', ['clone', '-q', origin.project, project], { stdio: 'pipe' })
  const clone = { options: { projectDir: project } }
  // A clone made within seconds after the capture cannot be distinguished from an edit, so this one is made a day later.
  const day = Math.floor(Date.now() / 1000) + 86_400
  writeFileSync(
    join(project, '.git/logs/HEAD'),
    `${'0'.repeat(40)} ${'1'.repeat(40)} a <a@b> ${day} +0000\tclone: from x\n`,
  )
  touch(project, 'src/one.ts', day)
  assert.equal(stateOf(clone, 'zebra'), 'unchanged')
  touch(project, 'src/one.ts', day + 3600)
  assert.equal(stateOf(clone, 'zebra'), 'changed')
})

test('git knows whether a missing file was renamed, removed, or never existed', (t) => {
  const memory = freshMemory(t)
  const git = gitIn(memory.project)
  git('init', '-q')
  write(memory.project, 'lib/session.rb', 'session\n'.repeat(20))
  write(memory.project, 'lib/old.rb', 'old\n'.repeat(20))
  git('add', 'lib')
  git('commit', '-qm', 'x')
  capture(memory, 'Zebra: session handling is in lib/session.rb')
  capture(memory, 'Yak: parsing is in lib/old.rb')
  capture(memory, 'Gnu: new ones are called lib/example.rb')
  mkdirSync(join(memory.project, 'lib/auth'))
  renameSync(join(memory.project, 'lib/session.rb'), join(memory.project, 'lib/auth/store.rb'))
  rmSync(join(memory.project, 'lib/old.rb'))
  git('add', '-A', 'lib')
  git('commit', '-qm', 'y')
  assert.equal(stateOf(memory, 'zebra'), 'gone', 'git has not been asked yet')
  const log = git('log', '-z', '--name-status', '--diff-filter=DR', '-M', '--format=')
  assert.equal(keepGitPast(log, true, memory.options), true)
  const [hit] = recall('zebra', memory.options).hits
  assert.equal(hit.freshness.state, 'renamed')
  assert.match(hit.freshness.why, /lib\/session\.rb.* is .*lib\/auth\/store\.rb/)
  assert.deepEqual([stateOf(memory, 'yak'), stateOf(memory, 'gnu')], ['gone', undefined])
})

test('git runs no program that the repository configures', async (t) => {
  const memory = freshMemory(t)
  const git = gitIn(memory.project)
  git('init', '-q')
  write(memory.project, 'src/old.ts')
  write(memory.project, 'src/new.ts', 'text', LATER)
  git('add', 'src')
  git('commit', '-qm', 'x')
  git('rm', '-q', 'src/old.ts')
  git('commit', '-qm', 'y')
  const trap = join(memory.folder, 'trap')
  const program = join(memory.folder, 'program.sh')
  writeFileSync(program, `#!/bin/sh\ntouch '${trap}'\n`, { mode: 0o755 })
  for (const key of ['core.fsmonitor', 'gpg.program', 'core.pager', 'diff.external']) git('config', key, program)
  git('config', 'log.showSignature', 'true')
  rmSync(trap, { force: true })
  assert.equal(await keepPastOf(memory.project), false, 'there is no memory yet')
  capture(memory, 'Zebra: src/old.ts')
  assert.equal(await keepPastOf(memory.project), true)
  assert.equal(existsSync(trap), false)
  const [hit] = recall('zebra', memory.options).hits
  assert.deepEqual([hit.freshness.state, hit.freshness.why], ['gone', '`src/old.ts` was removed'])
})

test('reading the git history creates no memory', (t) => {
  const memory = freshMemory(t)
  assert.equal(keepGitPast(Buffer.from('D\0a.rb\0'), true, memory.options), false)
})

test('a name between backticks is looked up in the code graph', async (t) => {
  const memory = freshMemory(t)
  write(memory.project, 'src/user.ts', 'export function fetchUser() { return loadAll() }\nfunction loadAll() {}\n')
  capture(memory, 'Zebra: `fetchUser()` in src/user.ts caches for a minute')
  capture(memory, 'Yak: `useEffect` runs twice in strict mode')
  assert.equal(stateOf(memory, 'zebra'), 'unchanged')
  write(memory.project, 'src/user.ts', 'export function loadProfile() { return loadAll() }\nfunction loadAll() {}\n')
  await latticeIndex(memory.options)
  const [hit] = recall('zebra', memory.options).hits
  assert.deepEqual([hit.freshness.state, hit.freshness.why], ['gone', '`fetchUser` is not in the code'])
  assert.equal(stateOf(memory, 'yak'), undefined, 'it may be of a library')
})

test('marks are in the text of recall, in notes for agents, in MCP and over HTTP', async (t) => {
  const memory = freshMemory(t)
  write(memory.project, 'src/one.ts', 'x', LATER)
  capture(memory, 'Zebra stripes are drawn in src/one.ts', { type: 'convention' })
  const mark = /\[changed: `src\/one\.ts` has changed since\]/
  assert.match(memoryRecall({ query: 'zebra' }, memory.options).text, mark)
  assert.equal(promptNotes('zebra stripes', memory.options)[0].freshness.state, 'changed')
  assert.equal(sessionNotes(undefined, memory.options)[0].freshness.state, 'changed')
  const client = await connectWithin(t, memory)
  const { content, structuredContent } = await client.callTool({ name: 'memory_recall', arguments: { query: 'zebra' } })
  assert.match(content[0].text, mark)
  assert.equal(structuredContent.notes[0].freshness.state, 'changed')
  const server = await serve({ port: 0, projectDir: memory.project, watch: false, drain: false })
  t.after(() => server.close())
  const headers = { authorization: `Bearer ${server.token}` }
  const answer = await (await fetch(`${server.origin}/api/memory/recall?query=zebra`, { headers })).json()
  assert.equal(answer.hits[0].freshness.state, 'changed')
})

test('the command line marks stale records in text, JSON and prompts', (t) => {
  const command = freshCommand(t)
  write(command.project, 'src/one.ts', 'x', LATER)
  command.run(['capture', '--type', 'gotcha', 'Zebra stripes are drawn in src/one.ts'])
  assert.match(command.run(['recall', 'zebra']).stdout, /\[changed: `src\/one\.ts` has changed since\]/)
  assert.equal(json(command, ['recall', 'zebra']).hits[0].freshness.state, 'changed')
  const input = JSON.stringify({ hook_event_name: 'UserPromptSubmit', prompt: 'zebra stripes', cwd: command.project })
  const env = { FORGE_MEMORY_HOOK_DEADLINE_MS: '20000' }
  const { stdout } = command.run(['hook', 'UserPromptSubmit'], { input, env })
  assert.match(stdout, /\[changed: `src\/one\.ts` has changed since\]/)
})

// Links and FIFOs are made in another way on Windows.
if (!isWindows) test('nothing outside of the project is read, and nothing blocks', looksAtNothingOutside)

function looksAtNothingOutside(t) {
  const memory = freshMemory(t)
  const outside = join(memory.folder, 'outside')
  write(outside, 'secret.ts', 'x', LATER)
  write(memory.project, 'src/inside.ts', 'x', LATER)
  symlinkSync(outside, join(memory.project, 'src/out'))
  symlinkSync(join(outside, 'secret.ts'), join(memory.project, 'src/link.ts'))
  symlinkSync('inside.ts', join(memory.project, 'src/near.ts'))
  symlinkSync('loop.ts', join(memory.project, 'src/loop.ts'))
  execFileSync('mkfifo', [join(memory.project, 'src/fifo.ts'), join(memory.project, 'package.json')])
  capture(memory, 'Zebra one: src/out/secret.ts and src/out/none.ts')
  capture(memory, 'Zebra two: src/link.ts and src/loop.ts')
  capture(memory, 'Zebra three: src/near.ts')
  capture(memory, 'Zebra four: `src/fifo.ts` and npm run build')
  assert.deepEqual(
    ['one', 'two', 'three', 'four'].map((word) => stateOf(memory, `zebra ${word}`)),
    [undefined, undefined, 'changed', 'unchanged'],
  )
}

test('a forged hallmark of a clone leads to no file', (t) => {
  const memory = freshMemory(t)
  write(memory.project, 'src/one.ts')
  capture(memory, 'Zebra stripes', { sourceFile: 'src/one.ts' })
  const { thought } = capture(memory, 'Yak wool', { sourceFile: 'src/one.ts' })
  const line = (sourceFile, byteRange) => {
    const hallmark = { ...thought.hallmark, sourceFile, ...(byteRange && { byteRange }) }
    return JSON.stringify({ ...thought, id: `mem_${Math.random()}`, content: 'Gnu horns', hallmark })
  }
  const made = ['../outside.ts', '/etc/passwd', 'src/\u001b[31m.ts', 'x'.repeat(5000), 'a/'.repeat(600)]
  writeFileSync(memory.raw, `${made.map((name) => line(name)).join('\n')}\n${line('src/one.ts', [9, 2])}\n`, {
    flag: 'a',
  })
  const { hits } = recall('gnu', memory.options)
  assert.ok(hits.length > 0)
  for (const { freshness } of hits) assert.ok(freshness === undefined || !/\p{Cc}/u.test(freshness.why))
})
