import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import test from 'node:test'
import { captureMemory, memoryStatus, projectNames } from '../dist/index.js'
import { freshCommand, json } from './support/command.mjs'
import { freshFolder, readLines } from './support/project.mjs'

const OPTIONS = ['user.name=a', 'user.email=a@b', 'protocol.file.allow=always', 'init.defaultBranch=main']

function git(folder, ...args) {
  const settings = OPTIONS.flatMap((option) => ['-c', option])
  return execFileSync('git', [...settings, ...args], { cwd: folder, encoding: 'utf8', stdio: 'pipe' })
}

const nameOf = (projectDir) => memoryStatus({ projectDir }).projectName

function repository(folder, url) {
  mkdirSync(folder, { recursive: true })
  git(folder, 'init', '-q')
  if (url !== undefined) git(folder, 'remote', 'add', 'origin', url)
  return folder
}

test('clones under any name are one project: the one that their remote names', (t) => {
  const folder = freshFolder(t)
  for (const [url, name] of [
    ['https://someone:token@example.com/team/shop.git', 'shop'],
    ['https://example.com/team/shop/', 'shop'],
    ['ssh://git@example.com:2222/team/shop.git', 'shop'],
    ['git@example.com:team/shop.git', 'shop'],
    ['git@example.com:shop', 'shop'],
    ['/srv/git/shop.git', 'shop'],
    ['../shop/.git', 'shop'],
    ['C:\\git\\shop.git', 'shop'],
    ['https://example.com', 'own'],
    ['https://example.com/', 'own'],
    ['..', 'own'],
    ['/', 'own'],
    ['.git', 'own'],
  ]) {
    const clone = repository(join(folder, url.replace(/\W/g, '-'), 'own'), url)
    assert.equal(nameOf(clone), name, url)
  }
})

test('a real clone, its work trees and the repository it came from agree', (t) => {
  const folder = freshFolder(t)
  const origin = repository(join(folder, 'shop'))
  git(origin, 'commit', '-q', '--allow-empty', '-m', 'first')
  git(folder, 'clone', '-q', origin, 'my-copy')
  const clone = join(folder, 'my-copy')
  git(clone, 'worktree', 'add', '-q', '-b', 'fix', join(folder, 'tree'))
  assert.deepEqual([origin, clone, join(folder, 'tree')].map(nameOf), ['shop', 'shop', 'shop'])
  assert.deepEqual(projectNames({ projectDir: join(folder, 'tree') }), ['shop', 'my-copy'])
  mkdirSync(join(clone, 'packages/api/.forge'), { recursive: true })
  assert.equal(nameOf(join(clone, 'packages/api')), 'api', 'a project within a repository has its own name')
  writeFileSync(join(clone, '.forge.json'), '{"projectName":"market"}')
  assert.equal(nameOf(clone), 'market', 'the settings go before the remote')
  assert.deepEqual(projectNames({ projectDir: clone }), ['market'])
})

test('the remote origin takes precedence, then the first remote', (t) => {
  const folder = repository(join(freshFolder(t), 'own'), undefined)
  git(folder, 'remote', 'add', 'fork', 'https://example.com/me/fork.git')
  assert.equal(nameOf(folder), 'fork')
  git(folder, 'remote', 'add', 'origin', 'https://example.com/team/shop.git')
  // A process looks the settings of git up once.
  const other = repository(join(freshFolder(t), 'own'), undefined)
  git(other, 'remote', 'add', 'fork', 'https://example.com/me/fork.git')
  git(other, 'remote', 'add', 'origin', 'https://example.com/team/shop.git')
  assert.equal(nameOf(other), 'shop')
})

test('invalid files of git yield no name', (t) => {
  for (const config of [
    '',
    '[remote "origin"]\n\turl =\n',
    '[remote "origin"]\n\turl = "unended\n',
    '[remote "origin"\n\turl = https://example.com/shop\n',
    '[branch "origin"]\n\turl = https://example.com/shop\n',
    '[remote "origin"]\n\turl = https://example.com/sh\u0007op\n',
    `[remote "origin"]\n\turl = https://example.com/${'x'.repeat(200)}\n`,
    '# [remote "origin"]\n# url = https://example.com/shop\n',
    '\0'.repeat(100),
  ]) {
    const folder = join(freshFolder(t), 'own')
    mkdirSync(join(folder, '.git'), { recursive: true })
    writeFileSync(join(folder, '.git/config'), config)
    assert.equal(nameOf(folder), 'own', JSON.stringify(config))
  }
  const folder = join(freshFolder(t), 'own')
  mkdirSync(join(folder, '.git'), { recursive: true })
  execFileSync('mkfifo', [join(folder, '.git/config')])
  assert.equal(nameOf(folder), 'own', 'a FIFO keeps nobody waiting')
})

test('records under a former name are found, deduplicated and forgotten under the new name', (t) => {
  const command = freshCommand(t)
  const { project } = command
  const former = basename(project)
  git(project, 'init', '-q')
  const first = json(command, ['capture', '--type', 'lesson', 'Close the pool after the last reader has gone.'])
  assert.equal(first.thought.project, former)
  json(command, ['drain'])
  git(project, 'remote', 'add', 'origin', 'https://example.com/team/shop.git')

  assert.equal(json(command, ['status']).projectName, 'shop')
  assert.equal(json(command, ['recall', 'pool']).hits.length, 1)
  assert.equal(json(command, ['list']).total, 1)
  for (const body of [
    'Close the pool after the last reader has gone.',
    'Close the pool after the very last reader has gone!',
  ]) {
    const again = json(command, ['capture', '--type', 'lesson', body])
    assert.deepEqual([again.deduped, again.duplicateOf], [true, first.id], body)
  }
  const second = json(command, ['capture', '--type', 'lesson', 'The pool opens with four readers.'])
  assert.equal(second.thought.project, 'shop')
  json(command, ['drain'])
  const found = (name) =>
    json(command, ['search', 'pool', '--project-name', name])
      .thoughts.map(({ id }) => id)
      .sort()
  assert.deepEqual(found('shop'), [first.id, second.id].sort())
  assert.deepEqual(found(former), [first.id, second.id].sort())
  assert.deepEqual(found('another'), [])

  json(command, ['forget', first.id])
  assert.equal(json(command, ['drain']).dlq, 0)
  assert.deepEqual(found('shop'), [second.id])
  assert.equal(readLines(project, '.forge/memory-captures.jsonl')[0].project, former, 'no record is rewritten')
})

test('the same text in another project is a separate record', (t) => {
  const project = repository(join(freshFolder(t), 'own'), 'https://example.com/team/shop.git')
  const capture = (name) =>
    captureMemory(
      { type: 'lesson', body: 'Close the pool last.', ...(name === undefined ? {} : { project: name }) },
      { projectDir: project },
    ).deduped
  assert.deepEqual([capture('own'), capture('another'), capture()], [false, false, true])
})
