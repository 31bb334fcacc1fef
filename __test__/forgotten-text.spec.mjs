// What is forgotten is gone: after delivery and a compaction no file of the project or of the user has its text.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { memorySave } from '../dist/index.js'
import { freshCommand, json } from './support/command.mjs'
import { useHome } from './support/home.mjs'
import { filesUnder } from './support/project.mjs'

const SECRET = 'The zanzibar relay answers on port 7443'

const filesWith = (command, text) =>
  filesUnder(command.folder).filter((path) => readFileSync(join(command.folder, path)).includes(text))

test('what is forgotten is in no file of the project after a compaction', (t) => {
  const command = freshCommand(t)
  useHome(t, command.home)
  const say = (...args) => json(command, args)
  const { id } = say('capture', '-t', 'gotcha', SECRET).thought
  const kept = say('capture', '-t', 'gotcha', 'The relay of the mailer is restarted by hand').thought.id
  const pattern = { pattern: 'Relays of zanzibar are written in lower case', category: 'convention', scope: 'project' }
  const saved = memorySave(pattern, { projectDir: command.project, author: 'person' }).id
  say('drain')
  say('find', '--shared', 'zanzibar relay')
  assert.ok(filesWith(command, 'zanzibar').length > 3, 'the text is in several files before')
  for (const gone of [id, saved]) say('forget', gone, '--yes')
  say('drain')
  const { backup } = say('compact', '--yes')
  assert.deepEqual(filesWith(command, 'zanzibar'), [])
  assert.ok(filesWith(command, 'relay of the mailer').length > 1, 'what is current stays')
  assert.equal(say('show', kept).state, 'current')
  assert.equal(json(command, ['find', 'zanzibar']).hits.length, 0)
  assert.ok(backup !== undefined, 'the rest of what is taken out is kept aside')
  // The numbers of the events go on, and nothing is delivered twice.
  assert.equal(say('drain').delivered ?? 0, 0)
  assert.equal(say('doctor').findings?.some(({ level }) => level === 'error') ?? false, false)
})
