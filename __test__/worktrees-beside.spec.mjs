// A committed memory follows the branch; what is not committed yet in one work tree is read in the others, with where it is.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { captureMemory, memoryStatus, recall } from '../dist/index.js'
import { freshCommand, json, noteFor } from './support/command.mjs'
import { useHome } from './support/home.mjs'
import { call, connectStdio } from './support/mcp.mjs'
import { isWindows, sentenceOf } from './support/memory.mjs'
import { runTogether, startChild } from './support/processes.mjs'

const OPTIONS = ['user.name=a', 'user.email=a@b', 'init.defaultBranch=main', 'commit.gpgsign=false']
const MARK = /worktree one \(one\), not committed there yet/

function git(folder, ...args) {
  const settings = OPTIONS.flatMap((option) => ['-c', option])
  return execFileSync('git', [...settings, ...args], { cwd: folder, encoding: 'utf8', stdio: 'pipe' })
}

/** A repository that commits its memory, with two linked work trees. */
function threeTrees(t, settings = []) {
  const command = freshCommand(t)
  const { project, folder } = command
  git(project, 'init', '-q')
  for (const setting of settings) git(project, 'config', ...setting)
  json(command, ['capture', '-t', 'lesson', 'The first lesson is committed.'])
  git(project, 'add', '-A')
  git(project, 'commit', '-q', '-m', 'first')
  const [one, two] = ['one', 'two'].map((name) => join(folder, name))
  git(project, 'worktree', 'add', '-q', '-b', 'one', one)
  git(project, 'worktree', 'add', '-q', '-b', 'two', two)
  const capture = (cwd, text, ...more) => json(command, ['capture', '-t', 'gotcha', text, ...more], { cwd })
  const recalled = (cwd, words, ...more) => json(command, ['recall', words, ...more], { cwd })
  const texts = (cwd, words) => recalled(cwd, words).hits.map(({ text }) => text)
  const found = (cwd, words) =>
    recalled(cwd, words).hits.map(({ text, worktree }) => (worktree ? `${text} @ ${worktree.said}` : text))
  return { ...command, one, two, capture, recalled, texts, found }
}

const POOL = 'The pool in src/pool.ts is closed last.'

test('what is captured in a work tree is found in the others until it is committed, and then with its branch', (t) => {
  const trees = threeTrees(t)
  const { project, one, two } = trees
  const { id } = trees.capture(one, POOL)
  for (const tree of [project, two]) {
    assert.deepEqual(trees.found(tree, 'pool closed'), [`${POOL} @ worktree one (one), not committed there yet`])
  }
  const [own] = trees.recalled(one, 'pool closed').hits
  assert.deepEqual([own.text, own.worktree], [POOL, undefined])
  const [hit] = trees.recalled(two, 'pool closed').hits
  assert.equal(hit.worktree.folder, one)
  assert.match(trees.run(['recall', 'pool', 'closed'], { cwd: two }).stdout, MARK)
  assert.match(trees.run(['recall', 'pool', 'closed'], { cwd: two }).stdout, /0 hits in 1 memory; 1 in other worktrees/)
  assert.equal(git(two, 'status', '--porcelain').trim(), '', 'nothing is written where it is only read')
  git(one, 'add', '-A')
  git(one, 'commit', '-q', '-m', 'learned')
  for (const tree of [project, two]) assert.deepEqual(trees.texts(tree, 'pool closed'), [])
  git(project, 'merge', '-q', 'one')
  assert.deepEqual(trees.found(project, 'pool closed'), [POOL], 'once')
  assert.deepEqual(trees.texts(two, 'pool closed'), [])
  assert.equal(trees.recalled(project, 'pool closed').hits[0].id, id)
})

test('what the main checkout has not committed is found in the work trees', (t) => {
  const { project, one, two, capture, found } = threeTrees(t)
  capture(project, POOL)
  for (const tree of [one, two]) {
    assert.deepEqual(found(tree, 'pool closed'), [`${POOL} @ worktree project (main), not committed there yet`])
  }
})

test('it changes no count, and the own records come first', async (t) => {
  const trees = threeTrees(t)
  const { project, one, two } = trees
  useHome(t, trees.home)
  trees.capture(two, 'The pool has ten connections, and is closed by the server.')
  trees.capture(one, POOL)
  trees.capture(one, 'Redis is flushed at night.')
  const { hits, searched } = trees.recalled(two, 'pool closed')
  assert.deepEqual(
    hits.map(({ worktree }) => worktree !== undefined),
    [false, true],
  )
  assert.equal(searched, 2)
  assert.equal(memoryStatus({ projectDir: two }).counts.memories, 2)
  assert.equal(json(trees, ['list'], { cwd: two }).total, 2)
  assert.equal(json(trees, ['list'], { cwd: project }).total, 1)
  assert.equal(recall('pool closed', { projectDir: two }).hits.length, 2)
  // Enough own ones leave a place for it.
  for (let number = 0; number < 12; number += 1) {
    captureMemory(
      { type: 'lesson', body: `The pool is closed by part ${number} of ${sentenceOf(number)}` },
      { projectDir: two },
    )
  }
  const { hits: many } = recall('pool closed last', { projectDir: two, limit: 10 })
  assert.equal(many.length, 10)
  assert.equal(many.at(-1).text, POOL)
})

test('hooks and the MCP server say it, each with where it is', async (t) => {
  const trees = threeTrees(t)
  const { one, two } = trees
  trees.capture(one, POOL)
  trees.capture(one, 'The redis cache is flushed at night by the janitor job.', '--tag', 'redis')
  mkdirSync(join(two, 'src'))
  writeFileSync(join(two, 'src/pool.ts'), '')
  const payload = { session_id: 'edit', cwd: two, hook_event_name: 'PreToolUse', tool_name: 'Edit' }
  const edit = noteFor(trees, {
    ...payload,
    tool_input: { file_path: 'src/pool.ts', old_string: 'a', new_string: 'b' },
  })
  assert.match(edit, /closed last/)
  assert.match(edit, MARK)
  const prompt = {
    session_id: 'p',
    cwd: two,
    hook_event_name: 'UserPromptSubmit',
    prompt: 'Why is the redis cache flushed at night?',
  }
  assert.match(noteFor(trees, prompt), /janitor.*worktree one \(one\)/)
  const start = noteFor(trees, { session_id: 'start', cwd: two, hook_event_name: 'SessionStart', source: 'startup' })
  assert.match(start, /closed last.*worktree one \(one\)/)
  const { client } = await connectStdio(t, trees, { args: ['--project', two, '--tools', 'full', '--structured'] })
  const recalled = await client.callTool({ name: 'memory_recall', arguments: { query: 'pool closed' } })
  assert.match(recalled.content[0].text, MARK)
  const [note] = recalled.structuredContent.notes
  assert.equal(note.worktree.folder, one)
  const shown = await call(client, 'memory_show', { ids: [note.id] })
  assert.match(JSON.stringify(shown), /closed last/)
  git(one, 'add', '-A')
  git(one, 'commit', '-q', '-m', 'learned')
  const after = await client.callTool({ name: 'memory_recall', arguments: { query: 'pool closed' } })
  assert.deepEqual(after.structuredContent.notes, [], 'a server that runs on notices the commit')
})

test('it is shown by its id, and changed where it is', (t) => {
  const trees = threeTrees(t)
  const { one, two } = trees
  const { id } = trees.capture(one, POOL)
  const shown = json(trees, ['show', id.slice(-8)], { cwd: two })
  assert.deepEqual([shown.entry.text, shown.entry.worktree.folder], [POOL, one])
  assert.match(trees.run(['show', id], { cwd: two }).stdout, MARK)
  for (const args of [
    ['forget', id, '--yes'],
    ['edit', id, 'Something else.'],
  ]) {
    const { status, stderr } = trees.run(args, { cwd: two })
    assert.notEqual(status, 0, args[0])
    assert.match(stderr, MARK, args[0])
    assert.ok(stderr.includes(one) && stderr.includes('--project'), stderr)
  }
  assert.deepEqual(trees.texts(two, 'pool closed'), [POOL])
  json(trees, ['edit', id, 'The pool is closed after the server.', '--project', one], { cwd: two })
  assert.deepEqual(trees.texts(two, 'pool closed'), ['The pool is closed after the server.'])
})

test('what was decided there about it counts, and about records of this branch it does not', (t) => {
  const trees = threeTrees(t)
  const { one, two } = trees
  const gone = trees.capture(one, 'The intern likes green tea.')
  json(trees, ['forget', gone.id, '--yes'], { cwd: one })
  const old = trees.capture(one, 'The API of the shop listens on port 8080.')
  trees.capture(one, 'The API of the shop listens on port 9090.', '--supersedes', old.id)
  assert.deepEqual(trees.texts(two, 'intern tea'), [])
  assert.deepEqual(trees.texts(two, 'API shop port'), ['The API of the shop listens on port 9090.'])
  const [first] = trees.recalled(one, 'first lesson committed').hits
  json(trees, ['forget', first.id, '--yes'], { cwd: one })
  assert.deepEqual(trees.texts(one, 'first lesson'), [])
  assert.deepEqual(trees.texts(two, 'first lesson'), ['The first lesson is committed.'])
  git(two, 'merge', '-q', 'main')
  assert.deepEqual(trees.texts(two, 'intern tea'), [])
})

test('a capture of the same text is stored, and told where it is noted already', async (t) => {
  const trees = threeTrees(t)
  const { one, two } = trees
  const { id } = trees.capture(one, POOL)
  const second = trees.capture(two, POOL)
  assert.deepEqual([second.captured, second.worktree.id], [true, id])
  assert.deepEqual(trees.found(two, 'pool closed'), [POOL], 'once')
  const said = trees.run(['capture', '-t', 'gotcha', POOL], { cwd: trees.project }).stderr
  assert.match(said, /the same is noted as mem_\w+ in the worktree (one|two) /)
  const { client } = await connectStdio(t, trees, { args: ['--project', two, '--tools', 'full'] })
  trees.capture(one, 'Redis is flushed at night.')
  const answer = await client.callTool({
    name: 'capture_thought',
    arguments: { content: 'Redis is flushed at night.', type: 'gotcha' },
  })
  assert.match(answer.content[0].text, /Note: the same is noted as mem_/)
})

test('patterns are found as captures are', (t) => {
  const trees = threeTrees(t)
  const { one, two, project } = trees
  json(trees, ['add', '-t', 'test_command', 'Tests run with --maxWorkers=1'], { cwd: one })
  assert.deepEqual(trees.found(two, 'tests maxWorkers'), [
    'Tests run with --maxWorkers=1 @ worktree one (one), not committed there yet',
  ])
  git(one, 'add', '-A')
  git(one, 'commit', '-q', '-m', 'a pattern')
  assert.deepEqual(trees.texts(project, 'tests maxWorkers'), [])
})

test('an index without the size of the file does not make committed records new', (t) => {
  const trees = threeTrees(t)
  const { one, two, project } = trees
  trees.capture(one, 'The second lesson is committed on the branch one.')
  git(one, 'add', '-A')
  git(one, 'commit', '-q', '-m', 'second')
  const file = join(one, '.forge/memory-captures.jsonl')
  const index = join(project, '.git/worktrees/one/index')
  trees.capture(one, POOL)
  // No size is written for a file that may have been changed in the second in which the index was written.
  const bytes = readFileSync(index)
  const entry = bytes.indexOf('.forge/memory-captures.jsonl') - 62
  assert.ok(bytes.readUInt32BE(entry + 36) > 0)
  bytes.writeUInt32BE(0, entry + 36)
  writeFileSync(index, bytes)
  for (const tree of [two, project]) {
    assert.deepEqual(trees.texts(tree, 'pool closed'), [POOL])
    assert.deepEqual(trees.texts(tree, 'second lesson branch'), ['The first lesson is committed.'])
  }
  assert.ok(readFileSync(file, 'utf8').includes('second lesson'))
})

test('files with line ends of Windows, in the work tree alone', (t) => {
  const trees = threeTrees(t, [['core.autocrlf', 'true']])
  const { one, two, folder, project } = trees
  assert.match(readFileSync(join(one, '.forge/memory-captures.jsonl'), 'utf8'), /\r\n$/)
  trees.capture(one, POOL)
  assert.deepEqual(trees.texts(two, 'pool closed'), [POOL])
  git(one, 'add', '-A')
  git(one, 'commit', '-q', '-m', 'learned')
  assert.deepEqual(trees.texts(two, 'pool closed'), [])
  const three = join(folder, 'three')
  git(project, 'worktree', 'add', '-q', '-b', 'three', three, 'one')
  assert.deepEqual(trees.found(three, 'pool closed'), [POOL])
})

test('a work tree without the folder of the memory, a damaged index, and a split one: nothing is found there', (t) => {
  const trees = threeTrees(t)
  const { one, two, project } = trees
  trees.capture(one, POOL)
  const index = join(project, '.git/worktrees/one/index')
  const before = readFileSync(index)
  for (const bytes of ['', 'DIRC', 'nothing', before.subarray(0, 40)]) {
    writeFileSync(index, bytes)
    assert.deepEqual(trees.texts(two, 'pool closed'), [], JSON.stringify(String(bytes)))
  }
  writeFileSync(index, before)
  assert.deepEqual(trees.texts(two, 'pool closed'), [POOL])
  git(one, 'update-index', '--split-index')
  assert.deepEqual(trees.texts(two, 'pool closed'), [])
  git(one, 'update-index', '--no-split-index')
  rmSync(join(project, '.git/worktrees/one'), { recursive: true, force: true })
  assert.deepEqual(trees.texts(two, 'pool closed'), [])
  const sparse = join(trees.folder, 'sparse')
  git(project, 'worktree', 'add', '-q', '--no-checkout', '-b', 'sparse', sparse)
  git(sparse, 'sparse-checkout', 'set', '--no-cone', '/src/')
  git(sparse, 'checkout', '-q', 'sparse')
  assert.equal(existsSync(join(sparse, '.forge/memory-captures.jsonl')), false)
  assert.deepEqual(trees.texts(two, 'first lesson'), ['The first lesson is committed.'])
})

test('a work tree that was removed: what it had comes back to the main checkout, once', (t) => {
  const trees = threeTrees(t)
  const { one, two, project } = trees
  trees.capture(one, POOL)
  assert.deepEqual(trees.texts(two, 'pool closed'), [POOL])
  git(project, 'worktree', 'remove', '--force', one)
  assert.deepEqual(trees.texts(two, 'pool closed'), [])
  assert.deepEqual(trees.found(project, 'pool closed'), [POOL])
  assert.deepEqual(trees.found(two, 'pool closed'), [`${POOL} @ worktree project (main), not committed there yet`])
})

test('work trees of a bare repository read one another', (t) => {
  const trees = threeTrees(t)
  git(trees.folder, 'clone', '-q', '--bare', trees.project, 'bare.git')
  const bare = join(trees.folder, 'bare.git')
  const [left, right] = ['left', 'right'].map((name) => {
    git(bare, 'worktree', 'add', '-q', '-b', name, join(trees.folder, name))
    return join(trees.folder, name)
  })
  trees.capture(left, POOL)
  assert.deepEqual(trees.found(right, 'pool closed'), [`${POOL} @ worktree left (left), not committed there yet`])
  assert.deepEqual(trees.texts(trees.two, 'pool closed'), [], 'another repository')
})

test('a package of a monorepo with a memory of its own reads that package in the others', (t) => {
  const trees = threeTrees(t)
  const { project, one, two } = trees
  mkdirSync(join(project, 'packages/api'), { recursive: true })
  writeFileSync(join(project, 'packages/api/.forge.json'), '{}')
  trees.capture(join(project, 'packages/api'), 'The api package is committed.')
  git(project, 'add', '-A')
  git(project, 'commit', '-q', '-m', 'api')
  for (const tree of [one, two]) git(tree, 'merge', '-q', 'main')
  trees.capture(join(one, 'packages/api'), POOL)
  assert.deepEqual(trees.found(join(two, 'packages/api'), 'pool closed'), [
    `${POOL} @ worktree one (one), not committed there yet`,
  ])
})

test('only work trees that git names, from both sides, and without a link', (t) => {
  if (isWindows) return t.diagnostic('the links of this test need rights there')
  const trees = threeTrees(t)
  const { one, two, project, folder } = trees
  trees.capture(one, POOL)
  const dot = readFileSync(join(one, '.git'), 'utf8')
  // Its file does not name the repository.
  writeFileSync(join(one, '.git'), 'gitdir: /no/such/folder\n')
  assert.deepEqual(trees.texts(two, 'pool closed'), [])
  writeFileSync(join(one, '.git'), dot)
  assert.deepEqual(trees.texts(two, 'pool closed'), [POOL])
  // The folder, and the file, are links.
  const forge = join(one, '.forge')
  const file = join(forge, 'memory-captures.jsonl')
  for (const path of [file, forge]) {
    renameSync(path, join(folder, 'moved'))
    symlinkSync(join(folder, 'moved'), path)
    assert.deepEqual(trees.texts(two, 'pool closed'), [], path)
    rmSync(path)
    renameSync(join(folder, 'moved'), path)
  }
  assert.deepEqual(trees.texts(two, 'pool closed'), [POOL])
  // Others may write it.
  chmodSync(forge, 0o777)
  assert.deepEqual(trees.texts(two, 'pool closed'), [])
  chmodSync(forge, 0o700)
  // Another repository says that its work tree is this one.
  const other = join(folder, 'other')
  mkdirSync(other)
  git(other, 'init', '-q')
  trees.capture(other, 'The other repository is committed.')
  git(other, 'add', '-A')
  git(other, 'commit', '-q', '-m', 'first')
  git(other, 'worktree', 'add', '-q', '-b', 'three', join(folder, 'three'))
  writeFileSync(join(other, '.git/worktrees/three/gitdir'), `${join(one, '.git')}\n`)
  assert.deepEqual(trees.texts(other, 'pool closed'), [])
  assert.ok(existsSync(project))
})

test('agents that capture in all work trees at once: none is lost, and no answer has one twice', async (t) => {
  const trees = threeTrees(t)
  const { project, one, two } = trees
  const all = [project, one, two]
  const captures = (at) =>
    Array.from({ length: 8 }, (_, number) => ({ type: 'lesson', body: sentenceOf(100 * at + number) }))
  const agents = all.flatMap((tree, at) =>
    [0, 1].map((twin) =>
      startChild(t, 'captures', { project: tree, home: trees.home }, { captures: captures(2 * at + twin) }),
    ),
  )
  const acknowledged = (await runTogether(agents)).map((outcomes) => outcomes.map(({ id, captured }) => captured && id))
  assert.equal(acknowledged.flat().filter(Boolean).length, 48)
  for (const [at, tree] of all.entries()) {
    for (const [agent, ids] of acknowledged.entries()) {
      const { hits } = trees.recalled(tree, sentenceOf(100 * agent + 3), '--limit', '50')
      const found = hits.map(({ id }) => id)
      assert.equal(new Set(found).size, found.length, 'once')
      const hit = hits.find(({ id }) => id === ids[3])
      assert.ok(hit, `${tree} finds what agent ${agent} captured`)
      assert.equal(hit.worktree === undefined, at === Math.floor(agent / 2))
    }
  }
})
