import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { parsePage } from './support/pages.mjs'
import { root } from './support/project.mjs'

const read = (path) => readFileSync(join(root, path), 'utf8')

/** The names in the first column of the tables of dependencies, each with its reason. */
function reasons() {
  const { headings, lines } = parsePage('', read('ARCHITECTURE.md'))
  const start = headings.find(({ title }) => title.startsWith('Dependencies')).line
  const rows = lines.filter(({ text, line }) => line > start && /^\| (?!crate |npm package |-)/.test(text))
  return new Map(
    rows.flatMap(({ text }) => {
      const [names, reason] = text.split('|').slice(1)
      const bare = names.replace(/\([^)]*\)/g, '').replace('and its grammars', ', tree-sitter-*')
      return bare.split(',').flatMap((name) => (name.trim() === '' ? [] : [[name.trim(), reason.trim()]]))
    }),
  )
}

function npmPackages() {
  const { dependencies, devDependencies, optionalDependencies, peerDependencies } = JSON.parse(read('package.json'))
  return Object.keys({ ...dependencies, ...devDependencies, ...optionalDependencies, ...peerDependencies })
}

function crates() {
  const { stdout } = spawnSync('git', ['ls-files', '*Cargo.toml'], { cwd: root, encoding: 'utf8' })
  const manifests = stdout.split('\n').filter((path) => path !== '')
  const names = manifests.flatMap((path) => dependenciesIn(read(path)))
  return [...new Set(names)].filter((name) => !name.startsWith('forge-memory'))
}

/** The names in every section of a manifest that lists dependencies, those of one system included. */
function dependenciesIn(manifest) {
  let isList = false
  return manifest.split('\n').flatMap((line) => {
    const [, section] = /^\[(.+)\]$/.exec(line) ?? []
    if (section !== undefined) {
      const [, name] = /dependencies\.([\w-]+)$/.exec(section) ?? []
      isList = /(^|[.-])dependencies$/.test(section)
      return name === undefined ? [] : [name]
    }
    const [, name] = /^([\w-]+)(?:\.\w+)? *=/.exec(line) ?? []
    return isList && name !== undefined ? [name] : []
  })
}

test('the dependencies of a manifest are found in all its sections', () => {
  const manifest = '[package]\nname = "x"\n[dependencies]\na = "1"\nb.workspace = true\n[dev-dependencies]\nc = "1"\n'
  const others =
    '[target.\'cfg(unix)\'.dependencies]\nd = "1"\n[build-dependencies.e]\nversion = "1"\n[lints]\nf = "1"\n'
  assert.deepEqual(dependenciesIn(manifest + others), ['a', 'b', 'c', 'd', 'e'])
})

test('every dependency has a line with its reason in ARCHITECTURE.md', () => {
  const known = reasons()
  const used = [...npmPackages(), ...crates()]
  assert.ok(used.length > 90, `${used.length} dependencies`)
  const isKnown = (name) => known.get(name) || (name.startsWith('tree-sitter-') && known.get('tree-sitter-*'))
  assert.deepEqual(
    used.filter((name) => !isKnown(name)),
    [],
  )
})

test('every line of the tables names a dependency', () => {
  const used = new Set([...npmPackages(), ...crates(), 'tree-sitter-*'])
  assert.deepEqual(
    [...reasons().keys()].filter((name) => !used.has(name)),
    [],
  )
})
