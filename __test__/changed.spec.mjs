// `npm test -- --changed`: which tests a change needs.
import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import test from 'node:test'
import { changedFiles } from '../scripts/changed/git.mjs'
import { planFor } from '../scripts/changed/plan.mjs'
import { runSpecs } from '../scripts/changed/run.mjs'
import { isAddonOlder, programsIn, specsThrough } from '../scripts/changed/rust.mjs'
import { selectSpecs } from '../scripts/changed/select.mjs'
import { readTable, writeTable } from '../scripts/changed/table.mjs'
import { sourcesBelow } from '../scripts/rooms/typescript-imports.mjs'
import { testArguments } from '../scripts/setup/command-line.mjs'
import { specFiles } from '../scripts/spec-files.mjs'
import { touchedIn } from '../scripts/test-table/touched.mjs'
import { freshFolder, root } from './support/project.mjs'

const FILES = {
  'lib/find.ts': `import { words } from './words.js'`,
  'lib/words.ts': '',
  'docs/page.md': '',
  '__test__/find.spec.mjs': `import { find } from '../dist/find.js'`,
  '__test__/help.spec.mjs': `import { home } from './support/home.mjs'`,
  '__test__/pages.spec.mjs': `import { home } from './support/home.mjs'`,
  '__test__/support/home.mjs': `export * from './place.mjs'`,
  '__test__/support/place.mjs': '',
}
const TABLE = {
  find: { seconds: 3, files: ['lib/find.ts'] },
  help: { seconds: 2, files: ['lib/find.ts', 'lib/words.ts', 'docs/page.md', 'src/recall.rs()'] },
  pages: { seconds: 70, files: ['docs/page.md', 'docs/*', 'lib/find.ts'] },
}

/** A repository with specifications and a table, all committed. */
function freshRepository(t, files = FILES, table = TABLE) {
  const folder = freshFolder(t)
  const write = (name, text = `// ${Math.random()}`) => {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), text)
  }
  const git = (...args) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b.invalid', ...args], { cwd: folder })
  const commit = () => git('commit', '--quiet', '--message', 'more')
  for (const [name, text] of Object.entries(files)) write(name, text)
  write('scripts/changed/table.json')
  writeTable(folder, new Map(Object.entries(table)))
  git('init', '--quiet', '--initial-branch', 'main')
  git('add', '.')
  commit()
  return { folder, write, git, commit }
}

const short = (specs) => specs.map(({ name }) => name.replace(/^__test__\/(.*)\.spec\.mjs$/, '$1'))
const wantedFor = (folder, changed) => short(selectSpecs(folder, changed).wanted)

test('what is changed is what differs from the commit, in the folder and the index, and what git does not know', (t) => {
  const { folder, write, git, commit } = freshRepository(t)
  assert.deepEqual(changedFiles(folder, 'HEAD'), [])
  write('lib/words.ts')
  git('add', '.')
  commit()
  write('docs/page.md')
  git('add', '.')
  write('docs/ä page.md')
  rmSync(join(folder, '__test__/help.spec.mjs'))
  renameSync(join(folder, 'lib/find.ts'), join(folder, 'lib/found.ts'))
  const now = ['__test__/help.spec.mjs', 'docs/page.md', 'docs/ä page.md', 'lib/find.ts', 'lib/found.ts']
  assert.deepEqual(changedFiles(folder, 'HEAD'), now)
  assert.deepEqual(changedFiles(folder, 'HEAD^'), [...now, 'lib/words.ts'])
  assert.throws(() => changedFiles(folder, 'none'), { message: '--changed: git knows no commit none' })
  assert.throws(() => changedFiles(folder, '--output=x'), { message: '--changed: git knows no commit --output=x' })
})

test('the specifications that touch a changed file run, those that touch least first, and a changed one before all', (t) => {
  const { folder } = freshRepository(t)
  assert.deepEqual(wantedFor(folder, ['lib/find.ts']), ['find', 'pages', 'help'])
  assert.deepEqual(wantedFor(folder, ['lib/words.ts']), ['help'])
  assert.deepEqual(wantedFor(folder, ['lib/find.ts', '__test__/help.spec.mjs']), ['help', 'find', 'pages'])
})

test('those that ask for something in a changed file by its name run before the others', (t) => {
  const { folder, write } = freshRepository(t)
  write('lib/find.ts', `export const routes = ['./words.js', '/api/find']`)
  write('__test__/help.spec.mjs', `fetch('http://localhost/api/find')`)
  assert.deepEqual(wantedFor(folder, ['lib/find.ts']), ['help', 'find', 'pages'])
})

test('what does not fit into the time is named as not run, but a changed specification runs, and one that fails is told', async (t) => {
  const passing = `import test from 'node:test'\ntest('one', () => {})`
  const failing = `import test from 'node:test'\ntest('two', () => { throw new Error('no') })`
  const specs = {
    '__test__/find.spec.mjs': passing,
    '__test__/help.spec.mjs': failing,
    '__test__/pages.spec.mjs': passing,
  }
  const { folder } = freshRepository(t, specs)
  const { NODE_TEST_CONTEXT, ...env } = process.env
  const run = async (changed, secondsMax) => {
    const said = []
    const { wanted } = selectSpecs(folder, changed)
    const { failed, left } = await runSpecs(folder, wanted, { env, secondsMax, say: (line) => said.push(line.trim()) })
    return { failed, left: short(left), said: said.join('\n') }
  }
  const none = await run(['lib/find.ts'], 0)
  assert.deepEqual([none.failed, none.left], [false, ['find', 'pages', 'help']])
  assert.equal(none.said, 'not run, beyond 0 s: find, pages, help; npm test runs all')
  const own = await run(['lib/find.ts', '__test__/pages.spec.mjs'], 0)
  assert.deepEqual([own.failed, own.left], [false, ['find', 'help']])
  assert.match(own.said, /^passed: pages /)
  const all = await run(['lib/find.ts'], 1000)
  assert.deepEqual([all.failed, all.left], [true, []])
  for (const part of [/^passed: find /m, /Error: no\n/, /^FAILED: help$/m, /^FAILED: __test__\/help.spec.mjs$/m]) {
    assert.match(all.said, part)
  }
})

test('a changed helper runs the specifications that import it', (t) => {
  const { folder } = freshRepository(t)
  assert.deepEqual(wantedFor(folder, ['__test__/support/place.mjs']), ['pages', 'help'])
})

test('a specification or a file that the table does not know is found by imports and by folders', (t) => {
  const { folder, write } = freshRepository(t)
  write('__test__/fresh.spec.mjs', `import { find } from '../dist/find.js'`)
  assert.deepEqual(wantedFor(folder, ['lib/words.ts']), ['fresh', 'help'])
  write('lib/find.ts', `import './renamed.js'`)
  write('lib/renamed.ts')
  assert.deepEqual(wantedFor(folder, ['lib/renamed.ts']), ['find', 'fresh'])
  const { wanted, unknown } = selectSpecs(folder, ['docs/new.md', 'docs/deep/new.md'])
  assert.deepEqual([short(wanted), unknown], [['pages'], ['docs/deep/new.md']])
  write('docs/deep/new.md')
  write('package.json')
  const lines = planFor(folder, 'HEAD').lines.slice(-2)
  assert.deepEqual(lines, [
    'package.json may touch every test; npm test runs all',
    'no test is known for docs/deep/new.md; npm test runs all',
  ])
})

test('a function of the addon runs those who call it, once the addon is newer than the change', (t) => {
  const { folder, write } = freshRepository(t, { ...FILES, '.gitignore': '*.node' })
  write('src/recall.rs')
  assert.ok(isAddonOlder(folder, ['src/recall.rs']))
  const older = planFor(folder, 'HEAD')
  assert.deepEqual(older.specs, [])
  assert.match(older.lines.at(-1), /older than the change; npm run build:debug/)
  write('forge-memory.linux-x64-gnu.node')
  utimesSync(join(folder, 'forge-memory.linux-x64-gnu.node'), new Date(), new Date(Date.now() + 10_000))
  assert.deepEqual(short(planFor(folder, 'HEAD').specs), ['help'])
})

test('the tests of a crate are those that its package has, or the package that compiles them quickly', () => {
  const target = (name, kind, source) => ({ name, kind: [kind], src_path: join(root, 'crates', source), test: true })
  const packages = [
    {
      name: 'forge-memory-core',
      targets: [
        target('forge_memory_core', 'lib', 'core/src/lib.rs'),
        target('engine', 'test', 'core/tests/engine/main.rs'),
      ],
    },
    {
      name: 'forge-memory-redact',
      targets: [
        target('forge_memory_redact', 'lib', 'redact/src/lib.rs'),
        target('redaction', 'test', 'redact/tests/redaction.rs'),
      ],
    },
    { name: 'forge-memory-tests', targets: [target('engine', 'test', 'core/tests/engine/main.rs')] },
    { name: 'forge-memory-unit-tests', targets: [target('units_of_core', 'test', 'core/src/lib.rs')] },
    {
      name: 'forge-memory-test-disk',
      targets: [{ ...target('forge_memory_test_disk', 'lib', 'test-disk/src/lib.rs'), test: false }],
    },
  ]
  const argsFor = (...crates) => programsIn(root, packages, crates).args.join(' ')
  assert.equal(argsFor('crates/redact'), '-p forge-memory-redact --lib --test redaction')
  assert.equal(
    argsFor('crates/core'),
    '-p forge-memory-tests -p forge-memory-unit-tests --test engine --test units_of_core',
  )
  assert.deepEqual(programsIn(root, packages, ['crates/test-disk']), { tested: [], args: [] })
})

test('every crate with code of the addon has specifications that go through it', () => {
  const names = specFiles(root).map((path) => path.slice(root.length).replaceAll('\\', '/'))
  const manifests = readdirSync(join(root, 'crates')).map((name) => `crates/${name}`)
  const own = manifests.filter((crate) => !/\/(layering|operations|test-disk|tests|unit-tests)$/.test(crate))
  for (const crate of own) {
    assert.ok(specsThrough(crate).length > 0, crate)
    for (const name of specsThrough(crate)) assert.ok(names.includes(name), name)
  }
})

test('the table keeps what is written to it, with a line for each specification', (t) => {
  const { folder } = freshRepository(t)
  const table = readTable(folder)
  assert.deepEqual(table.get('find'), TABLE.find)
  assert.deepEqual([...table.get('pages').files].sort(), [...TABLE.pages.files].sort())
  const lines = readFileSync(join(folder, 'scripts/changed/table.json'), 'utf8').split('\n')
  assert.equal(lines.filter((line) => /^"(find|help|pages)": /.test(line)).length, 3)
})

test('the table of this checkout knows most specifications, and most sources of the library', () => {
  const table = readTable(root)
  const touched = new Set([...table.values()].flatMap(({ files }) => files))
  const sources = sourcesBelow(join(root, 'lib')).map((file) => `lib/${file}`)
  const share = sources.filter((file) => touched.has(file)).length / sources.length
  const hint = 'node scripts/test-table.mjs writes the table anew'
  assert.ok(table.size > 0.7 * specFiles(root).length, hint)
  assert.ok(share > 0.7, `${share}: ${hint}`)
})

test('a process touches the modules whose functions it runs, the files that it reads and what it calls of the addon', async (t) => {
  const folder = freshFolder(t)
  const recorder = join(root, 'scripts', 'test-table', 'recorder.cjs')
  const program = `require('node:fs').readFileSync(${JSON.stringify(join(root, 'README.md'))})
    const memory = require(${JSON.stringify(join(root, 'dist', 'index.js'))})
    memory.memoryStatus({ projectDir: ${JSON.stringify(folder)} })`
  const env = { ...process.env, NODE_V8_COVERAGE: folder, FORGE_HOME: folder }
  const node = (...args) =>
    spawnSync(process.execPath, ['--require', recorder, ...args], { cwd: folder, env, encoding: 'utf8' })
  assert.equal(node('-e', program).stderr, '')
  assert.equal(node(join(root, 'dist', 'cli', 'main.js'), 'find', 'words').stderr, '')
  const touched = (await touchedIn(root))(folder)
  for (const file of ['README.md', 'src/report.rs()', 'lib/cli/commands/find.ts'])
    assert.ok(touched.includes(file), file)
  for (const file of ['CHANGELOG.md', 'src/history.rs()', 'lib/cli/commands/add.ts'])
    assert.ok(!touched.includes(file), file)
})

test('npm test takes a commit to compare with, and refuses one that is not there before anything is built', () => {
  assert.deepEqual(testArguments(['--changed']), { halves: ['node', 'rust'], isPrebuilt: false, changed: 'HEAD' })
  assert.equal(testArguments(['--changed', 'main', '--prebuilt']).changed, 'main')
  assert.equal(testArguments(['--changed', '--only', 'node']).changed, 'HEAD')
  const args = [join(root, 'scripts', 'test.mjs'), '--changed', 'no-such-commit']
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' })
  assert.deepEqual(
    [status, stdout, stderr.split('\n')[0]],
    [1, '', 'error: --changed: git knows no commit no-such-commit'],
  )
})
