// Commands by the older tool's names: `brain`, `anvil`, `timeline`.
import assert from 'node:assert/strict'
import { mkdirSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { freshCommand, json } from '../support/command.mjs'
import { olderThought } from '../support/plan-forge.mjs'

test('forge-memory brain test does a round trip through the shared store', (t) => {
  const command = freshCommand(t)
  const { ok, hit } = json(command, ['brain', 'test'])
  assert.deepEqual([ok, hit], [true, true])
})

test('forge-memory brain replay captures a file of the project', (t) => {
  const command = freshCommand(t)
  writeFileSync(join(command.project, 'old.jsonl'), `${JSON.stringify(olderThought('one thing'))}\n`)
  assert.equal(json(command, ['brain', 'replay', 'old.jsonl', '--dry-run']).dryRun, true)
  assert.equal(json(command, ['brain', 'replay', 'old.jsonl']).sent, 1)
})

test('forge-memory anvil stat, clear and rebuild', (t) => {
  const command = freshCommand(t)
  assert.equal(json(command, ['anvil', 'stat']).entries, 0)
  assert.deepEqual(json(command, ['anvil', 'clear', '--tool', 'forge_sweep']), { deleted: 0 })
  assert.deepEqual(json(command, ['anvil', 'rebuild', '--since', 'HEAD']), { invalidated: 0, changedFiles: 0 })
  assert.match(command.run(['anvil', 'clear']).stderr, /ERR_ANVIL_NO_FILTER/)
  const kept = join(command.project, '.forge', 'anvil', 'forge_sweep')
  mkdirSync(kept, { recursive: true })
  for (const [name, hours] of [
    ['old', 30],
    ['new', 1],
  ]) {
    writeFileSync(join(kept, `${name}.json`), '{}')
    const at = new Date(Date.now() - hours * 3_600_000)
    utimesSync(join(kept, `${name}.json`), at, at)
  }
  assert.deepEqual(json(command, ['anvil', 'clear', '--older-than', '1d']), { deleted: 1 })
  assert.match(command.run(['anvil', 'clear', '--older-than', '5']).stderr, /expected an age such as 12h, 30d/)
})

test('forge-memory timeline shows events as text and as JSON', (t) => {
  const command = freshCommand(t)
  json(command, ['capture', '--type', 'lesson', 'the gate is slow'])
  assert.equal(json(command, ['timeline', '--source', 'memory']).total, 1)
  assert.match(
    command.run(['timeline', '--source', 'memory']).stdout,
    /^WHEN +SOURCE +EVENT +WHAT\n\d{4}-.* memory +memory-captured +the gate is slow/,
  )
  // The memory and the events say the same of a capture, which is one line for people.
  assert.match(command.run(['timeline']).stdout, /^WHEN.*\n.* hub-event, memory +memory-captured +the gate is slow\n?$/)
  assert.equal(json(command, ['timeline']).total, 2)
  assert.notEqual(command.run(['timeline', '--from', 'soon']).status, 0)
})
