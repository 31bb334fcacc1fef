import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import test from 'node:test'
import * as memory from '../dist/index.js'
import { freshCommand, json } from './support/command.mjs'
import { useHome } from './support/home.mjs'
import { freshFolder, root } from './support/project.mjs'

const {
  latticeBlast,
  latticeCallees,
  latticeCallers,
  latticeIndex,
  latticeQuery,
  latticeStat,
  scoreChunk,
  tokenizeForSearch,
} = memory

const FILES = {
  'src/shop.ts': `import { round } from './money'

/** Finds who pays. */
export function findUserById(id: string): number {
  return round(charge(id))
}

function charge(id: string): number {
  return fetch(id)
}
`,
  'src/money.ts': `export function round(n: number): number {
  return n
}

export class Wallet {
  round(): void {
    round(1)
  }
}
`,
  'src/circle.py': `def ping():
    pong()


def pong():
    ping()
`,
}

function write(folder, files) {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
}

function project(t) {
  const folder = freshFolder(t)
  write(folder, FILES)
  return { projectDir: folder }
}

const names = ({ chunks }) => chunks.map(({ owner, name, filePath }) => (owner ? `${owner}.${name}` : name || filePath))

test('indexing resolves to counts, and reports progress', async (t) => {
  const options = project(t)
  const told = []
  const outcome = await latticeIndex(options, (done, total) => told.push([done, total]))
  assert.deepEqual(outcome, {
    filesIndexed: 3,
    filesChanged: 3,
    filesRemoved: 0,
    filesSkipped: 0,
    skipped: {},
    chunks: 10,
    edges: 6,
  })
  await new Promise((resolve) => setImmediate(resolve))
  assert.ok(told.length > 0 && told.every(([done, total]) => done <= total && total === 3), JSON.stringify(told))
  assert.equal((await latticeIndex(options)).filesChanged, 0)
})

test('without an index every question is answered with nothing and a message', (t) => {
  const options = project(t)
  const message = /no index yet/
  assert.match(latticeQuery({ query: 'x', ...options }).message, message)
  for (const ask of [latticeCallers, latticeCallees]) {
    const answer = ask({ name: 'x', ...options })
    assert.deepEqual([answer.chunks, answer.total, answer.truncated], [[], 0, false])
    assert.match(answer.message, message)
  }
  assert.deepEqual(latticeBlast({ name: 'x', ...options }).nodes, [])
  const { chunks, edges, lastIndexedAt, chunkerImpl, languages, hottest } = latticeStat(options)
  assert.deepEqual([chunks, edges, lastIndexedAt, chunkerImpl, languages, hottest], [0, 0, null, null, {}, []])
})

test('words match parts of identifiers in any order, names before bodies', async (t) => {
  const options = project(t)
  await latticeIndex(options)
  const found = latticeQuery({ query: 'user find', ...options })
  assert.equal(found.chunks[0].name, 'findUserById')
  assert.ok(found.chunks[0].score > 0)
  assert.equal(found.chunks[0].doc, 'Finds who pays.')
  assert.equal(names(latticeQuery({ query: 'who pays', ...options }))[0], 'findUserById')
  assert.equal(names(latticeQuery({ query: 'circle', kind: 'function', ...options })).length, 2)
  assert.deepEqual(names(latticeQuery({ kind: 'class', ...options })), ['Wallet'])
  assert.deepEqual(names(latticeQuery({ query: 'round', language: 'ts', kind: 'method', ...options })), [
    'Wallet.round',
  ])
  assert.deepEqual(names(latticeQuery({ language: 'python', filePath: 'CIRCLE', ...options })), [
    'src/circle.py',
    'ping',
    'pong',
  ])
  const cut = latticeQuery({ limit: 2, ...options })
  assert.deepEqual([cut.chunks.length, cut.total, cut.truncated], [2, 10, true])
  assert.deepEqual(latticeQuery({ query: '!?', ...options }).chunks, [])
})

test('callers and callees have a location, a name and a certainty', async (t) => {
  const options = project(t)
  await latticeIndex(options)
  const { chunks, total, truncated } = latticeCallers({ name: 'round', ...options })
  assert.deepEqual([total, truncated], [2, false])
  const [method, user] = chunks
  assert.deepEqual([method.owner, method.resolved, method.callLine], ['Wallet', 'exact', 7])
  assert.deepEqual([user.name, user.resolved, user.callLine], ['findUserById', 'import', 5])
  assert.deepEqual([user.filePath, user.startLine, user.endLine, user.kind], ['src/shop.ts', 4, 6, 'function'])
  assert.equal(user.signature, 'export function findUserById(id: string): number')
  const callees = latticeCallees({ name: 'findUserById', ...options })
  assert.deepEqual(names(callees), ['round', 'charge'])
  assert.deepEqual(latticeCallees({ chunkId: chunks[1].id, ...options }), {
    ...callees,
    message: callees.message.replace('findUserById', chunks[1].id),
  })
  assert.deepEqual(latticeCallees({ name: 'charge', ...options }).unresolvedNames, ['fetch'])
  assert.deepEqual(names(latticeCallers({ name: 'fetch', ...options })), ['charge'])
  assert.deepEqual(names(latticeCallers({ name: 'Wallet.round', ...options })), [])
})

test('a blast follows calls in both directions, terminates on cycles, and names the path', async (t) => {
  const options = project(t)
  await latticeIndex(options)
  const circle = latticeBlast({ name: 'ping', direction: 'callees', depth: 50, ...options })
  assert.deepEqual(
    circle.nodes.map(({ name, distance }) => [name, distance]),
    [
      ['ping', 0],
      ['pong', 1],
    ],
  )
  assert.equal(circle.edges.length, 2)
  const up = latticeBlast({ name: 'charge', direction: 'callers', ...options })
  assert.deepEqual(up.nodes.at(-1).path, ['charge', 'findUserById'])
  const both = latticeBlast({ name: 'findUserById', ...options })
  assert.deepEqual(names({ chunks: both.nodes }).sort(), ['Wallet.round', 'charge', 'findUserById', 'round'].sort())
  assert.deepEqual(both.unresolvedNames, ['fetch'])
  const cut = latticeBlast({ name: 'findUserById', limit: 2, ...options })
  assert.deepEqual([cut.nodes.length, cut.total, cut.truncated], [2, 4, true])
  const shown = new Set(cut.nodes.map(({ id }) => id))
  assert.ok(cut.edges.every(({ from, to }) => shown.has(from) && shown.has(to)))
})

test('the statistics count languages, resolutions and the most called functions', async (t) => {
  const options = project(t)
  await latticeIndex(options)
  const stat = latticeStat(options)
  assert.deepEqual(stat.languages, { typescript: 7, python: 3 })
  assert.deepEqual(stat.resolved, { exact: 4, import: 1, name: 0, none: 1 })
  assert.deepEqual([stat.filesIndexed, stat.chunkerImpl, stat.kinds.file], [3, 'treesitter', 3])
  assert.deepEqual(
    stat.hottest.slice(0, 1).map(({ chunk, callers }) => [chunk.name, callers]),
    [['round', 2]],
  )
  assert.ok(stat.indexBytes > 1000 && !Number.isNaN(Date.parse(stat.lastIndexedAt)))
})

const wrong = [
  [latticeQuery, { limit: -1 }, 'limit'],
  [latticeQuery, { limit: 1.5 }, 'limit'],
  [latticeQuery, { limit: 'many' }, 'limit'],
  [latticeQuery, { limit: Number.NaN }, 'limit'],
  [latticeQuery, { query: 7 }, 'query'],
  [latticeQuery, { language: 'klingon' }, 'language'],
  [latticeQuery, { kind: 'block of wood' }, 'kind'],
  [latticeCallers, {}, 'name'],
  [latticeCallers, { name: ' ' }, 'name'],
  [latticeCallees, { chunkId: '../../etc' }, 'chunkId'],
  [latticeBlast, { name: 'x', direction: 'sideways' }, 'direction'],
  [latticeBlast, { name: 'x', depth: 0 }, 'depth'],
  [latticeBlast, { name: 'x', depth: 51 }, 'depth'],
  [latticeBlast, { name: '\ud800' }, 'name'],
]
for (const [ask, options, field] of wrong) {
  test(`${ask.name} refuses ${JSON.stringify(options)}`, async (t) => {
    const where = project(t)
    await latticeIndex(where)
    assert.throws(() => ask({ ...options, ...where }), { code: 'INVALID_INPUT', message: new RegExp(`^${field}`) })
  })
}

test('a refused run rejects with a code and does not change the index', async (t) => {
  const options = project(t)
  await latticeIndex(options)
  const refused = async (more, code) => assert.rejects(latticeIndex({ ...options, ...more }), { code })
  await refused({ paths: ['../elsewhere'] }, 'ERR_LATTICE_PATH_OUTSIDE_REPO')
  await refused({ since: '--output=x' }, 'INVALID_INPUT')
  await refused({ projectDir: join(options.projectDir, 'nowhere') }, 'INVALID_INPUT')
  assert.throws(() => latticeIndex({ ...options, paths: 'src' }), { code: 'INVALID_INPUT' })
  assert.throws(() => latticeIndex(options, 'loud'), { code: 'INVALID_INPUT' })
  assert.equal(latticeStat(options).chunks, 10)
})

test('words and scores are those of older tools', () => {
  assert.deepEqual(
    [...tokenizeForSearch('getUserById HTTPServer get_user2')],
    [
      ['get', 2],
      ['user', 1],
      ['by', 1],
      ['id', 1],
      ['http', 1],
      ['server', 1],
      ['user2', 1],
    ],
  )
  assert.equal(tokenizeForSearch(undefined).size, 0)
  assert.equal(scoreChunk('get user', { name: 'getUserById', filePath: 'src/user.ts' }), (2 + 0.5) / 3)
  assert.equal(scoreChunk('', { name: 'x' }), 0)
})

test('the command prints what can be clicked, and --json what the library returns', (t) => {
  const command = freshCommand(t)
  write(command.project, FILES)
  assert.match(command.run(['lattice', 'index']).stdout, /^3 files: 3 changed, 0 removed\n10 chunks, 6 edges\n$/)
  assert.match(
    command.run(['lattice', 'query', 'find', 'user']).stdout,
    /^src\/shop\.ts:4 +function +findUserById +export function/m,
  )
  assert.match(command.run(['lattice', 'callers', 'round']).stdout, /^src\/shop\.ts:5 .*\n[\s\S]*2 call round/m)
  assert.match(command.run(['lattice', 'callees', 'charge']).stdout, /outside: fetch/)
  assert.match(
    command.run(['lattice', 'blast', 'charge', '--direction', 'callers', '--depth', '1']).stdout,
    / charge → findUserById$/m,
  )
  // What a change affects are its callers.
  assert.match(command.run(['code', 'blast', 'round']).stdout, / round → /)
  assert.doesNotMatch(command.run(['code', 'blast', 'findUserById']).stdout, /charge/)
  const equal = command.run(['code', 'blast', 'round']).stdout
  const [, one] = /^2 definitions have this name; one of them alone:\n {2}--id (\S+) {2}src\/money\.ts:\d+$/m.exec(
    equal,
  )
  const starts = (...args) => json(command, ['code', 'blast', ...args]).nodes.filter(({ distance }) => distance === 0)
  assert.deepEqual([starts('round').length, starts('--id', one).map(({ id }) => id)], [2, [one]])
  assert.match(command.run(['code', 'stat']).stdout, /edges +6 \(calls and imports\): 4 certain, in the same file, /)
  assert.match(command.run(['lattice', 'stat']).stdout, /typescript +7/)
  const { id } = json(command, ['lattice', 'callers', 'charge']).chunks[0]
  assert.equal(json(command, ['lattice', 'blast', '--id', id]).nodes[0].name, 'findUserById')
  const bad = command.run(['lattice', 'index', '../..'])
  assert.equal(bad.status, 1)
  assert.match(bad.stderr, /\(ERR_LATTICE_PATH_OUTSIDE_REPO\)\nhint: /)
  assert.equal(command.run(['lattice', 'callers']).status, 2)
  assert.equal(command.run(['lattice', 'index', '--since', '-x']).status, 2)
})

test('an index run that is killed leaves a usable index', async (t) => {
  const options = project(t)
  await latticeIndex(options)
  for (let round = 0; round < 6; round += 1) {
    for (let at = 0; at < 60; at += 1)
      write(options.projectDir, { [`many/${at}.js`]: `function f${round}_${at}() { g() }\n`.repeat(50) })
    const script = `require(${JSON.stringify(root)}).latticeIndex(${JSON.stringify(options)})`
    spawnSync(process.execPath, ['-e', script], { timeout: 60 + round * 40, killSignal: 'SIGKILL' })
    assert.ok(latticeQuery({ query: 'findUserById', ...options }).chunks.some(({ name }) => name === 'findUserById'))
  }
  rmSync(join(options.projectDir, 'many'), { recursive: true })
  assert.equal((await latticeIndex(options)).chunks, 10)
  assert.deepEqual(names(latticeCallers({ name: 'charge', ...options })), ['findUserById'])
})

test('a run reports the limit it reached, and invalid limits are refused', async (t) => {
  const command = freshCommand(t)
  useHome(t, command.home)
  write(command.project, FILES)
  const options = { projectDir: command.project }
  const outcome = await latticeIndex({ ...options, maxSeconds: 1e-6 })
  assert.equal(outcome.limit, 'time')
  assert.deepEqual([outcome.filesIndexed, outcome.skipped], [0, { limit: 3 }])
  assert.equal(latticeStat(options).limit, 'time')
  for (const wrong of [{ maxSeconds: 0 }, { maxSeconds: -1 }, { maxMemoryMb: 1 }, { maxMemoryMb: Number.NaN }])
    await assert.rejects(async () => latticeIndex({ ...options, ...wrong }), { code: 'INVALID_INPUT' })
  assert.match(command.run(['lattice', 'stat']).stdout, /incomplete: the run reached the time limit/)
  const limited = command.run(['lattice', 'index', '--max-seconds', '0.000001'])
  assert.match(limited.stdout, /incomplete: .*--max-seconds/)
  assert.match(command.run(['lattice', 'index']).stdout, /3 files/)
  assert.equal(latticeStat(options).limit, undefined)
})

test('no paths index nothing, and a path that is not there is an error', async (t) => {
  const options = project(t)
  const outcome = await latticeIndex({ ...options, paths: [] })
  assert.deepEqual([outcome.filesIndexed, outcome.chunks], [0, 0])
  await assert.rejects(async () => latticeIndex({ ...options, paths: ['nosuch'] }), { code: 'INVALID_INPUT' })
  const { status, stderr } = freshCommand(t).run(['lattice', 'index', 'nosuch'])
  assert.equal(status, 2)
  assert.match(stderr, /there is no file or folder nosuch/)
})

test('a query can be built step by step', async (t) => {
  const options = project(t)
  await latticeIndex(options)
  const builder = new memory.LatticeQueryBuilder().query('find user').kind('function').language('ts').limit(3)
  assert.deepEqual(new memory.LatticeQueryBuilder().build(), { query: '', limit: 25 })
  assert.equal(new memory.LatticeQueryBuilder().describe(), 'everything, limit 25')
  assert.deepEqual(builder.build(), { query: 'find user', kind: 'function', language: 'ts', limit: 3 })
  assert.equal(builder.describe(), '"find user", kind function, language ts, limit 3')
  assert.deepEqual(names(latticeQuery({ ...options, ...builder.build() })), ['findUserById'])
  for (const wrong of [0, -1, 1.5, '3', Number.NaN]) assert.throws(() => builder.limit(wrong), RangeError)
  assert.equal(new memory.LatticeQueryBuilder().filePath('src/').describe(), 'everything, filePath src/, limit 25')
})
