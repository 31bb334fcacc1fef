// Which Rust tests a change needs, and which specifications go through what it changes of the addon.
import { execFileSync } from 'node:child_process'
import { readdirSync, statSync } from 'node:fs'
import { join, relative } from 'node:path'

const CRATE = /^crates\/[^/]+(?=\/)/
/** The packages that compile tests of large crates in less time; their manifests say how. */
const COMPILE_QUICKLY = ['forge-memory-tests', 'forge-memory-unit-tests']

/** A few specifications that go through each crate: no coverage of the addon says more. */
const THROUGH = {
  'crates/addon': ['addons'],
  'crates/binding': ['arguments', 'hostile-arguments'],
  'crates/core': ['recall', 'capture', 'edit', 'review', 'report'],
  'crates/embed': ['embed', 'recall-meaning'],
  'crates/grammars': ['lattice', 'lattice-calls'],
  'crates/hook': ['hook-program', 'hooks-end'],
  'crates/inference': ['models', 'embed'],
  'crates/journal': ['locked', 'lock-files', 'damage'],
  'crates/lattice': ['lattice', 'lattice-calls', 'lattice-format'],
  'crates/moment': ['moment', 'moment-rules', 'moment-paths', 'hooks'],
  'crates/project': ['worktrees', 'clone-settings', 'report'],
  'crates/ralph': ['ralph', 'ralph-cli'],
  'crates/record': ['capture', 'edit', 'review', 'import-projects'],
  'crates/redact': ['secrets-in-errors', 'hidden', 'quoted'],
  'crates/settings': ['clone-settings', 'switches'],
  'crates/sqlite-store': ['openbrain-embedded', 'store-use'],
  'crates/text': ['recall', 'first-place', 'capture'],
  'crates/transcripts': ['backfill', 'import-projects'],
}

/** The crate that a file belongs to. */
export const crateOf = (file) => CRATE.exec(file)?.[0]

/** The specifications that go through a crate. */
export const specsThrough = (crate) => (THROUGH[crate] ?? []).map((name) => `__test__/${name}.spec.mjs`)

/** Files that are compiled into the addon. */
export const isCompiled = (file) => /^(src|crates\/[^/]+\/src)\//.test(file)

const addonsIn = (root) => readdirSync(root).filter((name) => /^forge-memory\..+\.node$/.test(name))

export const hasAddon = (root) => addonsIn(root).length > 0

/** Whether the addon in the checkout is older than one of the files, or not there. */
export function isAddonOlder(root, files) {
  const builtAt = Math.max(...addonsIn(root).map((name) => statSync(join(root, name)).mtimeMs))
  return files.some((file) => (statSync(join(root, file), { throwIfNoEntry: false })?.mtimeMs ?? 0) > builtAt)
}

/** The crates that have tests, and the arguments with which cargo runs all tests of these. */
export function rustTests(root, crates) {
  const args = ['metadata', '--no-deps', '--format-version', '1', '--offline']
  const { packages } = JSON.parse(execFileSync('cargo', args, { cwd: root, encoding: 'utf8', maxBuffer: 1 << 28 }))
  return programsIn(root, packages, crates)
}

/** The same, from what cargo says of the packages. Code is tested by the package that compiles it quickly, if one does. */
export function programsIn(root, packages, crates) {
  const programs = packages.flatMap(({ name, targets }) => {
    return targets.filter((target) => target.test).map((target) => programOf(root, name, target))
  })
  const own = programs.filter(({ crate }) => crates.includes(crate))
  const quick = new Set(own.filter(({ isQuick }) => isQuick).map(({ source }) => source))
  const wanted = own.filter(({ source, isQuick }) => isQuick || !quick.has(source))
  const names = new Set(wanted.map(({ name }) => name))
  const options = new Set(wanted.map(({ option }) => option))
  return {
    tested: [...new Set(wanted.map(({ crate }) => crate))],
    args: [...[...names].flatMap((name) => ['-p', name]), ...[...options].flatMap((option) => option.split(' '))],
  }
}

/** A program of tests: its package, the option that names it, and the folder whose code it tests. */
function programOf(root, name, { kind, name: target, src_path }) {
  const source = relative(root, src_path).replaceAll('\\', '/')
  const option = kind.includes('test') ? `--test ${target}` : kind.includes('bin') ? `--bin ${target}` : '--lib'
  return { name, option, source, crate: crateOf(source), isQuick: COMPILE_QUICKLY.includes(name) }
}
