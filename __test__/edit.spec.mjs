import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import test from 'node:test'
import {
  captureMemory,
  editMemory,
  forget,
  listConflicts,
  listMemories,
  listRetired,
  memoryRecall,
  memorySave,
  recall,
  resolveConflict,
  showMemory,
} from '../index.js'
import { freshCommand, json } from './support/command.mjs'
import { freshMemory, physicalLines, reopened } from './support/memory.mjs'
import { readLines } from './support/project.mjs'

const BODY = 'Gate needs --runInBand on Windows'
const capture = (memory, fields) =>
  captureMemory({ type: 'lesson', body: BODY, tool: 'forge_sweep', ...fields }, memory.options)
const find = (memory, query, options) => recall(query, { ...memory.options, ...options }).hits.map(({ text }) => text)

/** Returns the record of a line of the raw log, without the mark of this machine. */
function recordIn(line) {
  const { _mark, ...record } = JSON.parse(line)
  return record
}

/** Writes the raw log as it would stand after a while. */
function writeRaw(memory, lines) {
  mkdirSync(dirname(memory.raw), { recursive: true })
  writeFileSync(memory.raw, lines.map((line) => `${JSON.stringify({ _v: 1, ...line })}\n`).join(''))
}

test('an edit stores a new revision that is recalled instead, and both stay in the file', (t) => {
  const memory = freshMemory(t)
  const first = capture(memory, { tags: ['a'], confidence: 0.5 })
  const [line] = physicalLines(memory.raw)
  const edited = editMemory(first.id, { body: 'Gate needs --maxWorkers=1 on Windows', confidence: 0.9 }, memory.options)
  assert.notEqual(edited.id, first.id)
  assert.deepEqual(
    [edited.supersedes, edited.content, edited.type, edited.tags, edited.confidence, edited.source, edited.project],
    [first.id, 'Gate needs --maxWorkers=1 on Windows', 'lesson', ['a'], 0.9, 'forge_sweep', first.thought.project],
  )
  const lines = physicalLines(memory.raw)
  assert.deepEqual([lines.length, lines[0], recordIn(lines[1])], [2, line, edited])
  for (const options of [memory.options, reopened(memory)]) {
    assert.deepEqual(find({ options }, 'gate windows'), [edited.content])
    assert.deepEqual(find({ options }, 'runInBand'), [])
    assert.equal(listMemories(options).total, 1)
  }
  assert.equal(readLines(memory.forge('openbrain-queue.jsonl')).at(-1).supersedes, first.id)
})

test('an edit changes only the given fields, and the id of an old revision finds the newest one', (t) => {
  const memory = freshMemory(t)
  const first = capture(memory, { tags: ['a'] })
  const changes = [
    { tags: [] },
    { type: 'gotcha' },
    { confidence: 0 },
    { content: 'other words' },
    { expiresAt: '2999-01-01' },
  ]
  for (const change of changes) editMemory(first.id, change, memory.options)
  const { entry, revisions, state } = showMemory(first.id, memory.options)
  assert.deepEqual(
    [entry.tags, entry.type, entry.confidence, entry.text, entry.expiresAt, state],
    [[], 'gotcha', 0, 'other words', '2999-01-01T00:00:00.000Z', 'current'],
  )
  assert.equal(revisions.length, 6)
  assert.deepEqual(
    revisions.map((revision) => revision.state),
    [...Array(5).fill('superseded'), 'current'],
  )
  assert.deepEqual([revisions[0].id, revisions[0].text, revisions.at(-1).id], [first.id, BODY, entry.id])
  // Every revision has ended when the next one began.
  assert.deepEqual(
    revisions.slice(0, -1).map(({ at }) => at),
    revisions.slice(1).map(({ createdAt }) => createdAt),
  )
})

test('a pattern is edited in its own file', (t) => {
  const memory = freshMemory(t)
  for (const [scope, path] of [
    ['project', memory.patterns],
    ['global', memory.globalPatterns],
  ]) {
    const { id } = memorySave({ pattern: `use npm in ${scope}`, category: 'convention', scope }, memory.options)
    const edited = editMemory(id, { body: `use pnpm in ${scope}`, type: 'tool_usage' }, memory.options)
    assert.deepEqual([edited.content, edited.type, edited.supersedes], [`use pnpm in ${scope}`, 'tool_usage', id])
    const [, line] = readLines(path)
    assert.deepEqual(
      [line.id, line.pattern, line.category, line.supersedes],
      [edited.id, `use pnpm in ${scope}`, 'tool_usage', id],
    )
    assert.deepEqual(find(memory, 'npm pnpm', { scope }), [`use pnpm in ${scope}`])
    assert.throws(() => editMemory(id, { body: 'x'.repeat(1025) }, memory.options), {
      code: 'INVALID_INPUT',
      message: /^body/,
    })
    assert.throws(() => editMemory(id, { expiresAt: '2999-01-01' }, memory.options), {
      code: 'INVALID_INPUT',
      message: /^expiresAt/,
    })
  }
})

test('a forgotten record is in no answer, stays in the file, and is queued as a delete', (t) => {
  const memory = freshMemory(t)
  const { id } = capture(memory, {})
  const kept = capture(memory, { body: 'Gate needs a retry on macOS' })
  assert.deepEqual(forget(id, memory.options), { removed: true })
  for (const options of [memory.options, reopened(memory)]) {
    assert.deepEqual(find({ options }, 'gate'), [kept.thought.content])
    assert.deepEqual(find({ options }, 'gate', { includeExpired: true }), [kept.thought.content])
    assert.deepEqual([listMemories(options).total, memoryRecall({ query: 'gate' }, options).matches.length], [1, 1])
    assert.deepEqual([showMemory(id, options).state, showMemory(id, options).entry.text], ['forgotten', BODY])
  }
  const lines = readLines(memory.raw)
  assert.deepEqual([lines.length, lines[0].id], [3, id])
  assert.deepEqual(lines[2], { _v: 1, _action: 'delete', id, at: lines[2].at, said: 'agent/api' })
  const { _status, _action, ...order } = readLines(memory.forge('openbrain-queue.jsonl')).at(-1)
  assert.deepEqual([order.id, _action, _status], [id, 'delete', 'pending'])
  assert.deepEqual(readLines(memory.forge('hub-events.jsonl')).at(-1).type, 'memory-forgotten')
})

test('forgetting an unknown or already forgotten record writes nothing', (t) => {
  const memory = freshMemory(t)
  const { id } = capture(memory, {})
  forget(id, memory.options)
  const before = readFileSync(memory.raw)
  for (const other of [id, 'mem_none', 'x', '', '../../etc/passwd', 'a'.repeat(500)]) {
    assert.deepEqual([other, forget(other, memory.options)], [other, { removed: false }])
  }
  assert.deepEqual(readFileSync(memory.raw), before)
})

test('a forgotten text can be captured again, as a new record', (t) => {
  const memory = freshMemory(t)
  const first = capture(memory, {})
  forget(first.id, memory.options)
  const second = capture(memory, {})
  assert.deepEqual([second.captured, second.deduped], [true, false])
  assert.deepEqual(find(memory, 'gate'), [BODY])
  assert.equal(showMemory(second.id, memory.options).state, 'current')
})

test('forgetting any revision forgets the record, and it cannot be edited then', (t) => {
  const memory = freshMemory(t)
  const { id } = capture(memory, {})
  const edited = editMemory(id, { body: 'Gate needs --maxWorkers=1' }, memory.options)
  assert.deepEqual(forget(id, memory.options), { removed: true })
  assert.deepEqual(find(memory, 'gate'), [])
  for (const gone of [id, edited.id, 'mem_none', 'nothing']) {
    assert.throws(() => editMemory(gone, { body: 'again' }, memory.options), { code: 'NOT_FOUND' })
  }
})

for (const [how, correct] of [
  ['edit', (ben, id, text) => json(ben, ['edit', id, text])],
  ['capture', (ben, id, text) => json(ben, ['capture', '-t', 'decision', '--supersedes', id, text])],
]) {
  test(`forgetting one's own correction by ${how} leaves what a colleague stored, which came through git`, (t) => {
    const [anna, ben] = [freshCommand(t), freshCommand(t)]
    const git = (cwd, ...args) =>
      execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], { cwd, stdio: 'pipe' })
    git(anna.project, 'init', '-q')
    const { id } = json(anna, ['capture', '-t', 'decision', 'The harbour API listens on port 8080'])
    git(anna.project, 'add', '-A')
    git(anna.project, 'commit', '-qm', 'first')
    rmSync(ben.project, { recursive: true })
    git(anna.folder, 'clone', '-q', anna.project, ben.project)
    // Ben's machine has a key of its own since its first capture.
    json(ben, ['capture', '-t', 'lesson', 'The ferry leaves at nine'])
    const texts = (command) =>
      json(command, ['list'])
        .entries.map(({ text }) => text)
        .filter((text) => /harbour/.test(text))
    correct(ben, id, 'The harbour API listens on port 9090')
    assert.deepEqual(texts(ben), ['The harbour API listens on port 9090'])
    const second = json(ben, ['list']).entries.find(({ text }) => /9090/.test(text))
    const third = json(ben, ['edit', second.id, 'The harbour API listens on port 9091'])
    assert.deepEqual(texts(ben), ['The harbour API listens on port 9091'])
    json(ben, ['forget', third.id ?? third.thought.id, '--yes'])
    assert.deepEqual(texts(ben), [])
    const shown = json(ben, ['show', id])
    assert.deepEqual([shown.entry.text, shown.state], ['The harbour API listens on port 8080', 'retired'])
    const orders = readLines(ben.project, '.forge/openbrain-queue.jsonl').filter(({ _action }) => _action === 'delete')
    assert.deepEqual(
      orders.filter((order) => order.id === id),
      [],
      'nor is it erased for everybody',
    )
    assert.ok(
      orders.some((order) => order.id === second.id),
      'the own ones are',
    )
    json(ben, ['keep', id])
    assert.deepEqual(texts(ben), ['The harbour API listens on port 8080'])
    // Named by its id, it is forgotten.
    json(ben, ['forget', id, '--yes'])
    assert.deepEqual(texts(ben), [])
  })
}

test('a record of this machine is edited as its own in every work tree and clone', (t) => {
  const command = freshCommand(t)
  const git = (cwd, ...args) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], { cwd, stdio: 'pipe' })
  git(command.project, 'init', '-q')
  const { id } = json(command, ['capture', '-t', 'decision', 'The harbour API listens on port 8080'])
  git(command.project, 'add', '-A')
  git(command.project, 'commit', '-qm', 'first')
  const cwd = join(command.folder, 'clone')
  git(command.folder, 'clone', '-q', command.project, cwd)
  json(command, ['edit', id, 'The harbour API listens on port 9090'], { cwd })
  json(command, ['forget', id, '--yes'], { cwd })
  assert.equal(json(command, ['show', id], { cwd }).state, 'forgotten')
})

test('a record is shown with its line, its confirmations, and by the last characters of its id', (t) => {
  const memory = freshMemory(t)
  const { id, thought } = capture(memory, {})
  for (const source of ['hook/a', 'hook/b']) capture(memory, { source })
  const other = capture(memory, { body: 'something else' })
  const shown = showMemory(id, memory.options)
  assert.deepEqual([recordIn(shown.record), shown.confirmations, shown.state], [thought, 2, 'current'])
  for (const piece of [id.slice(-6), id.slice(-8), id.slice(4), id])
    assert.equal(showMemory(piece, memory.options).entry.id, id)
  const common = [...id].findIndex((letter, at) => letter !== other.id[at])
  assert.throws(() => showMemory(id.slice(0, common), memory.options), {
    code: 'INVALID_INPUT',
    message: /^id: 2 records/,
  })
  for (const none of [id.slice(-5), 'ffffffffffff', '', '../x', 'a\nb']) {
    assert.throws(() => showMemory(none, memory.options), { code: 'NOT_FOUND' })
  }
})

test('expired records are recalled only on request', (t) => {
  const memory = freshMemory(t)
  const at = (offset) => new Date(Date.now() + offset).toISOString()
  const about = { project: 'shop', type: 'lesson', captured_at: '2026-01-01T00:00:00.000Z' }
  writeRaw(memory, [
    { id: 'mem_past', content: 'gate past', ...about, expiresAt: at(-1000) },
    { id: 'mem_later', content: 'gate later', ...about, expiresAt: at(3_600_000) },
    { id: 'mem_never', content: 'gate never', ...about },
    { id: 'mem_odd', content: 'gate odd', ...about, expiresAt: 'some day' },
  ])
  assert.deepEqual(find(memory, 'gate').sort(), ['gate later', 'gate never', 'gate odd'])
  assert.equal(find(memory, 'gate', { includeExpired: true }).length, 4)
  assert.equal(showMemory('mem_past', memory.options).state, 'expired')
  const again = captureMemory({ type: 'lesson', body: 'gate past', project: 'shop' }, memory.options)
  assert.deepEqual([again.captured, again.deduped], [true, false])
})

test('a confirmation lifts the expiry by the time since the record was made', (t) => {
  const memory = freshMemory(t)
  const day = 86_400_000
  const at = (days) => new Date(Date.now() + days * day).toISOString()
  writeRaw(memory, [
    { id: 'mem_old', content: BODY, project: 'shop', type: 'gotcha', captured_at: at(-80), expiresAt: at(10) },
    {
      id: 'mem_dead',
      content: 'unconfirmed gate',
      project: 'shop',
      type: 'gotcha',
      captured_at: at(-100),
      expiresAt: at(-10),
    },
  ])
  const again = captureMemory({ type: 'gotcha', body: BODY, project: 'shop' }, memory.options)
  assert.equal(again.duplicateOf, 'mem_old')
  for (const options of [memory.options, reopened(memory)]) {
    const [hit, ...rest] = recall('gate', options).hits
    assert.deepEqual([hit.id, rest], ['mem_old', []])
    assert.equal(Math.round((Date.parse(hit.expiresAt) - Date.now()) / day), 90)
    assert.equal(showMemory('mem_old', options).entry.expiresAt, hit.expiresAt)
  }
})

test('a recall as of a past moment returns the records of that moment', (t) => {
  const memory = freshMemory(t)
  const about = { project: 'shop', type: 'convention' }
  const day = (number) => `2026-03-${String(number).padStart(2, '0')}T00:00:00.000Z`
  writeRaw(memory, [
    { id: 'mem_a', content: 'gate one', ...about, captured_at: day(1) },
    { id: 'mem_b', content: 'gate two', ...about, captured_at: day(5), supersedes: 'mem_a' },
    { id: 'mem_c', content: 'gate other', ...about, captured_at: day(6), expiresAt: day(8) },
    { _action: 'delete', id: 'mem_b', at: day(10) },
  ])
  const known = { 1: ['one'], 4: ['one'], 5: ['two'], 7: ['other', 'two'], 8: ['two'], 10: [], 20: [] }
  for (const [number, expected] of Object.entries(known)) {
    const found = find(memory, 'gate', { at: day(Number(number)) })
    assert.deepEqual([number, found.map((text) => text.slice(5)).sort()], [number, expected])
  }
  assert.deepEqual(find(memory, 'gate', { at: '2026-02-28' }), [])
  assert.deepEqual(find(memory, 'gate'), [])
})

test('secrets in an edit are redacted before anything is stored', (t) => {
  const memory = freshMemory(t)
  const secret = ['gh', 'p_', 'R7xk2mQ9vT4bW8nZ3cY6hJ1dF5gL0sPaEiUo'].join('')
  const ids = [capture(memory, {}).id, memorySave({ pattern: 'a pattern', category: 'convention' }, memory.options).id]
  for (const id of ids) editMemory(id, { body: `push with ${secret}`, tags: ['ci', secret] }, memory.options)
  for (const path of [
    memory.raw,
    memory.patterns,
    memory.forge('hub-events.jsonl'),
    memory.forge('openbrain-queue.jsonl'),
  ]) {
    assert.ok(!readFileSync(path, 'utf8').includes(secret), path)
  }
})

test('a record that an older tool wrote without an id is shown, edited and forgotten by the id that recall gives', (t) => {
  const memory = freshMemory(t)
  const old = { project: 'shop', type: 'convention', source: 'forge_sweep', captured_at: '2026-01-01T00:00:00.000Z' }
  writeRaw(memory, [
    { content: 'gate one', ...old },
    { content: 'gate two', ...old },
  ])
  const idOf = (query) => recall(query, memory.options).hits.map(({ id }) => id)
  const [[one], [two]] = [idOf('one'), idOf('two')]
  assert.equal(
    captureMemory({ type: 'convention', body: 'Gate ONE', project: 'shop' }, memory.options).duplicateOf,
    one,
  )
  assert.deepEqual(
    [showMemory(one, memory.options).entry.text, showMemory(one, memory.options).confirmations],
    ['gate one', 1],
  )
  assert.equal(showMemory(two.slice(-8), memory.options).entry.text, 'gate two')
  assert.equal(editMemory(one, { body: 'gate first' }, memory.options).supersedes, one)
  assert.deepEqual(forget(two, memory.options), { removed: true })
  for (const options of [memory.options, reopened(memory)]) assert.deepEqual(find({ options }, 'gate'), ['gate first'])
})

test('a delete that could not be queued is queued when the record is forgotten again', (t) => {
  const memory = freshMemory(t)
  const { id } = capture(memory)
  const queue = join(dirname(memory.raw), 'openbrain-queue.jsonl')
  rmSync(queue)
  mkdirSync(queue)
  assert.throws(() => forget(id, memory.options), { code: 'UNSAFE_PATH' })
  assert.deepEqual(find(memory, 'runInBand'), [])
  rmSync(queue, { recursive: true })
  assert.deepEqual(forget(id, memory.options), { removed: false })
  assert.deepEqual(forget(id, memory.options), { removed: false })
  const orders = readLines(queue).filter((line) => line._action === 'delete')
  assert.deepEqual(
    orders.map((line) => line.id),
    [id],
  )
})

test('an edit reports a failed tier with the stored revision, and no tiers on success', (t) => {
  const memory = freshMemory(t)
  const first = capture(memory, {})
  assert.equal('_tiers' in editMemory(first.id, { confidence: 0.8 }, memory.options), false)
  rmSync(memory.forge('hub-events.jsonl'))
  mkdirSync(memory.forge('hub-events.jsonl'))
  const edited = editMemory(first.id, { body: 'Gate needs --maxWorkers=1' }, reopened(memory))
  assert.deepEqual([edited._tiers.files.ok, edited._tiers.openbrain.ok, edited._tiers.hub.ok], [true, true, false])
  assert.match(edited._tiers.hub.error.code, /^[A-Z_]+$/)
  const { _tiers, ...record } = edited
  assert.deepEqual(recordIn(physicalLines(memory.raw).at(-1)), record)
})

test('show --history prints every revision with its whole text, oldest first', (t) => {
  const command = freshCommand(t)
  const { id } = json(command, ['capture', '--type', 'lesson', 'The pool has\nfour connections'])
  const revised = json(command, ['edit', id, 'The pool has eight connections'])
  const { stdout, status } = command.run(['show', '--history', revised.id])
  assert.equal(status, 0)
  const [first, second] = stdout.split('\n\n')
  assert.match(first, /^1 of 2 {2}\S+ \S+ {2}superseded .*\n {2}The pool has\n {2}four connections$/)
  assert.match(second, /^2 of 2 {2}\S+ \S+ {2}current .*\n {2}The pool has eight connections\n?$/)
})

test('a record with many revisions is shown with the newest of them, and with all on order', (t) => {
  const command = freshCommand(t)
  mkdirSync(join(command.project, '.forge'))
  const id = (number) => `mem_${String(number).padStart(32, '0')}`
  const lines = Array.from({ length: 60 }, (_, number) =>
    JSON.stringify({
      _v: 1,
      id: id(number),
      content: `revision ${number} of the fact`,
      project: 'project',
      type: 'lesson',
      source: 'test',
      captured_at: new Date(Date.UTC(2026, 0, 1, 0, number)).toISOString(),
      ...(number > 0 && { supersedes: id(number - 1) }),
    }),
  )
  writeFileSync(join(command.project, '.forge', 'memory-captures.jsonl'), `${lines.join('\n')}\n`)
  const shown = command.run(['show', id(59)]).stdout
  assert.match(shown, /revision 10 of the fact/)
  assert.doesNotMatch(shown, /revision 9 of the fact/)
  assert.match(shown, /10 older revisions: --history shows all/)
  assert.match(command.run(['show', id(59), '--history']).stdout, /revision 0 of the fact/)
})

test('a change of the tags or the confidence leaves what was decided about a contradiction as it is', (t) => {
  const { options } = freshMemory(t)
  const person = { ...options, author: 'person' }
  const add = (body, by) => captureMemory({ type: 'convention', body }, by).thought.id
  let older = add('The API listens on port 8080', person)
  let newer = add('The API listens on port 9090', options)
  const pairs = () => listConflicts(options).map((one) => JSON.stringify(one))
  const change = (id, changes) => editMemory(id, changes, person).id
  older = change(older, { tags: ['net'] })
  newer = change(newer, { confidence: 0.9 })
  assert.equal(pairs().length, 1)
  assert.ok(
    [older, newer].every((id) => pairs()[0].includes(id)),
    pairs()[0],
  )
  resolveConflict({ id: older, with: newer, holds: 'both' }, person)
  older = change(older, { tags: ['port'] })
  newer = change(newer, { tags: ['port'] })
  change(older, { confidence: 0.7 })
  assert.deepEqual([pairs(), listRetired(options)], [[], []])
  assert.equal(listMemories(options).entries.length, 2)
  // Another text is judged.
  change(newer, { body: 'The API listens on port 9091' })
  assert.equal(listRetired(options).length + pairs().length, 1)
})

test('an edit says what its new text retires', (t) => {
  const command = freshCommand(t)
  json(command, ['add', '-t', 'convention', 'The API listens on port 8080'])
  const { id } = json(command, ['add', '-t', 'convention', 'The gate is old'])
  const { stdout } = command.run(['edit', id, 'The API listens on port 9090'])
  assert.match(
    stdout,
    /^Stored revision .*\nRetired .*The API listens on port 8080.*another number.*brings it back\)\n$/s,
  )
  json(command, ['add', '-t', 'convention', 'The cache holds 10 entries'])
  const lamp = json(command, ['add', '-t', 'convention', 'The lamp is old'])
  const again = json(command, ['edit', lamp.id, 'The cache holds 20 entries'])
  assert.deepEqual(
    again.retired.map((one) => one.text),
    ['The cache holds 10 entries'],
  )
  assert.equal(json(command, ['edit', again.id, '--tag', 'net']).retired, undefined)
})
