import assert from 'node:assert/strict'
import { appendFileSync } from 'node:fs'
import test from 'node:test'
import { captureMemory, captureThought, editMemory, listMemories, memoryRecall, memorySave } from '../dist/index.js'
import { freshCommand, json } from './support/command.mjs'
import { useHome } from './support/home.mjs'
import { call, connectStdio, refused } from './support/mcp.mjs'
import { freshMemory } from './support/memory.mjs'
import { readLines } from './support/project.mjs'

test('types are case-insensitive in the library', async (t) => {
  const memory = freshMemory(t)
  const capture = (type, body) => captureMemory({ type, body }, memory.options)
  const first = capture('GOTCHA', 'Jest needs --runInBand on Windows.')
  assert.equal(first.thought.type, 'gotcha')
  assert.equal(readLines(memory.forge('gotchas.jsonl')).length, 1)
  assert.equal(capture('gotcha', 'Jest needs --runInBand on Windows.').duplicateOf, first.id)
  assert.equal(editMemory(first.id, { type: 'Lesson' }, memory.options).type, 'lesson')
  assert.equal(capture('MyOwn', 'one').thought.type, 'MyOwn', 'a type of somebody else stays')
  assert.equal(memorySave({ pattern: 'four', category: 'CONVENTION' }, memory.options).status, 'saved')
  assert.equal(listMemories({ types: ['LESSON'], ...memory.options }).total, 1)
  await captureThought({ content: 'Readers never wait.', type: 'Decision' }, memory.options)
  assert.equal(listMemories({ types: ['decision'], ...memory.options }).total, 1)
})

test('records stored with a type in capitals are found by the type', (t) => {
  const memory = freshMemory(t)
  captureMemory({ type: 'lesson', body: 'one' }, memory.options)
  const line = JSON.stringify({
    _v: 1,
    id: 'mem_old',
    content: 'two',
    type: 'LESSON',
    captured_at: '2026-11-20T10:00:00.000Z',
  })
  appendFileSync(memory.raw, `${line}\n`)
  assert.equal(listMemories({ types: ['LESSON'], ...memory.options }).total, 2)
})

test('types are case-insensitive on the command line, over MCP and in marks', async (t) => {
  const command = freshCommand(t)
  assert.equal(json(command, ['capture', '--type', 'Lesson', 'one']).thought.type, 'lesson')
  const payload = {
    session_id: 's',
    hook_event_name: 'Stop',
    cwd: command.project,
    last_assistant_message: '[remember:GOTCHA] The build needs Node 20.',
  }
  command.run(['hook', 'stop'], { input: JSON.stringify(payload) })
  const { client } = await connectStdio(t, command)
  await call(client, 'capture_thought', { content: 'Readers never wait.', type: 'DECISION' })
  await call(client, 'forge_memory_capture', { content: 'Slices have gates.', type: 'Convention' })
  const types = json(command, ['list']).entries.map(({ type }) => type)
  assert.deepEqual(
    types.sort(),
    ['convention', 'decision', 'gotcha', 'lesson'].filter((type) => types.includes(type)),
  )
  assert.ok(['convention', 'decision', 'lesson'].every((type) => types.includes(type)))
})

test('capture_thought says that a source was replaced, and why', async (t) => {
  const command = freshCommand(t)
  const { client } = await connectStdio(t, command)
  const answer = await call(client, 'capture_thought', { content: 'one', source: 'My Tool' })
  assert.equal(answer.source, 'unknown')
  assert.match(answer.sourceRejected, /lower-case/)
  const { content } = await client.callTool({
    name: 'capture_thought',
    arguments: { content: 'two words', source: 'a/b/c' },
  })
  assert.match(
    content[0].text,
    /source was replaced by "unknown": expected <tool> or <tool>\/<subsystem>, found more than one slash/,
  )
  const kept = await call(client, 'capture_thought', { content: 'three more words', source: 'tool/part' })
  assert.deepEqual([kept.source, kept.sourceRejected], ['tool/part', undefined])

  const memory = freshMemory(t)
  const told = await captureThought({ content: 'one', source: 'My Tool' }, memory.options)
  assert.match(told.sourceRejected, /lower-case/)
  assert.equal('sourceRejected' in (await captureThought({ content: 'two', source: 'tool' }, memory.options)), false)
})

test('a recall counts all matches, not only those that it returns', async (t) => {
  const command = freshCommand(t)
  const memory = { options: { projectDir: command.project } }
  useHome(t, command.home)
  for (let number = 0; number < 57; number++) {
    captureMemory({ type: 'lesson', body: `The gate number ${number} closes at ${number + 100}.` }, memory.options)
  }
  captureMemory({ type: 'lesson', body: 'Something else altogether.' }, memory.options)
  memorySave({ pattern: 'a gate for all', category: 'convention', scope: 'global' }, memory.options)
  const { text, matches, found } = memoryRecall({ query: 'gate' }, memory.options)
  assert.deepEqual([matches.length, found], [20, { project: 57, global: 1 }])
  assert.match(text, /^Found 57 matches in project memory:/m)
  assert.match(text, /20 of 58 matches are shown/)
  const few = memoryRecall({ query: 'altogether' }, memory.options)
  assert.deepEqual([few.matches.length, few.found], [1, { project: 1, global: 0 }])
  assert.doesNotMatch(few.text, /shown/)

  const { client } = await connectStdio(t, command)
  const answer = await call(client, 'memory_recall', { query: 'gate' })
  assert.equal(answer.total, 58)
  assert.match(answer.message, /20 of 58 matches/)
  const list = await call(client, 'list_thoughts', { type: 'lesson', limit: 5 })
  assert.deepEqual([list.shown, list.total], [5, 58])
})

test('a filter by a type that no record has names the nearest and those there are, at every door', async (t) => {
  const command = freshCommand(t)
  const { client } = await connectStdio(t, command)
  const wrong = (...args) => {
    const { status, stdout, stderr } = command.run(args)
    assert.deepEqual([status, stdout], [2, ''], args.join(' '))
    return stderr
  }
  // Before there is anything, a type that everybody knows is no mistake.
  for (const type of ['lesson', 'test_command']) assert.deepEqual(json(command, ['list', '-t', type]).entries, [])
  assert.match(wrong('list', '-t', 'leson'), /hint: did you mean lesson\? nothing is stored yet/)

  json(command, ['add', '-t', 'runbook', 'Restart the queue after a deployment'])
  const { id } = json(command, ['add', '-t', 'gotcha', 'Jest needs --runInBand on Windows'])
  const said = 'error: type: no record has the type runbok (INVALID_INPUT)\nhint: did you mean runbook?'
  for (const args of [
    ['list'],
    ['list', '-t', 'gotcha'],
    ['list', '--retired'],
    ['find', 'queue'],
    ['find', '--newest', 'queue'],
  ])
    assert.ok(wrong(...args, '-t', 'runbok').startsWith(said), args.join(' '))
  assert.match(
    wrong('list', '-t', 'decision'),
    /hint: the types there are: (gotcha|runbook) \(1\), (gotcha|runbook) \(1\)\n$/,
  )
  const { status, stdout } = command.run(['list', '-t', 'runbok', '--json'])
  assert.deepEqual([status, JSON.parse(stdout).error.code], [2, 'INVALID_INPUT'])
  assert.match(await refused(client, 'list_thoughts', { type: 'runbok' }), /runbok \(INVALID_INPUT\)$/)

  const { id: other } = json(command, ['add', '-t', 'gotcha', '--tag', 'x', 'The watcher hangs on links'])
  json(command, ['replace', other])
  const tagged = (tag) => json(command, ['list', '--retired', '--tag', tag]).entries.map((one) => one.id)
  assert.deepEqual([tagged('x'), tagged('y')], [[other], []])

  // A record that no list shows any more has its type all the same.
  assert.deepEqual(json(command, ['list', '-t', 'Gotcha', '--tag', 'none']).entries, [])
  json(command, ['replace', id])
  assert.deepEqual(json(command, ['list', '-t', 'gotcha']).entries, [])
})
