import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import test from 'node:test'
import { readPages } from './support/pages.mjs'
import { freshFolder, root } from './support/project.mjs'
import { namesUsed, programOf, runSamples } from './support/samples.mjs'

const pages = readPages().filter(({ path }) => path.startsWith('docs/reference/api/'))

for (const page of pages) {
  test(`${page.path}: the samples run and return what the page says`, (t) => {
    const { status, stderr, error } = runSamples(page, freshFolder(t))
    assert.equal(error, undefined)
    assert.equal(status, 0, stderr)
  })
}

/** What is exported and needs no sample, with the reason. */
const WITHOUT_SAMPLE = new Map([
  ['forge-memory __napiBindingTarget', 'an implementation detail of the generated loader'],
  ['forge-memory provideAddons', 'the package calls it once, when it is loaded'],
])

/** Every function, class and constant that programs can import, as `module name`. */
function exportedNames() {
  const load = createRequire(import.meta.url)
  const { exports, name } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const entries = Object.entries(exports).filter(([, entry]) => typeof entry === 'object')
  return entries.flatMap(([path, entry]) =>
    Object.keys(load(join(root, entry.default))).map((each) => `${join(name, path)} ${each}`),
  )
}

test('every export of the package has a sample', () => {
  const shown = new Set(pages.flatMap(namesUsed))
  const exported = exportedNames()
  assert.ok(exported.length > 150)
  assert.deepEqual(
    exported.filter((name) => !shown.has(name) && !WITHOUT_SAMPLE.has(name)),
    [],
  )
})

test('a sample that is not used, and an answer that is another one, are found', (t) => {
  const sample = (...lines) => ({ path: 'page.md', blocks: [{ language: 'js', lines, line: 1 }] })
  const unused = sample("import { recall, forget } from 'forge-memory'", "recall('x') // forget")
  assert.deepEqual(namesUsed(unused), ['forge-memory recall'])

  const right = sample('const sum = { a: 1, b: ["x"] } // => { b: [String] }')
  assert.equal(runSamples(right, freshFolder(t)).status, 0)
  const wrong = sample('const sum = [1, 2]', '// => [1, 3]')
  const { status, stderr } = runSamples(wrong, freshFolder(t))
  assert.notEqual(status, 0)
  assert.match(stderr, /page\.md:3/)
  assert.match(programOf(wrong), /\$check\(sum, \[1, 3\], "page\.md:3"\)/)
})
