// Every surface counts what waits for a person alike: proposals, and requests of agents about what a person said.
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { captureMemory, forget, listReview, memoryStatus } from '../dist/index.js'
import { freshCommand, json } from './support/command.mjs'
import { useHome } from './support/home.mjs'

test('a request of an agent is counted wherever proposals are', (t) => {
  const command = freshCommand(t)
  useHome(t, command.home)
  writeFileSync(join(command.project, '.forge.json'), '{"review":"agents"}')
  const options = { projectDir: command.project }
  const { id } = captureMemory({ type: 'lesson', body: 'Releases are signed' }, { ...options, author: 'person' })
  captureMemory({ type: 'lesson', body: 'The cache is warm' }, { ...options, author: 'agent', session: 'mcp:one' })
  assert.throws(() => forget(id, { ...options, author: 'agent', session: 'mcp:one' }), { code: 'PROPOSED' })
  assert.equal(listReview(options).length, 2)
  assert.equal(memoryStatus(options).counts.waiting, 2)
  assert.equal(json(command, ['status']).counts.waiting, 2)
  assert.match(command.run(['status']).stdout, /^To do:\n {2}2 memories to decide about: forge-memory review\n/)
  assert.match(command.run(['status']).stdout, /waiting for review +2/)
  assert.equal(json(command, ['status', '--today']).waiting, 2)
  assert.equal(json(command, ['report']).counts.waiting, 2)
  const files = JSON.parse(command.run(['--json', 'doctor']).stdout).find(({ code }) => code === 'FILES')
  assert.match(files.message, /; 2 waiting for review;/)
})
