// The code graph by the older tool's names, and an index that the older tool wrote.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import test from 'node:test'
import { latticeQuery as ownQuery } from 'forge-memory'
import {
  _resetChunkerForTesting,
  latticeBlast,
  latticeCallees,
  latticeCallers,
  latticeIndex,
  latticeQuery,
  latticeStat,
  scoreChunk,
  tokenizeForSearch,
} from 'forge-memory/plan-forge'
import { freshProject } from '../support/plan-forge.mjs'

const git = (cwd, ...args) => execFileSync('git', args, { cwd, stdio: 'ignore' })

/** A project with three files under git. */
async function indexed(t) {
  const project = freshProject(t)
  project.write('src/a.js', 'export function getUserById(id) {\n  return load(id)\n}\n')
  project.write(
    'src/b.js',
    "import { getUserById } from './a.js'\nexport function handleAuth() {\n  return getUserById(1)\n}\n",
  )
  project.write('src/c.py', 'def load(key):\n    return key\n')
  project.write('notes.txt', 'not code\n')
  git(project.cwd, 'init', '-q')
  git(project.cwd, 'add', '.')
  git(project.cwd, '-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '-qm', 'one')
  const deps = { cwd: project.cwd }
  return { project, deps, outcome: await latticeIndex({ deps }) }
}

const chunk = (id, name, fields = {}) => ({
  filePath: `src/${name}.js`,
  language: 'js',
  kind: 'function',
  name,
  startByte: 0,
  endByte: 18,
  startLine: 1,
  endLine: 1,
  contentHash: `sha256:${'0'.repeat(64)}`,
  declares: [name],
  references: [],
  id,
  ...fields,
})
const [A, B, C] = ['aaaaaaaaaaaaaaa1', 'aaaaaaaaaaaaaaa2', 'aaaaaaaaaaaaaaa3']

/** A project with an index as the older tool writes one: alpha calls beta, beta calls gamma and something unknown. */
function older(t) {
  const project = freshProject(t)
  project.append('.forge/lattice/chunks.jsonl', chunk(A, 'alpha'), chunk(B, 'betaUser'), chunk(C, 'gamma'))
  const edge = (callerChunkId, calleeName) => ({ callerChunkId, calleeName })
  project.append('.forge/lattice/edges.jsonl', edge(A, 'betaUser'), edge(B, 'gamma'), edge(B, 'unknownName'))
  return { project, deps: { cwd: project.cwd } }
}

/** The statistics without an index. */
const NO_INDEX = {
  chunks: 0,
  edges: 0,
  languages: {},
  lastIndexedAt: null,
  chunkerImpl: null,
  chunkerVersion: null,
  anvilHitRate: 0,
  indexBytes: 0,
}

const names = ({ chunks }) => chunks.map(({ name }) => name)

test('an index run writes three files and returns its counts', async (t) => {
  const { project, outcome } = await indexed(t)
  for (const name of ['chunks.jsonl', 'edges.jsonl', 'meta.json'])
    assert.ok(project.has(`.forge/lattice/${name}`), name)
  for (const name of ['filesIndexed', 'chunks', 'edges', 'anvilHits', 'anvilMisses'])
    assert.equal(typeof outcome[name], 'number')
  assert.equal(outcome.filesIndexed, 3)
})

test('the first run misses every file, the second one hits them all', async (t) => {
  const { deps, outcome } = await indexed(t)
  assert.deepEqual([outcome.anvilHits, outcome.anvilMisses], [0, 3])
  const second = await latticeIndex({ deps })
  assert.deepEqual([second.anvilHits, second.anvilMisses], [3, 0])
})

test('the hit rate is that of all lookups', async (t) => {
  const { deps } = await indexed(t)
  await latticeIndex({ deps })
  assert.equal(latticeStat({ deps }).anvilHitRate, 0.5)
})

test('lookups that the older tool has counted are counted along', (t) => {
  const { project, deps } = older(t)
  project.write('.forge/anvil/stats.json', { perTool: { lattice_file_chunk: { hits: 3, misses: 1 } } })
  assert.equal(latticeStat({ deps }).anvilHitRate, 0.75)
})

test('a chunk has the fields of the older tool, and an id of 16 digits', async (t) => {
  const { project } = await indexed(t)
  const found = project.lines('.forge/lattice/chunks.jsonl').find(({ name }) => name === 'getUserById')
  for (const name of Object.keys(chunk(A, 'x'))) assert.ok(name in found, name)
  assert.match(found.id, /^[0-9a-f]{16}$/)
  assert.match(found.contentHash, /^sha256:[0-9a-f]{64}$/)
})

test('an edge names its caller by id and its callee by name', async (t) => {
  const { project } = await indexed(t)
  const ids = project.lines('.forge/lattice/chunks.jsonl').map(({ id }) => id)
  for (const { callerChunkId, calleeName } of project.lines('.forge/lattice/edges.jsonl'))
    assert.ok(ids.includes(callerChunkId) && calleeName.length > 0)
})

test('since limits a run to changed files, and the rest of the index is kept', async (t) => {
  const { project, deps } = await indexed(t)
  project.write('src/a.js', 'export function renamed() {}\n')
  await latticeIndex({ since: 'HEAD', deps })
  assert.equal(latticeQuery({ query: 'renamed', deps }).total, 1)
  assert.ok(latticeQuery({ query: 'handleAuth', deps }).total >= 1)
})

test('paths limit a run to the named files, and the rest of the index is kept', async (t) => {
  const { deps } = await indexed(t)
  await latticeIndex({ paths: ['src/a.js'], deps })
  assert.ok(latticeQuery({ query: 'handleAuth', deps }).total >= 1)
})

test('a path outside of the project is refused by its code', async (t) => {
  const { deps } = await indexed(t)
  await assert.rejects(latticeIndex({ paths: ['../..'], deps }), { code: 'ERR_LATTICE_PATH_OUTSIDE_REPO' })
})

test('a revision that would be an option of git writes nothing', async (t) => {
  const { project, deps } = await indexed(t)
  await assert.rejects(latticeIndex({ since: '--output=stolen', deps }), { code: 'INVALID_INPUT' })
  assert.equal(project.has('stolen'), false)
})

test('ignored files are not indexed', async (t) => {
  const { project, deps } = await indexed(t)
  project.write('.gitignore', 'ignored.js\n')
  project.write('ignored.js', 'export function ignoredFunction() {}\n')
  await latticeIndex({ deps })
  assert.equal(latticeQuery({ filePath: 'ignored.js', deps }).total, 0)
})

test('callers, callees and blast of our own index', async (t) => {
  const { deps } = await indexed(t)
  assert.deepEqual(
    names(latticeCallers({ name: 'getUserById', deps })).filter((name) => name === 'handleAuth'),
    ['handleAuth'],
  )
  assert.ok(names(latticeCallees({ name: 'handleAuth', deps })).includes('getUserById'))
  assert.ok(latticeBlast({ name: 'getUserById', deps }).nodes.some(({ name }) => name === 'handleAuth'))
})

test('without an index the figures are zeros and nulls', (t) => {
  assert.deepEqual(latticeStat({ deps: { cwd: freshProject(t).cwd } }), NO_INDEX)
})

for (const [name, ask] of Object.entries({ latticeQuery, latticeCallers, latticeCallees })) {
  test(`without an index ${name} is empty, with a message`, (t) => {
    const { chunks, total, truncated, message } = ask({ name: 'x', query: 'x', deps: { cwd: freshProject(t).cwd } })
    assert.deepEqual([chunks, total, truncated], [[], 0, false])
    assert.ok(message.length > 0)
  })
}

test('without an index latticeBlast is empty, with a message', (t) => {
  const { nodes, edges, unresolvedNames, total, truncated, message } = latticeBlast({
    name: 'x',
    deps: { cwd: freshProject(t).cwd },
  })
  assert.deepEqual([nodes, edges, unresolvedNames, total, truncated], [[], [], [], 0, false])
  assert.ok(message.length > 0)
})

test('messages say what is missing in the words that callers look for', async (t) => {
  const { deps } = await indexed(t)
  const none = { cwd: freshProject(t).cwd }
  for (const seed of [{}, { name: '' }]) {
    assert.match(latticeCallers({ ...seed, deps }).message, /"name"/)
    assert.match(latticeCallees({ ...seed, deps }).message, /"chunkId"/)
    assert.match(latticeBlast({ ...seed, deps }).message, /"chunkId"/)
  }
  for (const at of [deps, none]) {
    assert.match(latticeCallees({ name: 'absentName', deps: at }).message, /no chunk found.*absentName/i)
    assert.match(latticeBlast({ name: 'absentName', deps: at }).message, /no chunk found/i)
    for (const chunkId of ['0123456789abcdef', 'nonexistent']) {
      assert.match(latticeBlast({ chunkId, deps: at }).message, /no chunk found/i)
      assert.match(latticeCallees({ chunkId, deps: at }).message, /no chunk found/i)
    }
  }
  assert.match(latticeQuery({ query: 'x', deps: none }).message, /latticeIndex/)
  assert.match(latticeCallees({ name: 'handleAuth', deps }).message, /1 resolved, 0 unresolved/)
  assert.match(latticeBlast({ chunkId: C, deps: older(t).deps, direction: 'callees' }).message, /no .*neighbor/)
})

test('a query finds what its whole text is a part of, and counts no more', async (t) => {
  const { project, deps } = await indexed(t)
  project.write('src/userById.js', 'export function other() {}\nexport function more() {}\n')
  await latticeIndex({ deps })
  const found = (query, more = {}) => latticeQuery({ query, deps, ...more })
  assert.deepEqual(names(found('getuserBYID')), ['getUserById'])
  assert.equal(found('getUserById').total, 1)
  assert.equal(found('get user').total, 0)
  // Two definitions and the file by its path, and the one by its name; the limit cuts what is ranked.
  const all = found('userById')
  assert.deepEqual([all.total, all.truncated, all.chunks[0].name], [4, false, 'getUserById'])
  const cut = found('userById', { limit: 1 })
  assert.deepEqual([names(cut), cut.total, cut.truncated], [['getUserById'], 4, true])
  for (const limit of [0, 1.5, -1]) assert.equal(found('userById', { limit }).total, 0, limit)
  for (const query of ['(', '.*', '\\', '%', ' ', '"', 'ü']) assert.equal(typeof found(query).total, 'number', query)
})

test('a language is that of the chunk, also where a file has several', (t) => {
  const project = freshProject(t)
  const lines = ['js', 'py', 'ts'].map((language, at) =>
    chunk(`aaaaaaaaaaaaaa${at}0`, `in${language}`, { filePath: 'src/foo.js', language }),
  )
  project.append('.forge/lattice/chunks.jsonl', ...lines)
  const deps = { cwd: project.cwd }
  for (const language of ['js', 'py', 'ts']) {
    assert.deepEqual(names(latticeQuery({ language, deps })), [`in${language}`])
    assert.deepEqual(names(latticeQuery({ query: 'in', language, deps })), [`in${language}`])
  }
})

test('languages are counted by their names and by the codes of the older tool', async (t) => {
  const { languages } = latticeStat({ deps: (await indexed(t)).deps })
  assert.ok(languages.javascript >= 1)
  assert.deepEqual([languages.js, languages.py, languages.ts], [languages.javascript, languages.python, undefined])
})

test('an index of the older tool answers a query, without graph.bin', (t) => {
  const { project, deps } = older(t)
  const { chunks, total, truncated } = latticeQuery({ query: 'alpha', deps })
  assert.deepEqual(
    [chunks[0].name, chunks[0].id, chunks[0].filePath, total, truncated],
    ['alpha', A, 'src/alpha.js', 1, false],
  )
  assert.equal(project.has('.forge/lattice/graph.bin'), false)
})

test('an index of the older tool is answered here only, not by the main entry', (t) => {
  const { project } = older(t)
  assert.equal(ownQuery({ query: 'alpha', ...project.options }).total, 0)
})

test('an index of the older tool is described', (t) => {
  const { project, deps } = older(t)
  project.write('.forge/lattice/meta.json', {
    lastIndexedAt: '2026-11-20T10:00:00.000Z',
    chunkerImpl: 'pureJs',
    chunkerVersion: '1.0.0',
    filesIndexed: 3,
  })
  const { chunks, languages, lastIndexedAt, chunkerImpl, chunkerVersion } = latticeStat({ deps })
  assert.deepEqual(
    [chunks, languages.js, lastIndexedAt, chunkerImpl, chunkerVersion],
    [3, 3, '2026-11-20T10:00:00.000Z', 'pureJs', '1.0.0'],
  )
})

test('callers of the older index are found by the bare name', (t) => {
  const { deps } = older(t)
  const { chunks, total } = latticeCallers({ name: 'betaUser', deps })
  assert.deepEqual([chunks.map(({ name }) => name), total], [['alpha'], 1])
})

test('a caller is listed once, however often it calls', (t) => {
  const { project, deps } = older(t)
  project.append('.forge/lattice/edges.jsonl', { callerChunkId: A, calleeName: 'betaUser' })
  assert.equal(latticeCallers({ name: 'betaUser', deps }).total, 1)
})

test('callees of the older index, and unresolved names', (t) => {
  const { deps } = older(t)
  const { chunks, unresolvedNames } = latticeCallees({ name: 'betaUser', deps })
  assert.deepEqual([chunks.map(({ name }) => name), unresolvedNames], [['gamma'], ['unknownName']])
})

test('callees by the id of a chunk', (t) => {
  const { deps } = older(t)
  assert.deepEqual(names(latticeCallees({ chunkId: A, deps })), ['betaUser'])
})

test('a blast reaches in both directions, by distance, with the seed at 0', (t) => {
  const { deps } = older(t)
  const { nodes, unresolvedNames } = latticeBlast({ name: 'betaUser', deps })
  assert.deepEqual(nodes.map(({ name, distance }) => [name, distance]).sort(), [
    ['alpha', 1],
    ['betaUser', 0],
    ['gamma', 1],
  ])
  assert.equal(nodes[0].distance, 0)
  assert.deepEqual(unresolvedNames, ['unknownName'])
})

for (const [direction, expected] of [
  ['callers', ['alpha', 'betaUser']],
  ['callees', ['betaUser', 'gamma']],
]) {
  test(`a blast in the direction of ${direction}`, (t) => {
    const { deps } = older(t)
    assert.deepEqual(
      latticeBlast({ name: 'betaUser', direction, deps })
        .nodes.map(({ name }) => name)
        .sort(),
      expected,
    )
  })
}

test('a blast ends at its depth', (t) => {
  const { deps } = older(t)
  assert.deepEqual(
    latticeBlast({ name: 'alpha', depth: 1, deps }).nodes.map(({ name }) => name),
    ['alpha', 'betaUser'],
  )
})

test('a circle of calls ends', (t) => {
  const { project, deps } = older(t)
  project.append('.forge/lattice/edges.jsonl', { callerChunkId: C, calleeName: 'alpha' })
  assert.equal(latticeBlast({ name: 'alpha', depth: 10, deps }).nodes.length, 3)
})

test('a limit truncates, and the answer says so', (t) => {
  const { deps } = older(t)
  const { chunks, total, truncated } = latticeQuery({ limit: 2, deps })
  assert.deepEqual([chunks.length, total, truncated], [2, 3, true])
  const blast = latticeBlast({ name: 'betaUser', limit: 1, deps })
  assert.deepEqual([blast.nodes.length, blast.total, blast.truncated], [1, 3, true])
})

test('the score of an answer is that of scoreChunk, from 0 to 1 with three places, the best first', (t) => {
  const { project, deps } = older(t)
  project.append('.forge/lattice/chunks.jsonl', chunk('aaaaaaaaaaaaaaa5', 'userBetaStore', { filePath: 'lib/x.js' }))
  const query = 'beta'
  const { chunks } = latticeQuery({ query, deps })
  assert.deepEqual(
    chunks.map(({ score }) => score),
    chunks.map((found) => Math.round(scoreChunk(query, found) * 1000) / 1000),
  )
  assert.ok(chunks.length === 2 && chunks.every(({ score }) => score > 0 && score <= 1))
  assert.ok(chunks[0].score >= chunks[1].score)
})

test('a chunk of an answer has the fields that the older tool writes', (t) => {
  const { project, deps } = older(t)
  const [written] = project.lines('.forge/lattice/chunks.jsonl')
  const [found] = latticeQuery({ query: 'alpha', deps }).chunks
  for (const [name, value] of Object.entries(written)) assert.deepEqual(found[name], value, name)
})

test('a chunk of our own index has the same fields', async (t) => {
  const { project, deps } = await indexed(t)
  const written = project.lines('.forge/lattice/chunks.jsonl').find(({ name }) => name === 'handleAuth')
  const [found] = latticeQuery({ query: 'handleAuth', kind: 'function', deps }).chunks
  for (const name of Object.keys(chunk(A, 'x'))) assert.deepEqual(found[name], written[name], name)
})

/** Chunk lines as short as another program may write them, with ids of another form. */
function sparse(t) {
  const project = freshProject(t)
  project.append(
    '.forge/lattice/chunks.jsonl',
    { id: 'chunk-1', filePath: 'a.py', language: 'py', kind: 'function', name: 'load', contentHash: 'sha256:1' },
    {
      id: 'ABCDEF0123456789',
      filePath: 'b.mjs',
      language: 'mjs',
      kind: 'block',
      name: 'main',
      extra: { n: 1 },
      distance: 'far',
    },
    { id: 'x', filePath: 'c.tsx', language: 'unknown', kind: 'file', name: '' },
  )
  project.append('.forge/lattice/edges.jsonl', { callerChunkId: 'ABCDEF0123456789', calleeName: 'load' })
  return { project, deps: { cwd: project.cwd } }
}

test('lines without references, declares and ranges answer in full, with their own ids', (t) => {
  const { project, deps } = sparse(t)
  const [load, main] = project.lines('.forge/lattice/chunks.jsonl')
  const [caller] = latticeCallers({ name: 'load', deps }).chunks
  for (const [name, value] of Object.entries(main)) assert.deepEqual(caller[name], value, name)
  const [callee] = latticeCallees({ chunkId: 'ABCDEF0123456789', deps }).chunks
  for (const [name, value] of Object.entries(load)) assert.deepEqual(callee[name], value, name)
  const blast = latticeBlast({ chunkId: 'chunk-1', deps })
  assert.deepEqual(
    [blast.nodes.map(({ id, distance }) => [id, distance]), blast.edges.map(({ from, to }) => [from, to])],
    [
      [
        ['chunk-1', 0],
        ['ABCDEF0123456789', 1],
      ],
      [['ABCDEF0123456789', 'chunk-1']],
    ],
  )
  assert.deepEqual(names(latticeQuery({ kind: 'block', deps })), ['main'])
})

for (const [language, expected] of [
  ['py', ['load']],
  ['python', ['load']],
  ['mjs', ['main']],
  ['js', []],
  ['javascript', ['main']],
  ['unknown', ['']],
]) {
  test(`the older index has ${expected.length} chunks in ${language}`, (t) => {
    assert.deepEqual(names(latticeQuery({ language, deps: sparse(t).deps })), expected)
  })
}

test('the statistics have the fields of the older tool and no others, and count references', (t) => {
  const { project, deps } = older(t)
  project.append('.forge/lattice/chunks.jsonl', chunk('aaaaaaaaaaaaaaa4', 'gamma', { filePath: 'a/other.js' }))
  const stat = latticeStat({ deps })
  assert.deepEqual([Object.keys(stat).sort(), stat.edges], [Object.keys(NO_INDEX).sort(), 3])
})

test('a path that is not there has no files, and the index stays', async (t) => {
  const { deps, outcome } = await indexed(t)
  const { filesIndexed, anvilMisses } = await latticeIndex({ paths: ['gone', 'gone/too'], deps })
  assert.deepEqual([filesIndexed, anvilMisses], [outcome.filesIndexed, 0])
  await assert.rejects(latticeIndex({ paths: ['../gone'], deps }), { code: 'ERR_LATTICE_PATH_OUTSIDE_REPO' })
})

test('a folder that is not there is an empty answer', async (t) => {
  const deps = { cwd: freshProject(t).at('gone') }
  assert.deepEqual(latticeStat({ deps }), NO_INDEX)
  const { filesIndexed, chunks, edges, anvilHits, anvilMisses } = await latticeIndex({ deps })
  assert.deepEqual([filesIndexed, chunks, edges, anvilHits, anvilMisses], [0, 0, 0, 0, 0])
  assert.equal(latticeQuery({ query: 'x', deps }).total, 0)
})

test('the edges of a blast have from and to, each once', (t) => {
  const { project, deps } = older(t)
  project.append('.forge/lattice/edges.jsonl', { callerChunkId: A, calleeName: 'betaUser' })
  const { edges } = latticeBlast({ name: 'betaUser', deps })
  assert.deepEqual(edges.map(({ from, to }) => [from, to]).sort(), [
    [A, B],
    [B, C],
  ])
})

test('the nodes of a blast are ordered by distance, then by id', (t) => {
  const { project, deps } = older(t)
  project.append('.forge/lattice/chunks.jsonl', chunk('aaaaaaaaaaaaaaa0', 'gamma', { filePath: 'a/first.js' }))
  project.append('.forge/lattice/chunks.jsonl', chunk('aaaaaaaaaaaaaaa9', 'gamma', { filePath: 'a/last.js' }))
  const { nodes } = latticeBlast({ name: 'betaUser', direction: 'callees', deps })
  assert.deepEqual(
    nodes.map(({ id, distance }) => [distance, id]),
    [
      [0, B],
      [1, 'aaaaaaaaaaaaaaa0'],
      [1, C],
      [1, 'aaaaaaaaaaaaaaa9'],
    ],
  )
})

test('the message of a blast says how many, in which direction and how deep', (t) => {
  assert.match(latticeBlast({ name: 'betaUser', depth: 2, deps: older(t).deps }).message, /3.*within 2.*both/)
})

test('an id counts more than a name', (t) => {
  const { deps } = older(t)
  assert.deepEqual(names(latticeCallees({ chunkId: A, name: 'gamma', deps })), ['betaUser'])
  assert.equal(latticeBlast({ chunkId: A, name: 'gamma', direction: 'callees', depth: 1, deps }).nodes[0].id, A)
})

test('without a limit 25 are answered, and 50 of a blast', (t) => {
  const { project, deps } = older(t)
  const id = (n) => `bbbbbbbbbbbbbb${String(n).padStart(2, '0')}`
  const many = Array.from({ length: 60 }, (_, n) => chunk(id(n), `caller${n}`))
  project.append('.forge/lattice/chunks.jsonl', ...many)
  project.append('.forge/lattice/edges.jsonl', ...many.map((one) => ({ callerChunkId: one.id, calleeName: 'gamma' })))
  const query = latticeQuery({ query: 'caller', deps })
  const callers = latticeCallers({ name: 'gamma', deps })
  const blast = latticeBlast({ name: 'gamma', direction: 'callers', depth: 1, deps })
  assert.deepEqual(
    [query.chunks.length, query.truncated, callers.chunks.length, callers.truncated],
    [25, true, 25, true],
  )
  assert.deepEqual([callers.total, blast.nodes.length, blast.total, blast.truncated], [61, 50, 62, true])
})

test('a limit above the maximum of the engine returns that maximum', (t) => {
  const { deps } = older(t)
  const far = { limit: 1_000_000, deps }
  assert.equal(latticeQuery(far).chunks.length, 3)
  assert.equal(latticeCallers({ ...far, name: 'gamma' }).chunks.length, 1)
  assert.equal(latticeCallees({ ...far, name: 'alpha' }).chunks.length, 1)
  const all = { limit: Number.POSITIVE_INFINITY, depth: 1000, name: 'alpha', deps }
  assert.equal(latticeBlast(all).nodes.length, 3)
})

test('callees are limited, and unresolved names are not', (t) => {
  const { project, deps } = older(t)
  project.append('.forge/lattice/edges.jsonl', { callerChunkId: B, calleeName: 'alpha' })
  const { chunks, total, truncated, unresolvedNames } = latticeCallees({ name: 'betaUser', limit: 1, deps })
  assert.deepEqual([chunks.length, total, truncated, unresolvedNames], [1, 3, true, ['unknownName']])
})

test('several words are one text, which no name contains', (t) => {
  const { chunks, message } = latticeQuery({ query: 'user beta', deps: older(t).deps })
  assert.deepEqual(chunks, [])
  assert.match(message, /no results for "user beta"/)
})

test('a query does not tell upper from lower case', (t) => {
  assert.deepEqual(names(latticeQuery({ query: 'ALPHA', deps: older(t).deps })), ['alpha'])
})

test('answers to words have a score, and lists have none', (t) => {
  const { deps } = older(t)
  assert.equal(typeof latticeQuery({ query: 'alpha', deps }).chunks[0].score, 'number')
  assert.equal(latticeQuery({ deps }).chunks[0].score, undefined)
})

test('filters are combined', (t) => {
  const { deps } = older(t)
  assert.equal(latticeQuery({ kind: 'function', filePath: 'gamma', deps }).total, 1)
  assert.equal(latticeQuery({ kind: 'class', filePath: 'gamma', deps }).total, 0)
})

test('a rewritten index is read again', (t) => {
  const { project, deps } = older(t)
  assert.equal(latticeQuery({ deps }).total, 3)
  project.append('.forge/lattice/chunks.jsonl', chunk('aaaaaaaaaaaaaaa4', 'delta'))
  assert.deepEqual(names(latticeQuery({ query: 'delta', deps })), ['delta'])
})

test('invalid lines are skipped', (t) => {
  const { project, deps } = older(t)
  project.write('.forge/lattice/chunks.jsonl', `garbage\n{"id":7}\n${JSON.stringify(chunk(A, 'alpha'))}\n`)
  assert.deepEqual(names(latticeQuery({ deps })), ['alpha'])
})

for (const [name, ask, asked] of [
  ['latticeCallers without a name', latticeCallers, {}],
  ['latticeCallees without a seed', latticeCallees, {}],
  ['latticeCallers of a name that is not there', latticeCallers, { name: 'nobody' }],
  ['latticeQuery with a limit below zero', latticeQuery, { limit: -1 }],
  ['latticeQuery with a number as query', latticeQuery, { query: 7 }],
  ['latticeQuery of a language that there is not', latticeQuery, { language: 'klingon' }],
  ['latticeCallees of an id that is none', latticeCallees, { chunkId: '../..' }],
]) {
  test(`${name} is empty, and says why`, (t) => {
    const { chunks, total, message } = ask({ ...asked, deps: older(t).deps })
    assert.deepEqual([chunks, total], [[], 0])
    assert.ok(message.length > 0)
  })
}

test('latticeBlast without a seed is empty, and says why', (t) => {
  const { nodes, message } = latticeBlast({ deps: older(t).deps })
  assert.deepEqual(nodes, [])
  assert.ok(message.length > 0)
})

for (const [text, expected] of [
  ['getUserById', ['get', 'user', 'by', 'id']],
  ['HTTPServer', ['http', 'server']],
  ['snake_case name', ['snake', 'case', 'name']],
  ['', []],
]) {
  test(`"${text}" is searched as ${expected.join(' ')}`, () =>
    assert.deepEqual([...tokenizeForSearch(text).keys()], expected))
}

test('the name counts more than the path, and nothing more than 1', () => {
  const inName = scoreChunk('user', { name: 'user', filePath: 'src/a.js' })
  const inPath = scoreChunk('user', { name: 'other', filePath: 'src/user.js' })
  assert.ok(inName > inPath && inPath > 0 && inName <= 1)
  assert.equal(scoreChunk('', { name: 'user', filePath: 'a' }), 0)
})

test('the words of a text are counted', () => {
  assert.deepEqual(
    [...tokenizeForSearch('user getUser HTTP2Server')],
    [
      ['user', 2],
      ['get', 1],
      ['http2', 1],
      ['server', 1],
    ],
  )
})

for (const [query, found, expected] of [
  ['user', { name: 'user', filePath: 'a/b.js' }, 2 / 3],
  ['user', { name: 'other', filePath: 'a/user.js' }, 1 / 3],
  ['user', { name: 'getUser', filePath: 'a/user.js' }, 1],
  ['get user', { name: 'getUser', filePath: 'a/b.js' }, 2 / 3],
  ['get order', { name: 'getUser', filePath: 'a/b.js' }, 1 / 3],
  ['zebra', { name: 'getUser', filePath: 'a/b.js' }, 0],
]) {
  test(`"${query}" is worth ${expected.toFixed(3)} in ${found.name} of ${found.filePath}`, () => {
    assert.ok(Math.abs(scoreChunk(query, found) - expected) < 1e-9)
  })
}

test('there is one chunker, and resetting it does nothing', () => assert.equal(_resetChunkerForTesting(), undefined))
