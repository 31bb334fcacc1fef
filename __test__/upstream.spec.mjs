// The parts of scripts/upstream.mjs: modules of Plan Forge become facades, and what its tests do with them is classified.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'node:test'
import { pathToFileURL } from 'node:url'
import { classify } from '../scripts/upstream/classify.mjs'
import { exportsOf, measures, replaceModules } from '../scripts/upstream/facade.mjs'
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
  const replaced = replaceModules(folder, entry, ['tokenize', 'captureMemory'])
  assert.deepEqual(replaced, { 'pforge-mcp/memory.mjs': ['tokenize'] })
  const facade = await import(pathToFileURL(join(folder, 'pforge-mcp/memory.mjs')).href)
  assert.deepEqual([...facade.tokenize('ours').keys()], ['ours'])
  assert.deepEqual([facade.late, typeof facade.renamed], [7, 'function'])
  assert.ok(measures("import { x } from '../memory.mjs'", replaced))
  assert.ok(!measures("import { x } from '../other-memory.mjs.txt'", replaced))
})

test('tests are classified by what they did before and after', () => {
  const report = (file, tests) => ({
    testResults: Object.entries(tests).map(([fullName, [status, failure]]) => ({
      name: file,
      assertionResults: [{ fullName, status, failureMessages: failure ? [failure] : [] }],
    })),
  })
  const own = report('m.test.mjs', { a: ['passed'], b: ['passed'], c: ['passed'], d: ['failed', 'x'], e: ['skipped'] })
  const ours = report('m.test.mjs', {
    a: ['passed'],
    b: ['failed', 'hub._deliverResponse is not a function'],
    c: ['failed', 'expected 1\nto be 2'],
    d: ['failed', 'x'],
    e: ['skipped'],
  })
  assert.deepEqual(
    classify(own, ours, () => true),
    {
      passes: ['m.test.mjs > a'],
      onPurpose: ['m.test.mjs > b (`_deliverResponse` is private)'],
      fails: ['m.test.mjs > c\n    expected 1'],
      failsWithItsOwnModules: ['m.test.mjs > d'],
      skipped: ['m.test.mjs > e'],
      unrelated: 0,
    },
  )
  // A test of another file counts only when it changes.
  const elsewhere = classify(own, ours, () => false)
  assert.deepEqual([elsewhere.unrelated, elsewhere.onPurpose.length, elsewhere.fails.length], [3, 1, 1])
  assert.match(classify(own, { testResults: [] }, () => true).fails[0], /could not be loaded/)
})

test('without a checkout the command says what it wants', () => {
  for (const args of [[], ['--upstream'], ['--upstream', root]]) {
    const { status, stderr } = spawnSync(process.execPath, [join(root, 'scripts/upstream.mjs'), ...args], {
      encoding: 'utf8',
    })
    assert.deepEqual([status, /^usage: node scripts\/upstream\.mjs --upstream FOLDER/.test(stderr)], [2, true])
  }
})
