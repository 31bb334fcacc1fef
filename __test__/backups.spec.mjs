// Backups of rewritten files, and where the text of a forgotten record still is.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { freshCommand, json } from './support/command.mjs'

const git = (cwd, ...args) =>
  execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], { cwd, encoding: 'utf8' }).trim()

/** Copies the log into a backup, with more lines. */
function backUp(command, more = '') {
  const folder = join(command.project, '.forge/.migration-backup-2026-11-01T00-00-00-000Z')
  mkdirSync(folder, { recursive: true })
  const log = readFileSync(join(command.project, '.forge/memory-captures.jsonl'), 'utf8')
  const file = join(folder, 'memory-captures.jsonl')
  writeFileSync(file, log + more)
  return { read: () => readFileSync(file, 'utf8') }
}

test('doctor --redact removes secrets from backups as well', (t) => {
  const command = freshCommand(t)
  json(command, ['add', '-t', 'lesson', 'The parser is fast'])
  const backup = backUp(command, '{"id":"mem_1","content":"the staging password is hunter2-9911","type":"lesson"}\n')
  const { files } = json(command, ['doctor', '--redact', '--yes'])
  assert.ok(files === undefined || files.some((name) => name.includes('migration-backup')))
  assert.match(backup.read(), /the staging password is \[redacted:password\]/)
  assert.match(backup.read(), /The parser is fast/)
})

test('what is forgotten goes from the backups, and the rest of them stays', (t) => {
  const command = freshCommand(t)
  const { id } = json(command, ['add', '-t', 'lesson', 'Our lawyer is called Alice'])
  json(command, ['add', '-t', 'lesson', 'The parser is fast'])
  const backup = backUp(command)
  json(command, ['forget', id])
  assert.doesNotMatch(backup.read(), /lawyer/)
  assert.match(backup.read(), /The parser is fast/)
})

test('forget says in which commits, branches and work trees the text still is, and what removes it there', (t) => {
  const command = freshCommand(t)
  git(command.project, 'init', '-q', '-b', 'main')
  const { id } = json(command, ['add', '-t', 'lesson', 'Our lawyer is called Alice'])
  git(command.project, 'add', '-A')
  git(command.project, 'commit', '-q', '-m', 'first')
  const commit = git(command.project, 'rev-parse', '--short', 'HEAD')
  git(command.project, 'branch', 'feature')
  const tree = join(command.folder, 'tree')
  git(command.project, 'worktree', 'add', '-q', '-b', 'beside', tree)
  const { remains } = json(command, ['forget', id])
  assert.deepEqual(remains, { commits: [commit], branches: ['beside', 'feature', 'main'], worktrees: [tree] })
  const other = json(command, ['add', '-t', 'lesson', 'Told and forgotten']).id
  git(command.project, 'commit', '-q', '-a', '-m', 'second')
  const { stdout } = command.run(['forget', other])
  assert.match(stdout, /until forge-memory compact/)
  assert.match(stdout, /It stays in 1 commit \([0-9a-f]+\), on main: git filter-repo --replace-text/)
})

test('forget says nothing about git where nothing was committed', (t) => {
  const command = freshCommand(t)
  const { id } = json(command, ['add', '-t', 'lesson', 'Told and forgotten'])
  assert.equal(command.run(['forget', id]).stdout.trim().split('\n').length, 1)
})
