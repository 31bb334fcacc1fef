// JSON with comments comes out of clones: whatever it holds, it is read once, from front to back.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { discoverServer } from '../dist/openbrain/discovery.js'
import { depthOf, withoutComments } from '../dist/shared/json-comments.js'
import { freshCommand } from './support/command.mjs'
import { isWindows } from './support/memory.mjs'
import { freshFolder } from './support/project.mjs'

const MIB = 1 << 20
/** Texts on which a reader that looks ahead, goes back, or calls itself takes for ever. */
const WORST = {
  'comments that begin and never end': '/* '.repeat(MIB / 3),
  'comments that begin inside of values': '[/* '.repeat(MIB / 4),
  'quotes without an end': '"'.repeat(MIB),
  'a string of backslashes': `"${'\\'.repeat(MIB)}`,
  'blanks behind a comma': `[1,${' '.repeat(MIB)}x`,
  'commas with blanks': ', '.repeat(MIB / 2),
  'lists inside of lists': '['.repeat(MIB),
  'line comments': '//\n'.repeat(MIB / 3),
  slashes: '/'.repeat(MIB),
  'blank lines': `{${'\n'.repeat(MIB)}`,
}

for (const [what, text] of Object.entries(WORST)) {
  // The limit only tells a machine that is busy from a reader that never comes back.
  test(`${what} are read in one pass`, { timeout: 120_000 }, (t) => {
    const folder = freshFolder(t)
    assert.ok(withoutComments(text).length <= text.length)
    assert.ok(depthOf(text) <= text.length)
    writeFileSync(join(folder, '.mcp.json'), text)
    assert.equal(discoverServer(folder), undefined)
    const command = freshCommand(t)
    writeFileSync(join(command.project, '.mcp.json'), text)
    const { status, stderr } = command.run(['init', '--scope', 'project', '--agent', 'claude', '--yes'])
    assert.deepEqual([status, /\(CORRUPT\)/.test(stderr)], [1, true], stderr.slice(0, 300))
  })
}

test('comments and trailing commas are removed, except inside of strings', () => {
  const cases = [
    ['// a\n{"b": "// c", /* d */ "e": [1, 2,], }', { b: '// c', e: [1, 2] }],
    ['{"a": "x\\"/* y */", "b": ",]",}', { a: 'x"/* y */', b: ',]' }],
    ['[1 /* , */ , /* ] */ ]', [1]],
    ['{"a":1,// b\n}', { a: 1 }],
  ]
  for (const [text, value] of cases) assert.deepEqual(JSON.parse(withoutComments(text)), value)
  assert.equal(depthOf('{"a": "[[[", "b": [1, {"c": []}], /* [[[[ */ "d": []}'), 4)
})

test('servers are not searched in files that lead out of the project, and a FIFO does not block', (t) => {
  if (isWindows) return
  const folder = freshFolder(t)
  const project = join(folder, 'project')
  mkdirSync(join(project, '.vscode'), { recursive: true })
  const config = JSON.stringify({ servers: { openbrain: { url: 'http://127.0.0.1:9' } } })
  writeFileSync(join(folder, 'outside.json'), config)
  symlinkSync('../outside.json', join(project, '.mcp.json'))
  execFileSync('mkfifo', [join(project, '.vscode/mcp.json')])
  assert.equal(discoverServer(project), undefined)
  mkdirSync(join(project, '.claude'))
  writeFileSync(join(project, '.claude/mcp.json'), config)
  assert.equal(discoverServer(project)?.url, 'http://127.0.0.1:9')
})
