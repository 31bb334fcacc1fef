import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { freshCommand } from './support/command.mjs'

const store = JSON.stringify({
  version: '1.0.0',
  entries: [
    { id: 'a', type: 'lesson_learned', loopId: 'abc123', lesson: 'one', createdAt: '2026-11-20T10:00:00.000Z' },
  ],
})

test('init announces deletions only when it deletes', (t) => {
  const command = freshCommand(t)
  const unasked = command.run(['init', '--scope', 'project', '--agent', 'claude'])
  assert.equal(unasked.status, 2)
  assert.match(unasked.stderr, /asks for confirmation before it writes.*nothing was written/s)
  const done = command.run(['init', '--scope', 'project', '--agent', 'claude', '--yes'])
  assert.match(done.stdout, /^Written: /m)
  const again = command.run(['init', '--scope', 'project', '--agent', 'claude', '--yes'])
  assert.match(again.stdout, /already set up|set up already/i)
  const removed = command.run(['init', '--remove', '--yes'])
  assert.match(removed.stdout, /^(Taken out of|Removed from) /m)
  const none = command.run(['init', '--remove', '--yes'])
  assert.match(none.stdout, /nothing|not set up/i)
  for (const { stdout, stderr } of [unasked, done, again, removed, none]) {
    assert.doesNotMatch(stdout + stderr, /delete/i)
    assert.doesNotMatch(stderr, /Type 'yes'/)
  }
  for (const { stdout } of [done, again, removed, none]) assert.doesNotMatch(stdout, /Type 'yes'|nothing was written/i)
})

test('--yes reports what was done', (t) => {
  const command = freshCommand(t)
  mkdirSync(join(command.project, '.aiwg/ralph'), { recursive: true })
  writeFileSync(join(command.project, '.aiwg/ralph/memory.json'), store)
  const unasked = command.run(['ralph', 'clear', '--loop-id', 'abc123'])
  assert.equal(unasked.status, 2)
  assert.match(unasked.stderr, /nothing was deleted/)
  const { status, stdout } = command.run(['ralph', 'clear', '--loop-id', 'abc123', '--yes'])
  assert.equal(status, 0)
  assert.match(stdout, /deleted|cleared|removed/i)
  assert.doesNotMatch(stdout, /would|type yes|\?/i)
  const none = command.run(['dlq', 'drop', '--all', '--yes'])
  assert.match(none.stdout, /^0 dead letters deleted\./)
})
