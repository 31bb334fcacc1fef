import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { importMemory, listMemories } from '../dist/index.js'
import { freshCommand, json } from './support/command.mjs'
import { freshMemory } from './support/memory.mjs'

/** A store of another tool with records of the projects that are named, and one record that names none. */
function pool(folder, projects) {
  const thoughts = projects.map((project, at) => ({
    content: `lesson ${at} of ${project}, which says ${'abcdefgh'[at]}`,
    project,
    type: 'lesson',
    source: 'tool',
    captured_at: '2026-11-20T10:00:00.000Z',
  }))
  const lines = [
    ...thoughts,
    { pattern: 'a pattern of nobody', category: 'convention', timestamp: '2026-11-20T10:00:00.000Z' },
  ]
  const path = join(folder, 'pool.jsonl')
  writeFileSync(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
  return path
}

const projectsIn = (memory) =>
  listMemories({ limit: 100, ...memory.options })
    .entries.map(({ text }) => /of (\w+)/.exec(text)[1])
    .sort()

test("an import of a store with several projects takes the project's own records", (t) => {
  const memory = freshMemory(t)
  const path = pool(memory.folder, ['project', 'shop', 'project', 'market'])
  const outcome = importMemory(path, memory.options)
  assert.deepEqual([outcome.read, outcome.imported, outcome.leftOut], [3, 3, 2])
  assert.deepEqual(outcome.projects, [
    { name: 'market', records: 1 },
    { name: 'project', records: 2 },
    { name: 'shop', records: 1 },
  ])
  assert.deepEqual(projectsIn(memory), ['nobody', 'project', 'project'])
})

test('sourceProject says which project of the source is meant, or all', (t) => {
  const memory = freshMemory(t)
  const path = pool(memory.folder, ['shop', 'market', 'shop'])
  const refused = (options, pattern) =>
    assert.throws(
      () => importMemory(path, { ...options, ...memory.options }),
      ({ code, message }) => code === 'INVALID_INPUT' && pattern.test(message),
    )
  refused({}, /sourceProject.*2 projects.*`market` \(1\), `shop` \(2\)/)
  refused({ sourceProject: 'another' }, /sourceProject.*`another`.*`market` \(1\)/)
  refused({ sourceProject: 7 }, /sourceProject/)
  refused({ sourceProjects: 'shop' }, /sourceProjects/)
  const dry = importMemory(path, { dryRun: true, ...memory.options })
  assert.deepEqual([dry.imported, dry.leftOut, dry.projects.length], [1, 3, 2])
  assert.equal(listMemories(memory.options).total, 0, 'nothing is written before somebody has said')
  importMemory(path, { sourceProject: 'shop', ...memory.options })
  assert.deepEqual(projectsIn(memory), ['nobody', 'shop', 'shop'])
  assert.equal(importMemory(path, { sourceProject: '*', ...memory.options }).imported, 1)
  assert.deepEqual(projectsIn(memory), ['market', 'nobody', 'shop', 'shop'])
})

test("a store with one project is imported completely, whatever its name's name", (t) => {
  const memory = freshMemory(t)
  const outcome = importMemory(pool(memory.folder, ['shop', 'shop']), memory.options)
  assert.deepEqual([outcome.imported, outcome.leftOut], [3, 0])
})

test('the records of a former name are the own ones', (t) => {
  const command = freshCommand(t)
  mkdirSync(join(command.project, '.git'))
  writeFileSync(join(command.project, '.git/config'), '[remote "origin"]\n\turl = https://example.com/team/shop.git\n')
  const path = pool(command.folder, ['project', 'shop', 'market'])
  const outcome = json(command, ['import', path])
  assert.deepEqual([outcome.imported, outcome.leftOut], [3, 1])
})

test('import by command accepts --source-project, and reports what was omitted', (t) => {
  const command = freshCommand(t)
  const path = pool(command.folder, ['shop', 'market'])
  const refused = command.run(['import', path])
  assert.deepEqual(
    [refused.status, /market/.test(refused.stderr), /--source-project/.test(refused.stderr)],
    [2, true, true],
  )
  const { status, stdout } = command.run(['import', path, '--source-project', 'shop'])
  assert.equal(status, 0)
  assert.match(stdout, /2 read, 2 new/)
  assert.match(stdout, /1 record of other projects skipped\. The source has market 1, shop 1; --source-project/)
})
