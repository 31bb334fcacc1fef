// The code graph made with a chunker and a git of the caller.
import assert from 'node:assert/strict'
import test from 'node:test'
import { latticeCallees, latticeIndex, latticeQuery, latticeStat } from 'forge-memory/plan-forge'
import { freshProject } from '../support/plan-forge.mjs'

/** An index by a chunker and a git of the caller: the files that git lists, and those that have changed. */
function injected(t, { listed = ['a.js', 'b.py', 'c.txt'], changed = [] } = {}) {
  const project = freshProject(t)
  project.write('a.js', 'alpha()\n')
  project.write('b.py', 'beta()\n')
  project.write('c.txt', 'no code\n')
  project.write('unlisted.js', 'gamma()\n')
  const [asked, commands] = [[], []]
  const deps = {
    cwd: project.cwd,
    chunkerName: 'mine',
    chunkerVersion: '9.1',
    chunker: ({ filePath, content }) => {
      asked.push([filePath, content])
      const name = filePath.split('.')[0]
      return [{ filePath, language: 'js', kind: 'function', name, startByte: 0, references: ['known', 'unknown'] }]
    },
    exec: (file, args) => {
      commands.push([file, ...args])
      return `${(args[0] === 'diff' ? changed : listed).join('\n')}\n`
    },
  }
  return { project, deps, asked, commands }
}

test('an injected chunker is called once for each file that the injected git lists', async (t) => {
  const { project, deps, asked, commands } = injected(t)
  const first = await latticeIndex({ deps })
  assert.deepEqual(asked, [
    ['a.js', 'alpha()\n'],
    ['b.py', 'beta()\n'],
  ])
  assert.deepEqual(commands, [['git', 'ls-files', '--cached', '--others', '--exclude-standard']])
  assert.deepEqual([first.filesIndexed, first.chunks, first.edges, first.anvilMisses], [2, 2, 4, 2])
  const { chunkerImpl, chunkerVersion, chunks } = latticeStat({ deps })
  assert.deepEqual([chunkerImpl, chunkerVersion, chunks], ['mine', '9.1', 2])
  const [{ id, filePath, _v }] = project.lines('.forge/lattice/chunks.jsonl')
  assert.match(id, /^[0-9a-f]{16}$/)
  assert.deepEqual([filePath, _v], ['a.js', 1])
  assert.deepEqual(latticeCallees({ name: 'a', deps }).unresolvedNames, ['known', 'unknown'])
  // What has not changed is not chunked again, what is gone goes.
  project.write('a.js', 'alpha(1)\n')
  deps.exec = () => 'a.js\n'
  const second = await latticeIndex({ deps })
  assert.deepEqual([asked.length, second.chunks, second.filesRemoved], [3, 1, 1])
})

test('since and paths limit an injected run, and the rest of its index stays', async (t) => {
  const { deps, asked, commands } = injected(t, { changed: ['b.py', 'c.txt'] })
  assert.equal((await latticeIndex({ deps, since: 'HEAD~1' })).filesIndexed, 1)
  assert.deepEqual(commands.at(-1), ['git', 'diff', '--name-only', 'HEAD~1', 'HEAD'])
  assert.deepEqual(
    asked.map(([path]) => path),
    ['b.py'],
  )
  await latticeIndex({ deps, paths: ['a.js'] })
  assert.equal(latticeStat({ deps }).chunks, 2)
  const none = injected(t)
  assert.equal((await latticeIndex({ deps: none.deps, since: 'HEAD~1' })).filesIndexed, 0)
  await assert.rejects(latticeIndex({ deps, paths: ['../..'] }), { code: 'ERR_LATTICE_PATH_OUTSIDE_REPO' })
  await assert.rejects(latticeIndex({ deps, since: '--output=stolen' }), { code: 'INVALID_INPUT' })
})

test('a chunker that throws rejects the run and leaves the index', async (t) => {
  const { deps, project } = injected(t)
  await latticeIndex({ deps })
  const before = project.text('.forge/lattice/chunks.jsonl')
  project.write('a.js', 'changed()\n')
  deps.chunker = () => {
    throw new Error('no')
  }
  await assert.rejects(latticeIndex({ deps }), /no/)
  assert.equal(project.text('.forge/lattice/chunks.jsonl'), before)
})

test('an injected git alone chooses the files of the own chunker', async (t) => {
  const project = freshProject(t)
  project.write('src/a.js', 'export function first() {}\n')
  project.write('src/d.js', 'export function later() {}\n')
  const deps = { cwd: project.cwd }
  await latticeIndex({ deps: { ...deps, exec: () => 'src/a.js\n' } })
  assert.deepEqual(
    ['first', 'later'].map((query) => latticeQuery({ query, deps }).total),
    [1, 0],
  )
  await latticeIndex({ deps: { ...deps, exec: () => 'src/a.js\nsrc/d.js\n' } })
  assert.equal(latticeQuery({ query: 'later', deps }).total, 1)
})

test('a git that fails lists nothing, whatever it is', async (t) => {
  const { deps } = injected(t)
  const { chunker, exec, ...rest } = deps
  const throws = () => {
    throw new Error('no repository')
  }
  const rejects = async () => throws()
  const failsToDiff = (file, args) => (args[0] === 'diff' ? throws() : exec(file, args))
  for (const git of [throws, rejects]) {
    assert.equal((await latticeIndex({ deps: { ...rest, chunker, exec: git } })).filesIndexed, 0)
    assert.equal((await latticeIndex({ deps: { ...rest, exec: git } })).filesIndexed, 0)
  }
  assert.equal((await latticeIndex({ since: 'gone', deps: { ...rest, chunker, exec: failsToDiff } })).filesIndexed, 0)
})
