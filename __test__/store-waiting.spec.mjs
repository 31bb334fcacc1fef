// What the shared memory answers about what was only just written, and by which names of a project.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import test from 'node:test'
import { freshCommand, json } from './support/command.mjs'
import { call, connectWithin, refused } from './support/mcp.mjs'

/** A command in a repository whose remote names it. */
function commandOf(t, name) {
  const command = freshCommand(t)
  const git = (...args) => execFileSync('git', args, { cwd: command.project })
  git('init', '-q', '.')
  git('remote', 'add', 'origin', `https://example.com/acme/${name}.git`)
  return command
}

const found = (command, ...args) => json(command, ['find', '--shared', ...args]).thoughts.map(({ content }) => content)

test('what waits in the queue is found in the shared memory, before it is delivered and once after', async (t) => {
  const command = commandOf(t, 'shop')
  json(command, ['add', '-t', 'gotcha', 'The frobnicator needs oil'])
  assert.deepEqual(found(command, 'frobnicator'), ['The frobnicator needs oil'])
  const client = await connectWithin(t, command)
  const { thoughts, message } = await call(client, 'search_thoughts', { query: 'frobnicator' })
  assert.deepEqual([thoughts.map(({ content }) => content), message], [['The frobnicator needs oil'], undefined])
  json(command, ['drain'])
  assert.deepEqual(found(command, 'frobnicator'), ['The frobnicator needs oil'])
  json(command, ['add', '-t', 'gotcha', 'A frobnicator without oil stops at night'])
  assert.deepEqual(found(command, 'frobnicator').sort(), [
    'A frobnicator without oil stops at night',
    'The frobnicator needs oil',
  ])
  assert.deepEqual(found(command, 'frobnicator', '--type', 'lesson'), [])
})

test('a project is meant by its short name when it is written and when it is searched', async (t) => {
  const command = commandOf(t, 'shop')
  const client = await connectWithin(t, command)
  await call(client, 'capture_thought', { content: 'Orders are archived after a year', project: 'shop' })
  const search = async (project) => {
    const { thoughts } = await call(client, 'search_thoughts', { query: 'orders archived', project })
    return thoughts.map(({ content }) => content)
  }
  for (const when of ['waiting', 'delivered']) {
    for (const name of ['shop', 'example.com/acme/shop', null]) {
      assert.deepEqual([when, name, await search(name)], [when, name, ['Orders are archived after a year']])
    }
    json(command, ['drain'])
  }
  const text = await refused(client, 'search_thoughts', { query: 'orders archived', project: 'shoop' })
  assert.match(text, /no thoughts of shoop .*\(INVALID_INPUT\)/)
  const { status, stderr } = command.run(['find', '--shared', '--project-name', 'shoop', 'orders'])
  assert.equal(status, 1, stderr)
  assert.match(stderr, /hint: it knows example\.com\/acme\/shop/)
})

test('another project is meant by its short name, and its records by the ids that are shown', async (t) => {
  const command = commandOf(t, 'bank')
  const { id } = json(command, ['add', '-t', 'lesson', 'Ledgers are closed at noon'])
  json(command, ['drain'])
  const other = { ...commandOf(t, 'shop'), home: command.home }
  const env = { FORGE_HOME: command.env().FORGE_HOME }
  const run = (...args) => {
    const { status, stdout, stderr } = other.run(['--json', ...args], { env })
    assert.equal(status, 0, stderr)
    return JSON.parse(stdout)
  }
  const { thoughts } = run('find', '--shared', '--project-name', 'bank', 'ledgers')
  assert.deepEqual(
    thoughts.map((hit) => hit.id),
    [id],
  )
  assert.equal(run('show', id.slice(-8)).entry.text, 'Ledgers are closed at noon')
})
