// What an import brings is judged as a capture of the same text is: by every door, and once.
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import {
  captureMemory,
  exportMemory,
  importMemory,
  listConflicts,
  listMemories,
  resolveConflict,
} from '../dist/index.js'
import { freshCommand, json } from './support/command.mjs'
import { freshMemory } from './support/memory.mjs'

const HERE = 'The API listens on port 8080'
const THERE = 'The API listens on port 9090'

/** A file of another tool with these texts, one record each. */
function fileWith(folder, texts, more = {}) {
  const path = join(folder, 'theirs.jsonl')
  const lines = texts.map((content, at) => JSON.stringify({ id: `theirs-${at}`, content, type: 'decision', ...more }))
  writeFileSync(path, `${lines.join('\n')}\n`)
  return path
}

const textsIn = ({ options }) =>
  listMemories({ limit: 100, ...options })
    .entries.map(({ text }) => text)
    .sort()

test('an imported record retires what it contradicts, and the command says so', (t) => {
  const command = freshCommand(t, { FORGE_AS: '' })
  json(command, ['add', '-t', 'decision', HERE])
  const { stdout } = command.run(['import', fileWith(command.folder, [THERE])])
  assert.match(stdout, /1 new.*\n1 memory replaced by them\./)
  const { entries } = json(command, ['list'])
  assert.deepEqual(
    entries.map(({ text }) => text),
    [THERE],
  )
})

test('what a person said stays, in conflict with what was imported', (t) => {
  const command = freshCommand(t)
  json(command, ['add', '-t', 'decision', HERE])
  const { stdout } = command.run(['import', fileWith(command.folder, [THERE])])
  assert.match(stdout, /1 record in conflict with what was here: forge-memory review/)
  const { conflicts } = json(command, ['review', '--list'])
  assert.deepEqual([conflicts.length, conflicts[0].rule], [1, 'number'])
  assert.equal(json(command, ['list']).total, 2)
})

test('a record that is older than the one it contradicts takes no place of it', (t) => {
  const memory = freshMemory(t)
  captureMemory({ type: 'decision', body: HERE }, { ...memory.options, author: 'agent' })
  const path = fileWith(memory.folder, [THERE], {
    captured_at: '2026-01-01T00:00:00.000Z',
    expiresAt: '2999-01-01T00:00:00.000Z',
  })
  const outcome = importMemory(path, memory.options)
  assert.deepEqual([outcome.replaced, outcome.inConflict], [[], 1])
  assert.deepEqual(textsIn(memory), [HERE, THERE])
})

test('one that is over contradicts nothing, and one that waits nothing yet', (t) => {
  const memory = freshMemory(t)
  captureMemory({ type: 'decision', body: HERE }, { ...memory.options, author: 'agent' })
  const over = { captured_at: '2020-01-01T00:00:00.000Z', expiresAt: '2020-02-01T00:00:00.000Z' }
  assert.equal(importMemory(fileWith(memory.folder, [THERE], over), memory.options).inConflict, 0)
  writeFileSync(join(memory.project, '.forge.json'), '{"review":"agents"}')
  const waiting = fileWith(memory.folder, ['The API listens on port 7070'], { id: 'theirs-again' })
  const outcome = importMemory(waiting, memory.options)
  assert.deepEqual([outcome.proposed, outcome.replaced, outcome.inConflict], [1, [], 0])
  assert.deepEqual(listConflicts(memory.options), [])
})

test('records of one export are not judged again: what was decided about them holds', (t) => {
  const memory = freshMemory(t)
  const person = { ...memory.options, author: 'person', session: 'person:ann' }
  const first = captureMemory({ type: 'decision', body: HERE }, person).id
  const second = captureMemory({ type: 'decision', body: THERE }, { ...memory.options, author: 'agent' }).id
  assert.equal(listConflicts(memory.options).length, 1)
  resolveConflict({ id: first, with: second, holds: 'both' }, person)
  const { text } = exportMemory(memory.options)
  const other = freshMemory(t)
  const path = join(other.folder, 'export.jsonl')
  writeFileSync(path, text)
  const outcome = importMemory(path, { ...other.options, author: 'person' })
  assert.deepEqual([outcome.imported, outcome.inConflict, outcome.replaced], [2, 0, []])
  assert.deepEqual([textsIn(other), listConflicts(other.options)], [[HERE, THERE], []])
})
