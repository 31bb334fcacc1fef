// The parts of scripts/upstream.mjs: modules of Plan Forge become facades, and what its tests do with them is classified.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'node:test'
import { pathToFileURL } from 'node:url'
import { classify } from '../scripts/upstream/classify.mjs'
import { exportsOf, measures, nothingInstead, replaceModules } from '../scripts/upstream/facade.mjs'
import { packagesIn, testsBelow } from '../scripts/upstream/packages.mjs'
import { root } from './support/project.mjs'

test('a facade has our functions under their names, and the rest of the original', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'upstream-'))
  t.after(() => rmSync(folder, { recursive: true }))
  mkdirSync(join(folder, 'pforge-mcp'))
  const source = `export function tokenize() { return 'theirs' }
export async function other() {}
const late = 7
export { late, other as renamed }
`
  writeFileSync(join(folder, 'pforge-mcp/memory.mjs'), source)
  assert.deepEqual(exportsOf(source), ['tokenize', 'other', 'late', 'renamed'])
  const entry = join(root, 'dist/plan-forge/index.js')
  const replaced = replaceModules(folder, ['tokenize', 'captureMemory'], entry)
  assert.deepEqual(replaced, { 'pforge-mcp/memory.mjs': ['tokenize'] })
  const facade = await import(pathToFileURL(join(folder, 'pforge-mcp/memory.mjs')).href)
  assert.deepEqual([...facade.tokenize('ours').keys()], ['ours'])
  assert.deepEqual([facade.late, typeof facade.renamed], [7, 'function'])
  assert.ok(measures("import { x } from '../memory.mjs'", replaced))
  assert.ok(!measures("import { x } from '../other-memory.mjs.txt'", replaced))
})

test('functions that throw take the place of the same names', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'upstream-'))
  t.after(() => rmSync(folder, { recursive: true }))
  mkdirSync(join(folder, 'pforge-mcp'))
  writeFileSync(join(folder, 'pforge-mcp/hub.mjs'), 'export class Hub {}\nexport const kept = 7\n')
  assert.deepEqual(nothingInstead(folder, ['Hub']), { 'pforge-mcp/hub.mjs': ['Hub'] })
  const { Hub, kept } = await import(pathToFileURL(join(folder, 'pforge-mcp/hub.mjs')).href)
  assert.throws(() => new Hub(), /Hub is not there/)
  assert.equal(kept, 7)
})

test('the runner is found in a package, and for a workspace in its root', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'upstream-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const write = (path, text) => {
    mkdirSync(join(folder, path, '..'), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
  write('mcp/package.json', '{"devDependencies":{"vitest":"3"}}')
  write('sdk/package.json', '{"scripts":{"test":"vitest run"}}')
  write('docs/package.json', '{}')
  write('mcp/tests/a.test.mjs', '')
  write('mcp/node_modules/x/b.test.mjs', '')
  assert.deepEqual(packagesIn(folder), [])
  write('node_modules/vitest/vitest.mjs', '')
  const inRoot = join(folder, 'node_modules/vitest/vitest.mjs')
  assert.deepEqual(packagesIn(folder), [
    { name: 'mcp', vitest: inRoot },
    { name: 'sdk', vitest: inRoot },
  ])
  write('mcp/node_modules/vitest/vitest.mjs', '')
  assert.deepEqual(packagesIn(folder)[0], { name: 'mcp', vitest: join(folder, 'mcp/node_modules/vitest/vitest.mjs') })
  assert.deepEqual(testsBelow(join(folder, 'mcp')), ['tests/a.test.mjs'])
})

test('tests are classified by what they did before and after, and without us', () => {
  const report = (file, tests) => ({
    testResults: Object.entries(tests).map(([fullName, [status, failure]]) => ({
      name: file,
      assertionResults: [{ fullName, status, failureMessages: failure ? [failure] : [] }],
    })),
  })
  const own = report('hub-ask.test.mjs', {
    a: ['passed'],
    b: ['passed'],
    c: ['passed'],
    d: ['failed', 'x'],
    e: ['skipped'],
    f: ['passed'],
  })
  const ours = report('hub-ask.test.mjs', {
    a: ['passed'],
    b: ['failed', 'hub._deliverResponse is not a function'],
    c: ['failed', 'expected 1\nto be 2'],
    d: ['failed', 'x'],
    e: ['skipped'],
    f: ['passed'],
  })
  const throwing = report('hub-ask.test.mjs', { a: ['failed', 'Hub is not there'], f: ['passed'] })
  assert.deepEqual(
    classify(own, ours, throwing, () => true),
    {
      passes: ['hub-ask.test.mjs > a'],
      passesWithoutUs: ['hub-ask.test.mjs > f'],
      onPurpose: ['hub-ask.test.mjs > b (`_deliverResponse` is private)'],
      fails: ['hub-ask.test.mjs > c\n    expected 1'],
      failsWithItsOwnModules: ['hub-ask.test.mjs > d'],
      skipped: ['hub-ask.test.mjs > e'],
      unrelated: 0,
    },
  )
  // A test of another file counts only when it changes.
  const elsewhere = classify(own, ours, throwing, () => false)
  assert.deepEqual([elsewhere.unrelated, elsewhere.onPurpose.length, elsewhere.fails.length], [4, 1, 1])
  assert.match(classify(own, { testResults: [] }, throwing, () => true).fails[0], /could not be loaded/)
})

for (const [file, failure, reason] of [
  [
    'tests/capture-memory-issue-205.test.mjs',
    'expected openbrain-queue.jsonl not to exist',
    'the queue fills without a store',
  ],
  [
    'tests/capture-memory-issue-205.test.mjs',
    'expected undefined to be 1: _attempts',
    'the back-off is kept beside the queue',
  ],
  ['tests/g3-gx.test.mjs', 'validateSourceFormat: expected true to be false', 'any tool is a valid source'],
]) {
  test(`${reason}: that is on purpose`, () => {
    const report = (status, failureMessages) => ({
      testResults: [{ name: file, assertionResults: [{ fullName: 'x', status, failureMessages }] }],
    })
    const { onPurpose } = classify(report('passed', []), report('failed', [failure]), report('failed', []), () => true)
    assert.deepEqual(onPurpose, [`${file} > x (${reason})`])
  })
}

test('without a checkout the command says what it wants', () => {
  for (const args of [[], ['--upstream'], ['--upstream', root]]) {
    const { status, stderr } = spawnSync(process.execPath, [join(root, 'scripts/upstream.mjs'), ...args], {
      encoding: 'utf8',
    })
    assert.deepEqual([status, /^usage: node scripts\/upstream\.mjs --upstream FOLDER/.test(stderr)], [2, true])
  }
})
