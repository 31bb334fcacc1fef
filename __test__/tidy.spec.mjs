import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import test from 'node:test'
import { specFiles } from '../scripts/spec-files.mjs'
import { root } from './support/project.mjs'

const GENERATED = /^(index\.js|index\.d\.ts|package-lock\.json|(.*\/)?Cargo\.lock)$/
const CODE = /\.(rs|ts|tsx|mjs|cjs|js|sh|yml)$/
const TEST_CODE = /(^|\/)(__test__|tests|tests\.rs|benches)(\/|$)/
const TEXT = /\.(rs|ts|tsx|mjs|cjs|js|sh|yml|md|toml|json|html|css)$|^\.ci\/run$/
/** A file may be as long as its idea, and no longer. */
const LINES_MAX = 600

/** Everything that is committed or is about to be. */
const files = spawnSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
  cwd: root,
  encoding: 'utf8',
})
  .stdout.split('\n')
  .filter((path) => path !== '' && existsSync(join(root, path)))

const read = (path) => readFileSync(join(root, path), 'utf8')

/** Lists "file:line" for every line that matches; stored data of tests is not ours to word. */
function places(pattern, isSearched = () => true) {
  return files
    .filter((path) => TEXT.test(path) && !GENERATED.test(path) && !/(^|\/)data\//.test(path) && isSearched(path))
    .flatMap((path) => {
      const lines = read(path).split('\n')
      return lines.flatMap((line, at) => (pattern.test(line) ? [`${path}:${at + 1}: ${line.trim()}`] : []))
    })
}

test('git lists the files of this checkout', () => {
  for (const path of ['package.json', 'Cargo.toml', 'lib/index.ts', '__test__/tidy.spec.mjs']) {
    assert.ok(files.includes(path), path)
  }
})

test(`no file of code has more than ${LINES_MAX} lines`, () => {
  const large = files
    .filter((path) => CODE.test(path) && !GENERATED.test(path) && !TEST_CODE.test(path))
    .map((path) => ({ path, lines: read(path).split('\n').length - 1 }))
    .filter(({ lines }) => lines > LINES_MAX)
  assert.deepEqual(large, [])
})

test('no file names a path of a developer machine', () => {
  const unix = ['/root', '/Users/[A-Za-z]+', '/work/(main|shared|scratch|notes)'].join('|')
  assert.deepEqual(places(new RegExp(`(?<![\\w.\\])*])(${unix})/|(${unix})$`), isNotThisFile), [])
})

test('no incomplete file remains', () => {
  assert.deepEqual(
    places(new RegExp(`\\b(${['TO', 'FIX', 'XX'].map((half, at) => half + ['DO', 'ME', 'X'][at]).join('|')})\\b`)),
    [],
  )
  assert.deepEqual(places(/\b(todo|unimplemented)!\(/, isNotThisFile), [])
})

test('no file mentions its origin or the host of a package registry', () => {
  const words = [
    'seed document',
    'the seeds\\b',
    'tool library',
    'helper brief',
    'registry\\.npmjs',
    'crates\\.io',
    'pypi\\.org',
  ]
  assert.deepEqual(places(new RegExp(words.join('|'), 'i'), isNotThisFile), [])
})

test('no test is skipped, and none runs alone', () => {
  const switches =
    /#\[ignore|\b(it|test|describe)\.(skip|todo|only)\b|\{\s*(skip|todo)\s*:|\{\s*only\s*:\s*true|\bt\.(skip|todo)\(/
  assert.deepEqual(places(switches, isNotThisFile), [])
})

test('the runner picks up every JavaScript test', () => {
  const run = specFiles(root).map((path) => path.slice(root.length).replaceAll('\\', '/'))
  const written = files.filter((path) => /\.(spec|test)\.[cm]?[jt]s$/.test(path))
  assert.deepEqual(run.sort(), written.sort())
  const stray = files.filter((path) => path.startsWith('__test__/') && !/^__test__\/(support|data)\//.test(path))
  assert.deepEqual(stray.sort(), run)
})

test('every Rust test file is declared where the compiler looks', () => {
  const beside = files.filter((path) => /^crates\/.*\/src\/.*tests\.rs$/.test(path))
  assert.ok(beside.length > 0)
  const undeclared = beside.filter((path) => {
    const name = basename(path, '.rs')
    const folder = dirname(path)
    const owners = [`${folder}/mod.rs`, `${folder}/lib.rs`, `${folder}.rs`].filter((owner) => files.includes(owner))
    return !owners.some((owner) =>
      new RegExp(`#\\[cfg\\(test\\)\\]\\s*(#\\[[^\\]]*\\]\\s*)*(pub\\(crate\\) )?mod ${name};`).test(read(owner)),
    )
  })
  assert.deepEqual(undeclared, [])
  const manifests = files.filter((path) => /^crates\/[^/]+\/Cargo\.toml$/.test(path))
  for (const path of manifests) assert.doesNotMatch(read(path), /autotests\s*=\s*false/, path)
})

test('every link in the documents leads to a file', () => {
  const documents = files.filter((path) => path.endsWith('.md') && !path.includes('/data/'))
  const broken = documents.flatMap((path) => {
    const links = [...read(path).matchAll(/\]\((?!https?:|#|mailto:)([^)#\s]+)/g)].map((match) => match[1])
    return links.filter((link) => !existsSync(join(root, dirname(path), link))).map((link) => `${path}: ${link}`)
  })
  assert.deepEqual(broken, [])
})

function isNotThisFile(path) {
  return path !== '__test__/tidy.spec.mjs'
}
