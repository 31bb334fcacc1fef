import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { buildPlanBootContext, captureMemory, memoryStatus, preloadPlan } from '../dist/index.js'
import { freshCommand, json } from './support/command.mjs'
import { call, connectStdio } from './support/mcp.mjs'
import { sentenceOf } from './support/memory.mjs'
import { runTogether, startChild } from './support/processes.mjs'
import { filesUnder, freshFolder, readLines, root } from './support/project.mjs'

const OPTIONS = ['user.name=a', 'user.email=a@b', 'protocol.file.allow=always', 'init.defaultBranch=main']

function git(folder, ...args) {
  const settings = OPTIONS.flatMap((option) => ['-c', option])
  return execFileSync('git', [...settings, ...args], { cwd: folder, encoding: 'utf8', stdio: 'pipe' })
}

/** A repository with one commit, and a work tree of it beside it, under a name that tells nothing. */
function checkoutWithTree(folder) {
  git(folder, 'init', '-q')
  git(folder, 'commit', '-q', '--allow-empty', '-m', 'first')
  const tree = join(folder, '..', 'tree-1')
  git(folder, 'worktree', 'add', '-q', '-b', 'fix/auth', tree)
  return tree
}

const nameOf = (projectDir) => memoryStatus({ projectDir }).shortName

test('a work tree has the identity of its main checkout, through the library', async (t) => {
  const { project } = freshCommand(t)
  const tree = checkoutWithTree(project)
  assert.deepEqual([nameOf(project), nameOf(tree)], ['project', 'project'])
  const { thought } = captureMemory({ type: 'lesson', body: 'Close the pool last.' }, { projectDir: tree })
  assert.equal(thought.project, memoryStatus({ projectDir: project }).projectName)
  assert.equal(buildPlanBootContext('Phase-1', undefined, { projectDir: tree }).projectName, 'project')
  assert.equal((await preloadPlan('Phase-1', undefined, { projectDir: tree })).projectName, 'project')
  mkdirSync(join(tree, 'packages/api/.forge'), { recursive: true })
  assert.equal(nameOf(join(tree, 'packages/api')), 'api', 'a project within the tree is called as in the main checkout')
})

/** A repository that commits its memory, and a work tree of it. */
function committedWithTree({ project }) {
  git(project, 'init', '-q')
  mkdirSync(join(project, '.forge'))
  writeFileSync(
    join(project, '.forge/.gitignore'),
    readFileSync(join(root, 'crates/project/src/gitignore.rs'), 'utf8').match(/\\\n([\s\S]+?)";/)[1],
  )
  writeFileSync(join(project, '.forge/lessons.jsonl'), '')
  git(project, 'add', '-A')
  git(project, 'commit', '-q', '-m', 'first')
  const tree = join(project, '..', 'tree-1')
  git(project, 'worktree', 'add', '-q', '-b', 'fix/auth', tree)
  return tree
}

test('memory that is committed follows the branch: each work tree has files of its own', (t) => {
  const command = freshCommand(t)
  const tree = committedWithTree(command)
  command.run(['capture', '--type', 'lesson', 'Learned on the branch.'], { cwd: tree })
  assert.deepEqual(filesUnder(join(command.project, '.forge')), ['.gitignore', 'lessons.jsonl'])
  assert.equal(readFileSync(join(command.project, '.forge/lessons.jsonl'), 'utf8'), '')
  git(tree, 'add', '-A')
  git(tree, 'commit', '-q', '-m', 'what was learned')
  const recalled = () => json(command, ['recall', 'learned']).hits.map(({ text }) => text)
  assert.deepEqual(recalled(), [], 'what is committed follows the branch')
  git(command.project, 'merge', '-q', 'fix/auth')
  assert.deepEqual(recalled(), ['Learned on the branch.'])
  git(command.project, 'worktree', 'remove', '--force', tree)
  assert.deepEqual(recalled(), ['Learned on the branch.'], 'what was merged is not brought back a second time')
  assert.equal(git(command.project, 'status', '--porcelain').trim(), '')
})

test('what is captured in a work tree before the memory is committed is that of the repository', (t) => {
  const command = freshCommand(t)
  const tree = checkoutWithTree(command.project)
  const texts = (cwd, words) => json(command, ['recall', words], { cwd }).hits.map(({ text }) => text)
  json(command, ['capture', '-t', 'decision', 'The tiles listen on port 8090.'])
  assert.deepEqual(texts(tree, 'tiles port'), ['The tiles listen on port 8090.'])
  mkdirSync(join(tree, 'src'))
  json(command, ['capture', '-t', 'gotcha', 'The login test needs UTC.'], { cwd: join(tree, 'src') })
  json(command, ['capture', '-t', 'gotcha', 'Redis is flushed at night.', '--project', tree])
  assert.equal(existsSync(join(tree, '.forge')), false)
  const { projectDir, memoryDir } = json(command, ['status'], { cwd: tree })
  assert.deepEqual([projectDir, memoryDir], [tree, command.project], 'its code is that of the work tree')
  assert.match(command.run(['status'], { cwd: tree }).stdout, /^memory +that of the main checkout +.*project$/m)
  const edit = { session_id: 's', cwd: tree, tool_name: 'Edit', tool_input: { file_path: join(tree, 'src/login.ts') } }
  json(command, ['capture', '-t', 'gotcha', 'src/login.ts must not import the pool.'])
  writeFileSync(join(tree, 'src/login.ts'), '')
  const hook = command.run(['hook', 'PreToolUse', '--host', 'claude'], { cwd: tree, input: JSON.stringify(edit) })
  assert.match(hook.stdout, /must not import the pool/, 'a note about a file is given in the work tree')
  json(command, ['lattice', 'index'], { cwd: tree })
  assert.equal(git(tree, 'status', '--porcelain').trim(), '?? src/', 'the code graph of a work tree stays out of git')
  git(command.project, 'worktree', 'remove', '--force', tree)
  assert.equal(texts(command.project, 'login UTC')[0], 'The login test needs UTC.')
  assert.deepEqual(texts(command.project, 'Redis flushed'), ['Redis is flushed at night.'])
})

test('settings and approvals of a shared memory are those of the main checkout', (t) => {
  const command = freshCommand(t)
  const tree = checkoutWithTree(command.project)
  writeFileSync(join(command.project, '.forge.json'), '{"review":"all","redact":false}')
  const secret = 'The token of CI is sk-proj-0123456789abcdefghijklmnopqrstuvwxyzABCDEFGH.'
  const captured = () => json(command, ['capture', '-t', 'lesson', `${secret}${Math.random()}`], { cwd: tree })
  assert.equal(captured().review, 'proposed')
  assert.ok(captured().redactions > 0)
  assert.equal(command.run(['trust', '--yes']).status, 0)
  assert.equal(captured().redactions, 0)
})

test('what was captured in a removed work tree with a committed memory is brought back, and delivered once', async (t) => {
  const command = freshCommand(t)
  const tree = committedWithTree(command)
  const capture = (text, more = []) => json(command, ['capture', '-t', 'lesson', text, ...more], { cwd: tree })
  const { id } = capture('The pool is closed last.')
  const { id: forgotten } = capture('This was wrong all along.')
  json(command, ['forget', forgotten], { cwd: tree })
  json(command, ['edit', id, 'The pool is closed after the server.'], { cwd: tree })
  const texts = (words, options) => json(command, ['recall', words], options).hits.map(({ text }) => text)
  const [hit] = json(command, ['recall', 'pool closed']).hits
  assert.equal(hit.worktree.folder, tree, 'while it is there, it has them')
  git(command.project, 'worktree', 'remove', '--force', tree)
  assert.deepEqual(texts('pool closed'), ['The pool is closed after the server.'])
  assert.deepEqual(texts('wrong all along'), [])
  assert.equal(json(command, ['verify']).ok, true)
  assert.equal(readLines(command.project, '.forge/lessons.jsonl').length > 0, true)
  json(command, ['drain'])
  assert.deepEqual(
    json(command, ['search', 'pool']).thoughts.map(({ content }) => content),
    ['The pool is closed after the server.'],
  )
  assert.deepEqual(filesUnder(join(command.home, 'worktrees')), [])
  const again = committedAgain(command)
  const found = json(command, ['recall', 'pool closed'], { cwd: again }).hits.map(({ worktree }) => worktree?.folder)
  assert.deepEqual(found, [command.project], 'another work tree at the same path is another one')
})

function committedAgain({ project }) {
  const tree = join(project, '..', 'tree-1')
  git(project, 'worktree', 'add', '-q', '-f', tree, 'fix/auth')
  return tree
}

test('a work tree of a bare repository gets what was captured in a removed one', (t) => {
  const command = freshCommand(t)
  const tree = committedWithTree(command)
  git(command.folder, 'clone', '-q', '--bare', command.project, 'bare.git')
  const bare = join(command.folder, 'bare.git')
  const [one, two] = ['one', 'two'].map((name) => join(command.folder, name))
  git(bare, 'worktree', 'add', '-q', '-b', 'one', one)
  git(bare, 'worktree', 'add', '-q', '-b', 'two', two)
  json(command, ['capture', '-t', 'lesson', 'The pool is closed last.'], { cwd: one })
  git(bare, 'worktree', 'remove', '--force', one)
  const found = (cwd) => json(command, ['recall', 'pool closed'], { cwd }).hits.length
  assert.deepEqual([found(tree), found(two)], [0, 1])
})

for (const isCommitted of [false, true]) {
  test(`agents that capture in work trees at once, one of which is removed, lose nothing (${isCommitted ? 'committed' : 'uncommitted'})`, async (t) => {
    const command = freshCommand(t)
    const first = isCommitted ? committedWithTree(command) : checkoutWithTree(command.project)
    const trees = [command.project, first]
    for (const name of ['tree-2', 'tree-3']) {
      const tree = join(command.folder, name)
      git(command.project, 'worktree', 'add', '-q', '-b', name, tree)
      trees.push(tree)
    }
    const captures = (at) =>
      Array.from({ length: 12 }, (_, number) => ({ type: 'lesson', body: sentenceOf(1000 * (at + 1) + number) }))
    const agents = trees.flatMap((project, at) =>
      [0, 1].map((twin) =>
        startChild(t, 'captures', { project, home: command.home }, { captures: captures(2 * at + twin) }),
      ),
    )
    const acknowledged = (await runTogether(agents)).flat().map(({ id, captured }) => captured && id)
    assert.equal(acknowledged.filter(Boolean).length, trees.length * 24)
    for (const tree of trees.slice(1)) git(command.project, 'worktree', 'remove', '--force', tree)
    const ids = json(command, ['list', '-n', '200']).entries.map(({ id }) => id)
    assert.deepEqual(
      acknowledged.filter((id) => !ids.includes(id)),
      [],
    )
  })
}

test('captures in one worktree are found from another, with the command and over MCP', async (t) => {
  const command = freshCommand(t)
  const tree = checkoutWithTree(command.project)
  const other = join(command.folder, 'tree-2')
  git(command.project, 'worktree', 'add', '-q', '-b', 'other', other)
  assert.equal(json(command, ['status'], { cwd: tree }).shortName, 'project')
  const { id } = json(command, ['capture', '--type', 'decision', 'Readers never wait, so WAL it is.'], { cwd: tree })
  const mcp = await connectStdio(t, command, { args: ['--project', tree, '--structured'] })
  const second = await call(mcp.client, 'capture_thought', { content: 'WAL needs a file system with shared memory.' })
  // While it runs, the server is who delivers.
  await mcp.client.close()
  json(command, ['drain'], { cwd: tree })
  const found = json(command, ['search', 'WAL', '--project-name', 'project'], { cwd: other })
  assert.equal(found.backend, 'embedded')
  assert.deepEqual(found.thoughts.map((thought) => thought.id).sort(), [id, second.id].sort())
  const { client } = await connectStdio(t, command, { args: ['--project', other, '--structured'] })
  const { thoughts } = await call(client, 'search_thoughts', { query: 'WAL', project: 'project' })
  assert.deepEqual(thoughts.map((thought) => thought.id).sort(), [id, second.id].sort())
  assert.deepEqual([...new Set(thoughts.map(({ project }) => project))], [json(command, ['status']).projectName])
})

test('a name in .forge.json takes precedence over the folder, that of the work tree first', (t) => {
  const { project } = freshCommand(t)
  const tree = checkoutWithTree(project)
  writeFileSync(join(project, '.forge.json'), '{"projectName":"shop"}')
  assert.equal(nameOf(tree), 'shop')
  writeFileSync(join(tree, '.forge.json'), '{"projectName":"stall"}')
  assert.deepEqual([nameOf(tree), nameOf(project)], ['stall', 'shop'])
})

test('a submodule keeps its own identity, and so do the work trees of it', (t) => {
  const { project, folder, run } = freshCommand(t)
  const library = join(folder, 'library')
  mkdirSync(library)
  git(library, 'init', '-q')
  git(library, 'commit', '-q', '--allow-empty', '-m', 'first')
  git(project, 'init', '-q')
  git(project, 'submodule', '--quiet', 'add', library, 'vendor/parser')
  const submodule = join(project, 'vendor/parser')
  const tree = join(folder, 'parser-tree')
  git(submodule, 'worktree', 'add', '-q', '-b', 'fix', tree)
  assert.deepEqual([nameOf(submodule), nameOf(tree)], ['library', 'library'], 'the repository that it was cloned from')
  git(submodule, 'remote', 'remove', 'origin')
  const json = (cwd) => JSON.parse(run(['--json', 'status'], { cwd }).stdout)
  assert.deepEqual(
    [json(submodule), json(tree)].map(({ shortName }) => shortName),
    ['parser', 'parser'],
  )
  assert.equal(json(submodule).projectName, json(tree).projectName, 'without a remote, its folder')
})

test('the work trees of a bare repository have its name', (t) => {
  for (const [bare, name] of [
    ['shop.git', 'shop'],
    ['market/.bare', 'market'],
  ]) {
    const folder = freshFolder(t)
    git(folder, 'init', '-q', '--bare', bare)
    const repository = join(folder, bare)
    const tree = git(repository, 'hash-object', '-t', 'tree', '-w', '--stdin').trim()
    const commit = git(repository, 'commit-tree', tree, '-m', 'first').trim()
    const trees = ['one', 'two'].map((branch) => {
      git(repository, 'worktree', 'add', '-q', '-b', branch, join(folder, branch), commit)
      return join(folder, branch)
    })
    assert.deepEqual(trees.map(nameOf), [name, name])
  }
})

test('a work tree whose repository is gone uses its own name', (t) => {
  const { project } = freshCommand(t)
  const tree = checkoutWithTree(project)
  rmSync(join(project, '.git'), { recursive: true })
  assert.equal(nameOf(tree), 'tree-1')
  for (const broken of ['', 'gitdir:', 'gitdir: /no/such/folder', '\0\0\0', 'gitdir: ..']) {
    writeFileSync(join(tree, '.git'), broken)
    assert.equal(nameOf(tree), 'tree-1', JSON.stringify(broken))
  }
  captureMemory({ type: 'lesson', body: 'Still here.' }, { projectDir: tree })
  assert.equal(
    readLines(tree, '.forge/memory-captures.jsonl')[0].project,
    memoryStatus({ projectDir: tree }).projectName,
  )
})
