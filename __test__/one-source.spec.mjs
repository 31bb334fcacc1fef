import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { sourcesBelow } from '../scripts/rooms/typescript-imports.mjs'
import { freshFolder, root } from './support/project.mjs'

/** Lists the files of lib/ with a line that matches. */
function filesWith(pattern) {
  const folder = join(root, 'lib')
  return sourcesBelow(folder).filter((file) => pattern.test(readFileSync(join(folder, file), 'utf8')))
}

test('one file knows how the code and the message of an error are read', () => {
  assert.deepEqual(filesWith(/function codeOf|as \{ code\?|ErrnoException\)\.code/), ['shared/problem.ts'])
  assert.deepEqual(filesWith(/instanceof Error \? \w+\.message : String/), ['shared/problem.ts'])
})

test("one file knows where the user's own folder is", () => {
  // The modules that `init` writes for hosts find it by themselves.
  assert.deepEqual(filesWith(/process\.env\.FORGE_HOME|homedir\(\)/), ['init/plugins.ts', 'shared/home.ts'])
})

test('the engine and TypeScript find the same folder of the user', (t) => {
  const folder = realpathSync(freshFolder(t))
  const script = `
    const { forgeHome } = require(${JSON.stringify(join(root, 'dist/shared/home.js'))})
    const { memoryStatus } = require(${JSON.stringify(join(root, 'dist/index.js'))})
    console.log(JSON.stringify([forgeHome(), memoryStatus({ projectDir: '.' }).home]))`
  for (const FORGE_HOME of [join(folder, 'absolute'), 'relative', '', undefined]) {
    const env = { ...process.env, HOME: folder, USERPROFILE: folder, FORGE_HOME }
    if (FORGE_HOME === undefined) delete env.FORGE_HOME
    const { stdout, stderr } = spawnSync(process.execPath, ['-e', script], { cwd: folder, env, encoding: 'utf8' })
    assert.equal(stderr, '')
    const [ours, engines] = JSON.parse(stdout)
    assert.equal(ours, engines, `FORGE_HOME=${FORGE_HOME}`)
  }
})

test('one file spells which characters are dangerous, and one cuts between characters', () => {
  assert.deepEqual(filesWith(/\\u034[ef]|\\u200[b-f]|\\u202[a-e]|\\x1b|\\u001b|\\p\{C[cf]?\}/), [
    'cli/page/terminal.ts',
    'hub/event.ts',
    'text/hidden.ts',
  ])
  assert.deepEqual(filesWith(/\\u[dD]800/), ['shared/line.ts'])
})
