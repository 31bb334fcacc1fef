// What agents keep is proposed, never believed: once, without secrets, with where it came from, and from nowhere else.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import test from 'node:test'
import { itemsIn } from '../dist/memories/items.js'
import { freshCommand, json } from './support/command.mjs'
import { isWindows } from './support/memory.mjs'
import { freshFolder } from './support/project.mjs'

function freshUser(t) {
  const home = freshFolder(t)
  const moved = [
    'CLAUDE_CONFIG_DIR',
    'CODEX_HOME',
    'COPILOT_HOME',
    'KIRO_HOME',
    'XDG_CONFIG_HOME',
    'CONTINUE_GLOBAL_DIR',
  ]
  const unset = Object.fromEntries(moved.map((name) => [name, '']))
  return { ...freshCommand(t, { ...unset, HOME: home, USERPROFILE: home }), userHome: home }
}

function write(folder, path, text) {
  mkdirSync(dirname(join(folder, path)), { recursive: true })
  writeFileSync(join(folder, path), text)
}

const take = (user, ...args) => json(user, ['import-memories', ...args])
const waiting = (user) => json(user, ['review']).waiting

test('statements are list items and paragraphs, and nothing else', () => {
  const text = [
    '---',
    'description: not this one here',
    '---',
    '# Rules',
    'Use pnpm for everything,',
    'also in scripts.',
    '',
    '- Tests run with `pnpm test`.',
    '  They need Docker.',
    '- [ ] Ask before pushing to main',
    '  1. Nested items stand alone here',
    '- too short',
    '<!-- a comment with several words -->',
    '> a quoted line of somebody else',
    '| a | table | row |',
    '@docs/more.md',
    '```sh',
    'rm -rf / # code is no statement',
    '```',
    '## Known gotchas',
    '* Port 5432 is taken by the other stack',
    '<private>',
    '- my own secret little rule',
    '</private>',
    '<!-- forge-memory: begin (written by `forge-memory init`) -->',
    '- Our own words do not come back',
    '<!-- forge-memory: end -->',
    '## Decisions',
    '+ We chose SQLite over Postgres',
    '<!-- forge-memory: begin (kept by `forge-memory sync-memories`) -->',
    '- A part without an end is ours to the end',
  ].join('\r\n')
  assert.deepEqual(
    itemsIn(`\ufeff${text}`).map(({ line, type, text: said }) => [line, type, said]),
    [
      [5, 'convention', 'Use pnpm for everything, also in scripts.'],
      [8, 'convention', 'Tests run with `pnpm test`. They need Docker.'],
      [10, 'convention', 'Ask before pushing to main'],
      [11, 'convention', 'Nested items stand alone here'],
      [21, 'gotcha', 'Port 5432 is taken by the other stack'],
      [29, 'decision', 'We chose SQLite over Postgres'],
    ],
  )
  for (const odd of ['', '---', '```', '<!--', '- ', `- ${'x '.repeat(3000)}`, '\u0000'.repeat(9)])
    assert.deepEqual(itemsIn(odd), [])
})

test('a topic of the memory that an agent keeps is one proposal, with its why and how, and a pointer to it is none', (t) => {
  const user = freshUser(t)
  const slug = user.project.replace(/[^A-Za-z0-9]/g, '-')
  const folder = `.claude/projects/${slug}/memory`
  write(
    user.userHome,
    `${folder}/MEMORY.md`,
    '# Memory\n\n- [Tests run serially](tests.md) - the gate needs it\n* [Prefs](user/prefs.md): short answers\n- The staging cluster is rebuilt on Mondays\n- See [the docs](https://example.org/a.md) before a release\n',
  )
  const topic = `---
name: tests-serially
description: the gate needs serial tests
metadata:
  type: feedback
---

# Tests

Run the tests serially.

**Why:** two of them share a port.

**How to apply:** pass --runInBand,
also in CI.
`
  write(user.userHome, `${folder}/tests.md`, topic)
  write(user.userHome, `${folder}/user/prefs.md`, '- Short answers please, always\n- Answers in German are fine\n')
  write(
    user.userHome,
    `${folder}/long.md`,
    `- One of the statements\n\n${'x y '.repeat(600)}\n\n- Another of the statements\n`,
  )
  const { items } = take(user, '--dry-run')
  assert.deepEqual(
    items.map(({ text }) => text).sort(),
    [
      '- Short answers please, always\n- Answers in German are fine',
      'Another of the statements',
      'One of the statements',
      'Run the tests serially.\n**Why:** two of them share a port.\n**How to apply:** pass --runInBand,\nalso in CI.',
      'See [the docs](https://example.org/a.md) before a release',
      'The staging cluster is rebuilt on Mondays',
    ].sort(),
  )
  assert.equal(take(user).proposed, 6)
})

test('imported memories of agents are proposed with provenance, redacted, and hidden from agents', (t) => {
  const user = freshUser(t)
  const slug = user.project.replace(/[^A-Za-z0-9]/g, '-')
  const key = ['ghp', 'A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8'].join('_')
  const files = {
    'CLAUDE.md': '# Claude\n\n- Deploys go through the staging cluster\n',
    '.cursor/rules/style.mdc': '---\nalwaysApply: true\n---\n- Components are written as functions\n',
    '.github/instructions/api.instructions.md': 'Answers of the API are always JSON.\n',
    '.windsurf/rules/x.md': `- The token ${key} opens the mirror\n`,
    '.kiro/steering/tech.md': '## Decisions\n\n- We picked Axum over Actix for the gateway\n',
    'AGENTS.md': '- Run the linter before every commit\n',
  }
  for (const [path, text] of Object.entries(files)) write(user.project, path, text)
  write(user.userHome, `.claude/projects/${slug}/memory/MEMORY.md`, '- The flaky test is the one for exports\n')
  write(user.userHome, '.codex/memories/a.md', '- Ann prefers short answers in German\n')
  const dry = take(user, '--dry-run')
  assert.deepEqual([dry.items.length, dry.proposed], [7, 0])
  assert.equal(json(user, ['status']).counts?.captures ?? 0, 0)
  const done = take(user)
  assert.deepEqual([done.files, done.proposed, done.duplicates, done.known], [7, 7, 0, 0])
  assert.ok(done.redactions > 0)
  assert.match(done.lacks.join(), /Copilot: its own memories are at GitHub/)
  assert.deepEqual(json(user, ['list']).hits ?? [], [])
  assert.equal(json(user, ['recall', 'staging cluster']).hits.length, 0)
  const stored = readFileSync(join(user.project, '.forge/memory-captures.jsonl'), 'utf8')
  assert.ok(!stored.includes(key))
  const records = stored
    .split('\n')
    .filter((line) => line.includes('"content"'))
    .map((line) => JSON.parse(line))
  const cursor = records.find(({ content }) => content.startsWith('Components'))
  assert.deepEqual(
    [cursor.source, cursor.created_by, cursor.type],
    ['import/cursor', 'cursor:.cursor/rules/style.mdc:4', 'convention'],
  )
  assert.equal(records.find(({ content }) => content.startsWith('We picked')).type, 'decision')
  // The files stay as they are, and files of the user are only read when that is asked for.
  for (const [path, text] of Object.entries(files)) assert.equal(readFileSync(join(user.project, path), 'utf8'), text)
  assert.ok(!stored.includes('Ann prefers'))
  assert.equal(take(user, '--scope', 'user').proposed, 1)
})

test('nothing is proposed twice: proposed, rejected or forgotten texts, or the same text of another agent', (t) => {
  const user = freshUser(t)
  write(user.project, 'CLAUDE.md', '- The first of the rules\n- The second of the rules\n- A third rule about pears\n')
  write(user.project, 'AGENTS.md', '- **The first** of the rules\n')
  assert.deepEqual([take(user).proposed, waiting(user).length], [3, 3])
  assert.deepEqual([take(user).proposed, take(user).known], [0, 4])
  const [one, two] = waiting(user)
  json(user, ['review', '--reject', one.id])
  json(user, ['review', '--accept', two.id])
  json(user, ['forget', two.id])
  assert.equal(take(user).proposed, 0)
  // Without its notes the engine still knows what waits, and what was rejected.
  execFileSync('rm', ['-rf', join(user.home, 'memories')])
  assert.equal(waiting(user).length, 1)
  write(
    user.project,
    'CLAUDE.md',
    '- The first of the rules\n- A third rule about pears\n- A fourth rule about plums\n',
  )
  assert.equal(take(user).proposed <= 2, true)
})

test('a rule of two agents stays a proposal: copies are not evidence', (t) => {
  const user = freshUser(t)
  write(user.project, 'CLAUDE.md', '- Releases are cut on Thursdays only\n')
  take(user, '--agent', 'claude')
  write(user.project, '.kiro/steering/x.md', '- Releases are cut on Thursdays only!\n')
  take(user, '--agent', 'kiro')
  assert.equal(json(user, ['recall', 'releases thursdays']).hits.length, 0)
  assert.equal(waiting(user).length, 1)
})

test('hints that sync-memories wrote are not imported again', (t) => {
  const user = freshUser(t)
  json(user, ['capture', '--type', 'gotcha', 'The build needs the year in its name'])
  json(user, ['sync-memories', '--agent', 'all'])
  json(user, ['init', '--scope', 'project', '--agent', 'codex', '--yes'])
  const { items, proposed } = take(user)
  assert.deepEqual([items, proposed], [[], 0])
})

test('links out of the project, FIFOs, huge and odd files are skipped and reported', {
  skip: isWindows && 'FIFOs',
}, (t) => {
  const user = freshUser(t)
  const outside = join(freshFolder(t), 'secrets.md')
  writeFileSync(outside, '- The password of the vault is old\n')
  symlinkSync(outside, join(user.project, 'CLAUDE.md'))
  execFileSync('mkfifo', [join(user.project, 'GEMINI.md')])
  write(user.project, '.cursorrules', '- word word word\n'.repeat(60_000))
  write(user.project, '.windsurfrules', Buffer.from('- Gr\xfc\xdfe an alle hier', 'latin1'))
  mkdirSync(join(user.project, '.kiro'))
  symlinkSync(dirname(outside), join(user.project, '.kiro/steering'))
  mkdirSync(join(user.project, '.roorules'))
  symlinkSync('/dev/zero', join(user.project, 'QWEN.md'))
  write(user.project, 'AGENTS.md', '- The only rule that is taken\n')
  const { skipped, proposed } = take(user)
  assert.equal(proposed, 1)
  const paths = skipped.map(({ path }) => path).sort()
  assert.deepEqual(paths, ['.cursorrules', '.kiro/steering', '.windsurfrules', 'CLAUDE.md', 'GEMINI.md', 'QWEN.md'])
  assert.match(user.run(['import-memories']).stdout, /Not read:\n[\s\S]*\.cursorrules: .*more than/)
  assert.ok(statSync(outside).isFile())
})

test('an unknown agent is refused', (t) => {
  const { status, stderr } = freshUser(t).run(['import-memories', '--agent', 'nobody'])
  assert.deepEqual([status !== 0, /nobody is not one of claude, cursor/.test(stderr)], [true, true])
})
