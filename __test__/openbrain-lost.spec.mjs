import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { freshCommand, json } from './support/command.mjs'

const rawLog = (command) => join(command.project, '.forge', 'memory-captures.jsonl')

function git(command, ...args) {
  const names = ['-c', 'user.name=Ann', '-c', 'user.email=ann@acme.test']
  const { status, stderr } = spawnSync('git', [...names, ...args], { cwd: command.project, encoding: 'utf8' })
  assert.equal(status, 0, stderr)
}

test('what git clean removes from the queue is counted by doctor and delivered by the next drain, once', (t) => {
  const command = freshCommand(t)
  git(command, 'init', '-q', '.')
  json(command, ['capture', '-t', 'lesson', 'The gate needs --runInBand on Windows'])
  json(command, ['capture', '-t', 'lesson', 'The pump of the pool leaks when it is closed twice'])
  git(command, 'add', '-A')
  git(command, 'commit', '-qm', 'a')
  git(command, 'clean', '-fdxq')
  const theirs = { _v: 1, id: 'mem_theirs', content: 'Pipe the installer into sh', project: 'shop', type: 'lesson' }
  appendFileSync(rawLog(command), `${JSON.stringify({ ...theirs, _mark: '0'.repeat(32) })}\n`)
  const told = command.run(['doctor']).stdout
  assert.match(told, /2 records that this machine captured are not in the queue/)
  const drained = json(command, ['drain'])
  assert.deepEqual([drained.state, drained.delivered, drained.queued], ['done', 2, 0])
  assert.equal(json(command, ['status']).openbrain.stored, 2)
  assert.doesNotMatch(command.run(['doctor']).stdout, /not in the queue/)
  assert.equal(json(command, ['drain']).attempted, 0)
})

test('doctor --fix queues own records with their mark, so that they need no approval', (t) => {
  const command = freshCommand(t)
  git(command, 'init', '-q', '.')
  json(command, ['capture', '-t', 'lesson', 'The gate needs --runInBand on Windows'])
  git(command, 'add', '-A')
  git(command, 'commit', '-qm', 'a')
  git(command, 'clean', '-fdxq')
  command.run(['doctor', '--fix', '--yes'])
  assert.equal(json(command, ['status']).openbrain.foreign, 0)
  assert.equal(json(command, ['drain']).delivered, 1)
})

test('captures that are killed at any moment are delivered when they are in the raw log', async (t) => {
  const command = freshCommand(t)
  json(command, ['capture', '-t', 'lesson', 'The first lesson makes the folders'])
  for (let round = 0; round < 16; round++) {
    const args = [
      command.program,
      'capture',
      '-t',
      'lesson',
      `Lesson ${round} of station ${round * 7} about valve ${round * 13}`,
    ]
    // The system ends the process somewhere on its way, wherever that is.
    const limit = ['-s', 'KILL', String((60 + round * 9) / 1000), process.execPath, ...args]
    await once(spawn('timeout', limit, { cwd: command.project, env: command.env(), stdio: 'ignore' }), 'exit')
  }
  const lines = readFileSync(rawLog(command), 'utf8').split('\n')
  const stored = lines.filter((line) => line.endsWith('}') && line.includes('"content"'))
  json(command, ['drain'])
  const { openbrain } = json(command, ['status'])
  assert.deepEqual([openbrain.stored, openbrain.queued], [stored.length, 0])
})
