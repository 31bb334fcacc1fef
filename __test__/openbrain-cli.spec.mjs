import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { freshCommand, json, normalised, runBeside } from './support/command.mjs'
import { startOpenBrain } from './support/openbrain-server/server.mjs'
import { approveStores } from './support/trust.mjs'

delete process.env.OPENBRAIN_KEY

const KEY = 'secret-key-4711'

function configured(command, openbrain) {
  writeFileSync(join(command.project, '.forge.json'), JSON.stringify({ openbrain }))
  approveStores(command.project, command.home)
}

function capture(command, body) {
  return json(command, ['capture', '--type', 'lesson', '--tool', 'test', body]).id
}

async function served(t, options) {
  const server = await startOpenBrain(options)
  t.after(() => server.close())
  return server
}

test('drain delivers, search finds, and both say it in a line', (t) => {
  const command = freshCommand(t)
  capture(command, 'Gate needs --runInBand on Windows')
  const drained = command.run(['drain'])
  assert.deepEqual([drained.status, drained.stderr], [0, ''])
  assert.match(drained.stdout, /^1 record delivered to ~\/\.forge\/openbrain\.db; \d\.\d s\.\n$/)
  assert.equal(command.run(['drain']).stdout, 'Nothing is waiting for ~/.forge/openbrain.db.\n')
  const found = command.run(['search', 'windows', 'gate'])
  assert.equal(
    normalised(found.stdout, command),
    '1. Gate needs --runInBand on Windows\n   lesson  project  new  <short>  test\n\nthe store of this machine, by words\n',
  )
  assert.match(command.run(['search', 'nothing like it']).stdout, /^Nothing is known about that\. /)
})

test('what a person has ended in one project is not found from another one, before it is delivered as well', (t) => {
  const command = freshCommand(t)
  const ids = ['queue', 'cache', 'port', 'lock'].map((name) => capture(command, `The walrus ${name} is slow`))
  command.run(['drain'])
  const cwd = join(command.folder, 'other')
  mkdirSync(cwd)
  const found = () => json(command, ['search', 'walrus'], { cwd }).thoughts.map(({ id }) => id)
  assert.deepEqual(found().sort(), [...ids].sort())
  command.run(['forget', ids[0], '--yes'])
  command.run(['replace', ids[1], '--why', 'no longer'])
  command.run(['review', '--reject', ids[2]])
  assert.deepEqual(found(), [ids[3]])
  command.run(['drain'])
  assert.deepEqual(found(), [ids[3]])
})

test('search takes filters, and refuses wrong ones with exit 2', (t) => {
  const command = freshCommand(t)
  capture(command, 'Gate needs --runInBand on Windows')
  command.run(['drain'])
  const found = (...args) => json(command, ['search', 'gate', ...args]).thoughts.length
  assert.deepEqual([found(), found('--project-name', 'project')], [1, 1])
  assert.deepEqual([found('--type', 'gotcha'), found('--since', '1d'), found('--limit', '1')], [0, 1, 1])
  for (const args of [
    ['--project-name', 'other'],
    ['--since', 'soon'],
    ['--limit', '0'],
    ['--limit', 'x'],
  ]) {
    assert.equal(command.run(['search', 'gate', ...args]).status, 2, args.join(' '))
  }
  assert.equal(command.run(['drain', '--max-batch', '0']).status, 2)
})

test('a drain that cannot deliver exits with 1 and says why, without the key', async (t) => {
  const command = freshCommand(t)
  const server = await served(t, { key: 'another' })
  configured(command, { url: server.sse })
  mkdirSync(join(command.project, '.forge'), { recursive: true })
  writeFileSync(join(command.project, '.forge', 'secrets.json'), JSON.stringify({ openbrain: { key: KEY } }), {
    mode: 0o600,
  })
  capture(command, 'a thought worth keeping')
  const drained = await runBeside(command, ['drain'])
  assert.equal(drained.status, 1)
  assert.match(drained.stdout, /^0 records delivered to http:\/\/127\.0\.0\.1:\d+, .*1 still waiting; /)
  assert.match(drained.stderr, /^warning: http:\/\/127\.0\.0\.1:\d+ refuses the key/)
  const status = await runBeside(command, ['status'])
  assert.match(status.stdout, /\nstate +not reachable: http:\/\/127\.0\.0\.1:\d+ refuses the key/)
  assert.match(status.stdout, /\npaused +http:\/\/127\.0\.0\.1:\d+ refuses the key/)
  const document = JSON.parse((await runBeside(command, ['status', '--json'])).stdout)
  assert.deepEqual([document.openbrain.reachable, document.openbrain.queued], [false, 1])
  assert.doesNotMatch(JSON.stringify([drained, status, document]), /secret-key/)
  const right = await runBeside(command, ['drain'], { OPENBRAIN_KEY: 'another' })
  assert.match(right.stdout, /^1 record delivered/)
})

test('status lists the available and unavailable capabilities of the store', async (t) => {
  const command = freshCommand(t)
  const server = await served(t)
  configured(command, { url: server.ob1, textOnly: true })
  const { stdout } = await runBeside(command, ['status'])
  assert.match(
    stdout,
    /\nshared memory +remote {2}http:\/\/127\.0\.0\.1:\d+\nstate +reachable, holds 0 records of all projects\n/,
  )
  assert.match(stdout, /\nunavailable +deletes: what is forgotten here stays there\n/)
  const { openbrain } = JSON.parse((await runBeside(command, ['status', '--json'])).stdout)
  assert.equal(openbrain.capabilities.dialect, 'ob1')
})

test('dead letters are listed with their reason, retried, and deleted only on request', async (t) => {
  const command = freshCommand(t)
  const server = await served(t, { capabilities: ['capture', 'search', 'stats', 'by-source'] })
  configured(command, { url: server.rest })
  const ids = ['the first one', 'quite another', 'and a third'].map((body) => capture(command, body))
  server.fail({ on: /^POST \/memories$/, times: 6, status: 400, body: { error: 'not wanted here' } })
  assert.match(
    (await runBeside(command, ['drain'])).stdout,
    /^0 records delivered .*, 3 dead letters \(forge-memory dlq list\)/,
  )
  const listed = command.run(['dlq', 'list'])
  assert.match(listed.stdout, /^ID +WHAT +TRIES +SINCE +REASON +TEXT\n/)
  assert.equal(listed.stdout.match(/not wanted here/g).length, 3)
  const letters = json(command, ['dlq', 'list'])
  assert.deepEqual(letters.map(({ id }) => id).sort(), [...ids].sort())

  const retried = command.run(['dlq', 'retry', ids[0].slice(-8)])
  assert.deepEqual([retried.status, retried.stdout], [0, '1 record back in the queue.\n'])
  assert.equal(command.run(['dlq', 'retry', 'ffffffff']).status, 1)
  assert.deepEqual(json(command, ['dlq', 'retry']).retried, 2)
  assert.match((await runBeside(command, ['drain'])).stdout, /^0 records delivered/)

  const asked = command.run(['dlq', 'drop', '--all'])
  assert.equal(asked.status, 2)
  assert.match(asked.stderr, /asks for confirmation before it deletes/)
  assert.equal(command.run(['dlq', 'drop']).status, 2)
  assert.equal(json(command, ['dlq', 'list']).length, 3)
  assert.equal(command.run(['dlq', 'drop', '--yes', ids[0].slice(-8)]).stdout, '1 dead letter deleted.\n')
  server.state.faults.length = 0
  command.run(['dlq', 'retry'])
  assert.match((await runBeside(command, ['drain'])).stdout, /^2 records delivered/)
  assert.equal(command.run(['dlq', 'list']).stdout, 'There are no dead letters.\n')
})

test('a command that cannot reach the store is answered by the files, with a warning', (t) => {
  const command = freshCommand(t)
  configured(command, { url: 'http://127.0.0.1:1' })
  capture(command, 'never mock the clock')
  const { status, stdout, stderr } = command.run(['search', 'mock'])
  assert.equal(status, 0)
  assert.match(stdout, /^1\. never mock the clock\n {3}lesson .*\n\nfiles, by words\n$/)
  assert.match(
    stderr,
    /^warning: answered by the project's own files: http:\/\/127\.0\.0\.1:1 cannot be reached \(ECONNREFUSED\)\n$/,
  )
})

test('responses of a store cannot send control characters to a terminal', async (t) => {
  const command = freshCommand(t)
  const server = await served(t)
  configured(command, { url: server.rest })
  const hostile = 'red \u001b[31m bell \u0007 csi \u009b2J'
  server.brain.capture({
    content: hostile,
    project: hostile,
    source: hostile,
    metadata: { type: hostile, tags: [hostile] },
  })
  capture(command, 'a thought')
  server.fail({ on: /^POST \/memories$/, status: 400, body: { error: hostile } })
  for (const args of [['search', 'bell'], ['drain'], ['dlq', 'list'], ['status']]) {
    for (const more of [[], ['--json']]) {
      const { stdout, stderr } = await runBeside(command, [...args, ...more])
      const unsafe = [...`${stdout}${stderr}`].filter((one) => one !== '\n' && /\p{Cc}/u.test(one))
      assert.deepEqual([args, unsafe], [args, []])
    }
  }
})
