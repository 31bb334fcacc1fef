import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdirSync, renameSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { fingerprint, readStamps, writeStamps } from '../scripts/setup/fingerprint.mjs'
import { stepsNow } from '../scripts/setup/prepare.mjs'
import { run } from '../scripts/setup/run.mjs'
import { freshFolder, root } from './support/project.mjs'

test('a fingerprint follows names and bytes, not times', (t) => {
  const folder = freshFolder(t)
  mkdirSync(join(folder, 'src', 'deep'), { recursive: true })
  writeFileSync(join(folder, 'src', 'deep', 'a'), 'one')
  writeFileSync(join(folder, 'src', 'b'), 'two')
  const first = fingerprint(folder, ['src', 'absent'])
  utimesSync(join(folder, 'src', 'b'), 1, 1)
  assert.equal(fingerprint(folder, ['src', 'absent']), first)
  assert.notEqual(fingerprint(folder, ['src', 'absent'], 'another compiler'), first)
  renameSync(join(folder, 'src', 'b'), join(folder, 'src', 'c'))
  const renamed = fingerprint(folder, ['src', 'absent'])
  assert.notEqual(renamed, first)
  writeFileSync(join(folder, 'src', 'c'), 'TWO')
  assert.notEqual(fingerprint(folder, ['src', 'absent']), renamed)
})

test('invalid stamps are ignored', (t) => {
  const folder = freshFolder(t)
  assert.deepEqual(readStamps(folder), {})
  writeStamps(folder, { engine: { inputs: 'a', outputs: 'b' } })
  assert.deepEqual(readStamps(folder), { engine: { inputs: 'a', outputs: 'b' } })
  writeFileSync(join(folder, 'node_modules', '.cache', 'forge-memory', 'setup.json'), '{"engine":')
  assert.deepEqual(readStamps(folder), {})
})

test('where the databases are left for later, the engine is built without them', (t) => {
  const names = (later) => stepsNow(freshFolder(t), later).map(({ name }) => name)
  assert.deepEqual(names(['engine', 'addons']), ['packages', 'engine alone', 'programs'])
  assert.deepEqual(names([]), ['packages', 'engine', 'programs', 'addons'])
})

test('a failing set-up step shows its output without colours', async (t) => {
  const said = []
  t.mock.method(console, 'error', (text) => said.push(text))
  t.mock.method(console, 'log', () => undefined)
  const script = `for (let at = 0; at < 100; at += 1) console.log('line ' + at); console.error('\\u001b[31mred\\u001b[0m'); process.exit(3)`
  const step = { command: process.execPath, args: ['-e', script] }
  await assert.rejects(run('[1/1] trying', step, root), {
    message: /^\[1\/1\] trying failed after [\d.]+ s \(exit 3\)$/,
  })
  const lines = said.join('\n').split('\n')
  assert.ok(lines.includes('  | line 0') && lines.includes('  | line 99') && lines.includes('  | red'), said.join('\n'))
  assert.ok(lines.length < 60)
})

test('without Rust the answer is what to install', () => {
  const env = { ...process.env, PATH: '', Path: '' }
  const { status, stderr } = spawnSync(process.execPath, [join(root, 'scripts', 'test.mjs')], { encoding: 'utf8', env })
  assert.equal(status, 1)
  assert.match(stderr, /^error: Rust is needed to build the engine, but cargo was not found\nhint: install it from /)
})
