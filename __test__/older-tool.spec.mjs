import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { diagnose, memoryRecall, memoryStatus, migrateMemory, publishEvents, recall } from '../dist/index.js'
import { freshCommand, json } from './support/command.mjs'
import { call, connectStdio } from './support/mcp.mjs'
import { freshMemory, isWindows } from './support/memory.mjs'

const THOUGHT = {
  _v: 1,
  content: 'Gate needs --runInBand on Windows',
  project: 'shop',
  type: 'gotcha',
  source: 'forge_sweep',
  created_by: 'liveguard-auto',
  captured_at: '2026-11-20T10:00:00.000Z',
}

/** A project as the older tool leaves it. */
function unmigrated(project) {
  mkdirSync(join(project, '.forge'))
  writeFileSync(join(project, '.forge/liveguard-memories.jsonl'), `${JSON.stringify(THOUGHT)}\n`)
  writeFileSync(join(project, '.forge/drift-history.json'), '[{"score":90}]\n')
}

test('recall, list, status and doctor name the files of an older tool and the command that migrates them', (t) => {
  const command = freshCommand(t)
  unmigrated(command.project)
  for (const args of [['recall', 'gate'], ['list'], ['list', '--type', 'gotcha'], ['status'], ['doctor']]) {
    const { stdout, stderr } = command.run(args)
    const said = stdout + stderr
    assert.match(said, /liveguard-memories\.jsonl/, args.join(' '))
    assert.match(said, /forge-memory migrate-memory/, args.join(' '))
    assert.doesNotMatch(said, /nothing is stored yet/i, args.join(' '))
  }
  const status = json(command, ['status'])
  assert.deepEqual(status.unmigrated, ['liveguard-memories.jsonl', 'drift-history.json'])

  json(command, ['capture', '--type', 'lesson', 'The gate is slow.'])
  const beside = command.run(['recall', 'gate'])
  assert.match(beside.stdout, /The gate is slow/)
  assert.match(beside.stderr, /liveguard-memories\.jsonl.*migrate-memory/)

  json(command, ['migrate-memory'])
  for (const args of [['recall', 'gate'], ['status'], ['doctor']]) {
    const { stdout, stderr } = command.run(args)
    assert.doesNotMatch(stdout + stderr, /liveguard|migrate-memory/, args.join(' '))
  }
  assert.equal(json(command, ['recall', 'gate']).hits.length, 2)
})

test('the backup of a migration has the first copy of a file that is rewritten twice', (t) => {
  const command = freshCommand(t)
  mkdirSync(join(command.project, '.forge'))
  const { _v, ...unversioned } = THOUGHT
  const [lesson, decision] = ['lesson', 'decision'].map((type) => `${JSON.stringify({ ...unversioned, type })}\n`)
  writeFileSync(join(command.project, '.forge/memory-captures.jsonl'), lesson)
  writeFileSync(join(command.project, '.forge/liveguard-memories.jsonl'), decision)
  const { backup } = json(command, ['migrate-memory'])
  assert.equal(readFileSync(join(backup, 'memory-captures.jsonl'), 'utf8'), lesson)
  assert.equal(readFileSync(join(backup, 'liveguard-memories.jsonl'), 'utf8'), decision)
})

test('every event has the version of records, and a migration gives it to the earlier ones', async (t) => {
  const memory = freshMemory(t)
  const path = join(memory.project, '.forge/hub-events.jsonl')
  const read = () =>
    readFileSync(path, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
  publishEvents(['{"type":"run-started","plan":"P","_v":7}', '{"type":"b","n":1}'], memory.options)
  assert.deepEqual(
    read().map(({ _v, type }) => [_v, type]),
    [
      [1, 'run-started'],
      [1, 'memory-preload'],
      [1, 'b'],
    ],
  )
  const older = freshMemory(t)
  mkdirSync(join(older.project, '.forge'))
  const events = join(older.project, '.forge/hub-events.jsonl')
  writeFileSync(events, '{"version":"1.0","type":"a"}\n{"version":"1.0","type":"memory-preload","_v":1}\n')
  const { files } = migrateMemory(older.options)
  const { fate, changed } = files.find(({ name }) => name === 'hub-events.jsonl')
  assert.deepEqual([fate, changed], ['migrated', 1])
  assert.match(readFileSync(events, 'utf8'), /^\{"_v":1,"version":"1.0","type":"a"\}\n\{"version":"1.0"/)
  assert.deepEqual(
    migrateMemory(older.options).files.map((file) => file.fate),
    ['current'],
  )
})

test('the library and the MCP server say so as well, and stop when it is done', async (t) => {
  const memory = freshMemory(t)
  unmigrated(memory.project)
  assert.match(recall('gate', memory.options).message, /^No memories found\. Not searched: liveguard-memories\.jsonl/)
  assert.match(memoryRecall({ query: 'gate' }, memory.options).text, /liveguard-memories\.jsonl/)
  assert.ok(diagnose(memory.options).some(({ code, severity }) => code === 'UNMIGRATED' && severity === 'warning'))

  const command = freshCommand(t)
  unmigrated(command.project)
  json(command, ['capture', '--type', 'lesson', 'The gate is slow.'])
  const { client } = await connectStdio(t, command)
  const answer = await call(client, 'memory_recall', { query: 'gate' })
  assert.equal(answer.notes.length, 1)
  assert.match(answer.message, /liveguard-memories\.jsonl/)
  json(command, ['migrate-memory'])
  const after = await call(client, 'memory_recall', { query: 'gate' })
  assert.deepEqual([after.notes.length, after.message], [2, undefined])
})

test('a file that a migration would not change is not reported', (t) => {
  const memory = freshMemory(t)
  mkdirSync(memory.forge())
  for (const text of ['', '\n\n', 'not a record\n']) {
    writeFileSync(memory.forge('liveguard-memories.jsonl'), text)
    assert.deepEqual(memoryStatus(memory.options).unmigrated, [], JSON.stringify(text))
  }
})

test('a list that matches nothing says that, and only an empty memory is called empty', (t) => {
  const command = freshCommand(t)
  const said = (...args) => command.run(['list', ...args]).stdout
  assert.match(said(), /Nothing is stored yet/)
  assert.match(said('--type', 'gotcha'), /Nothing is stored yet/)
  const { id } = json(command, ['capture', '--type', 'lesson', 'one'])
  for (const args of [
    ['--tag', 'x'],
    ['--since', '2100-01-01'],
    ['--min-confidence', '1'],
    ['--scope', 'global'],
    ['--at', '2000-01-01'],
  ]) {
    assert.match(said(...args), /^No memory matches these filters\.$/m, args.join(' '))
  }
  json(command, ['forget', id])
  assert.doesNotMatch(said(), /Nothing is stored yet/)
})

test('doctor counts memories, and does not advise to delete unknown files', (t) => {
  const command = freshCommand(t)
  json(command, ['capture', '--type', 'lesson', 'one'])
  json(command, ['capture', '--type', 'lesson', 'two is another thing'])
  const { id } = json(command, ['capture', '--type', 'gotcha', 'three'])
  json(command, ['save', '--category', 'convention', 'four'])
  json(command, ['save', '--category', 'convention', '--scope', 'global', 'five'])
  json(command, ['forget', id])
  writeFileSync(join(command.project, '.forge/notes.txt'), 'mine')
  const findings = json(command, ['doctor'])
  const files = findings.find(({ code }) => code === 'FILES')
  assert.match(files.message, /^4 memories, 1 of them for all projects; \d+ lines in \d+ files$/)
  const unknown = findings.find(({ code }) => code === 'ORPHANS')
  assert.match(unknown.message, /notes\.txt/)
  for (const { hint } of findings) assert.doesNotMatch(hint ?? '', /remove|delete/i)
})

test('doctor finds nothing in a plain clone, and warns once others can read what git does not keep', (t) => {
  if (isWindows) return
  const command = freshCommand(t)
  const git = (...args) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], { cwd: command.project })
  json(command, ['add', '-t', 'lesson', 'The gate is slow'])
  git('init', '-q')
  git('add', '-A')
  git('commit', '-qm', 'a')
  chmodSync(command.folder, 0o755)
  for (const umask of ['002', '022']) {
    const clone = join(command.folder, `clone-${umask}`)
    execFileSync('sh', ['-c', `umask ${umask}; exec git clone -q "$1" "$2"`, 'sh', command.project, clone])
    const codes = () => json(command, ['doctor', '-p', clone]).map(({ code }) => code)
    assert.ok(!codes().includes('OPEN_FOLDER'), umask)
    json(command, ['add', '-p', clone, '-t', 'lesson', 'The lexer keeps a table'])
    assert.ok(!codes().includes('OPEN_FOLDER'), umask)
    chmodSync(join(clone, '.forge/openbrain-queue.jsonl'), 0o644)
    assert.ok(codes().includes('OPEN_FOLDER'), umask)
  }
})

test('doctor warns of permissions only when another user can reach the file', (t) => {
  if (isWindows) return
  const memory = freshMemory(t)
  mkdirSync(memory.forge('memory'), { recursive: true })
  const isOpen = () => diagnose(memory.options).some(({ code }) => code === 'OPEN_FOLDER')
  writeFileSync(memory.raw, '{"id":"a","content":"one","type":"lesson"}\n', { mode: 0o644 })
  const steps = [
    // Of the folder above, of .forge, of the file; whether others can read it.
    [0o700, 0o755, 0o644, false],
    [0o755, 0o700, 0o644, false],
    [0o755, 0o755, 0o600, false],
    [0o711, 0o711, 0o644, true],
    [0o755, 0o755, 0o644, true],
  ]
  for (const [above, forge, file, expected] of steps) {
    chmodSync(memory.folder, above)
    chmodSync(memory.project, 0o755)
    chmodSync(memory.forge(), forge)
    chmodSync(memory.raw, file)
    assert.equal(isOpen(), expected, [above, forge, file].map((mode) => mode.toString(8)).join(' '))
  }
  assert.ok(existsSync(memory.raw))
})
