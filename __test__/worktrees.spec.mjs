import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { buildPlanBootContext, captureMemory, memoryStatus, preloadPlan } from '../dist/index.js'
import { freshCommand, json } from './support/command.mjs'
import { call, connectStdio } from './support/mcp.mjs'
import { freshFolder, readLines } from './support/project.mjs'

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

const nameOf = (projectDir) => memoryStatus({ projectDir }).projectName

test('a work tree has the identity of its main checkout, through the library', async (t) => {
  const { project } = freshCommand(t)
  const tree = checkoutWithTree(project)
  assert.deepEqual([nameOf(project), nameOf(tree)], ['project', 'project'])
  const { thought } = captureMemory({ type: 'lesson', body: 'Close the pool last.' }, { projectDir: tree })
  assert.equal(thought.project, 'project')
  assert.equal(buildPlanBootContext('Phase-1', undefined, { projectDir: tree }).projectName, 'project')
  assert.equal((await preloadPlan('Phase-1', undefined, { projectDir: tree })).projectName, 'project')
  mkdirSync(join(tree, 'packages/api/.forge'), { recursive: true })
  assert.equal(nameOf(join(tree, 'packages/api')), 'api', 'a project within the tree is called as in the main checkout')
})

test('memory that is committed follows the branch: each work tree has files of its own', (t) => {
  const command = freshCommand(t)
  const tree = checkoutWithTree(command.project)
  command.run(['capture', '--type', 'lesson', 'Learned on the branch.'], { cwd: tree })
  assert.equal(existsSync(join(command.project, '.forge')), false)
  git(tree, 'add', '-A')
  git(tree, 'commit', '-q', '-m', 'what was learned')
  const recalled = () => json(command, ['recall', 'learned']).hits.map(({ text }) => text)
  assert.deepEqual(recalled(), [])
  git(command.project, 'merge', '-q', 'fix/auth')
  assert.deepEqual(recalled(), ['Learned on the branch.'])
})

test('captures in one worktree are found from another, with the command and over MCP', async (t) => {
  const command = freshCommand(t)
  const tree = checkoutWithTree(command.project)
  const other = join(command.folder, 'tree-2')
  git(command.project, 'worktree', 'add', '-q', '-b', 'other', other)
  assert.equal(json(command, ['status'], { cwd: tree }).projectName, 'project')
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
  assert.deepEqual([...new Set(thoughts.map(({ project }) => project))], ['project'])
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
  const json = (cwd) => JSON.parse(run(['--json', 'status'], { cwd }).stdout).projectName
  assert.deepEqual([json(submodule), json(tree)], ['parser', 'parser'], 'without a remote, its folder')
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
  assert.equal(readLines(tree, '.forge/memory-captures.jsonl')[0].project, 'tree-1')
})
