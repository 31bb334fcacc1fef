// A feature of the rim is its folder and its line: what is left compiles without both.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { cpSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { freshFolder, root } from './support/project.mjs'

const FEATURE = 'plan-forge'

test('a feature is left out by deleting its folder and one line', (t) => {
  const folder = freshFolder(t)
  for (const part of ['lib', 'tsconfig.json', 'package.json', 'index.js', 'index.d.ts'])
    cpSync(join(root, part), join(folder, part), { recursive: true })
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'), 'junction')
  const compile = () => {
    const tsc = join(root, 'node_modules/typescript/bin/tsc')
    return spawnSync(process.execPath, [tsc, '--noEmit', '-p', '.'], { cwd: folder, encoding: 'utf8' }).stdout
  }
  rmSync(join(folder, 'lib', FEATURE), { recursive: true })
  assert.match(compile(), /^lib\/features\.ts.*\n$/, 'one line names it')
  const list = join(folder, 'lib/features.ts')
  const lines = readFileSync(list, 'utf8').split('\n')
  const left = lines.filter((line) => !line.includes(`import('./${FEATURE}/`))
  assert.equal(left.length, lines.length - 1)
  writeFileSync(list, left.join('\n'))
  assert.equal(compile(), '')
})
