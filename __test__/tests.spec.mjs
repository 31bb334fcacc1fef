// What holds for the tests themselves.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { pathToFileURL } from 'node:url'
import { largeCrates } from '../scripts/setup/cargo.mjs'
import { testArguments } from '../scripts/setup/command-line.mjs'
import { memoryFolder } from '../scripts/setup/memory-folder.mjs'
import { testEnvironment } from '../scripts/setup/test-environment.mjs'
import { specFiles } from '../scripts/spec-files.mjs'
import { freshFolder, root } from './support/project.mjs'

/** Runs a program as the tests are run, and returns what it says and which ways out of this machine were noted. */
function runGuarded(t, program) {
  const { env, strayed, remove } = testEnvironment(root)
  t.after(remove)
  const { stdout, stderr } = spawnSync(process.execPath, ['-e', program], { env, encoding: 'utf8' })
  return { said: stdout + stderr, strayed: strayed().map((line) => line.replace(/:[^:]*$/, '')) }
}

test('npm test refuses a wrong argument before anything is built', () => {
  for (const [args, message] of [
    [['--no-such'], 'npm test does not know --no-such'],
    [['recall.spec.mjs'], 'npm test does not know recall.spec.mjs'],
    [['--only'], '--only needs a half'],
    [['--only', 'python'], '--only python names no tests'],
  ]) {
    const { status, stdout, stderr } = spawnSync(process.execPath, [join(root, 'scripts', 'test.mjs'), ...args], {
      encoding: 'utf8',
    })
    assert.deepEqual([status, stdout, stderr.split('\n')[0]], [1, '', `error: ${message}`])
  }
  assert.deepEqual(testArguments([]), { halves: ['node', 'rust'], isPrebuilt: false, changed: undefined })
  assert.deepEqual(testArguments(['--only=node', '--prebuilt']), {
    halves: ['node'],
    isPrebuilt: true,
    changed: undefined,
  })
})

test('no specification waits for a time to pass', () => {
  const offenders = specFiles(root).filter((path) => /setTimeout\(|node:timers\//.test(readFileSync(path, 'utf8')))
  assert.deepEqual(offenders, [])
})

/** The modules of a folder of Rust sources that its `main.rs` or `mod.rs` does not name, and those of its folders. */
function forgotten(folder) {
  const [own] = ['main.rs', 'mod.rs'].filter((name) => existsSync(join(folder, name)))
  if (own === undefined) return []
  const text = readFileSync(join(folder, own), 'utf8')
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name)
    if (entry.name === own || (entry.isFile() && !entry.name.endsWith('.rs'))) return []
    const isNamed = new RegExp(`^(pub )?mod ${entry.name.replace(/\.rs$/, '')};$`, 'm').test(text)
    return [...(isNamed ? [] : [path]), ...(entry.isDirectory() ? forgotten(path) : [])]
  })
}

test('every file of a Rust test program is compiled into it', () => {
  const crates = readdirSync(join(root, 'crates')).map((name) => join(root, 'crates', name, 'tests'))
  const programs = crates.filter(existsSync).flatMap((tests) => readdirSync(tests).map((name) => join(tests, name)))
  const folders = programs.filter((folder) => existsSync(join(folder, 'main.rs')))
  assert.ok(folders.length >= 5, `${folders}`)
  assert.deepEqual(folders.flatMap(forgotten), [])
})

/** The programs of tests that a crate has, by their files in `crates`. */
function testsOf(crate) {
  const tests = join(root, 'crates', crate, 'tests')
  const entries = existsSync(tests) ? readdirSync(tests) : []
  const programs = entries.map((name) => (name.endsWith('.rs') ? name : `${name}/main.rs`))
  const own = programs.filter((path) => existsSync(join(tests, path))).map((path) => `${crate}/tests/${path}`)
  return hasTests(join(root, 'crates', crate, 'src')) ? [`${crate}/src/lib.rs`, ...own] : own
}

function hasTests(folder) {
  const files = readdirSync(folder, { recursive: true }).filter((path) => path.endsWith('.rs'))
  return files.some((path) => /^\s*#\[test\]$/m.test(readFileSync(join(folder, path), 'utf8')))
}

test('all tests of the crates that a whole run leaves out are run by the packages of tests', () => {
  const run = ['tests', 'unit-tests'].flatMap((name) => {
    const manifest = readFileSync(join(root, 'crates', name, 'Cargo.toml'), 'utf8')
    return Array.from(manifest.matchAll(/^path = "\.\.\/(.+)"$/gm), ([, path]) => path)
  })
  assert.ok(run.length > 8, `${run}`)
  assert.deepEqual(run.sort(), largeCrates(root).flatMap(testsOf).sort())
})

test('cargo test of a package runs the tests of its crate', () => {
  const crates = readdirSync(join(root, 'crates')).filter((crate) => hasTests(join(root, 'crates', crate)))
  assert.ok(crates.length > 12, `${crates}`)
  for (const crate of crates) {
    const sections = readFileSync(join(root, 'crates', crate, 'Cargo.toml'), 'utf8').split(/^(?=\[)/m)
    const silent = sections
      .filter((section) => /^test = false$/m.test(section))
      .map((section) => section.split('\n')[0])
    // A program that is tested from outside.
    assert.deepEqual(silent, crate === 'hook' ? ['[[bin]]'] : [], crate)
  }
})

test('the Rust tests have a temporary folder of their own in memory, or that of TMPDIR', () => {
  assert.deepEqual(memoryFolder({ TMPDIR: '/chosen' }).variables, {})
  const { variables, remove } = memoryFolder({})
  const folders = Object.values(variables)
  assert.ok(folders.every(existsSync))
  remove()
  assert.ok(!folders.some(existsSync))
})

test('no process of a test reads the certificates of this machine, which takes longer than starting it', (t) => {
  const before = process.env.NODE_EXTRA_CA_CERTS
  process.env.NODE_EXTRA_CA_CERTS = '/certificates/of/this/machine.pem'
  t.after(() => {
    if (before === undefined) delete process.env.NODE_EXTRA_CA_CERTS
    else process.env.NODE_EXTRA_CA_CERTS = before
  })
  assert.deepEqual(runGuarded(t, 'console.log(process.env.NODE_EXTRA_CA_CERTS)'), { said: 'undefined\n', strayed: [] })
})

test('a test that would leave this machine fails, and so does the run', (t) => {
  const attempts = {
    'connection to 192.0.2.1:80': `require('node:net').connect(80, '192.0.2.1').on('error', ({ code }) => console.log(code))`,
    'connection to 192.0.2.1:443': `fetch('https://192.0.2.1/').catch(({ cause }) => console.log(cause.code))`,
    'connection to 2001:db8::1:80': `require('node:http').get('http://[2001:db8::1]/').on('error', ({ code }) => console.log(code))`,
    'name example.com': `fetch('http://example.com/').catch(({ cause }) => console.log(cause.code))`,
    'name example.org': `require('node:dns/promises').lookup('example.org').catch(({ code }) => console.log(code))`,
    'message to 192.0.2.1': `try { require('node:dgram').createSocket('udp4').send('x', 53, '192.0.2.1') } catch ({ code }) { console.log(code) }; process.exit()`,
  }
  for (const [what, program] of Object.entries(attempts)) {
    assert.deepEqual(runGuarded(t, program), { said: 'ENETUNREACH\n', strayed: [what] })
  }
})

test('foreign host names are not resolved, and the loopback is reachable under all its names', (t) => {
  const nobody = `fetch('http://no-such-host.invalid/').catch(({ cause }) => console.log(cause.code))`
  assert.deepEqual(runGuarded(t, nobody), { said: 'ENOTFOUND\n', strayed: [] })
  const served = `const server = require('node:http').createServer((_, response) => response.end('heard')).listen(0, 'localhost', async () => {
    const { port } = server.address()
    for (const host of ['localhost', '127.0.0.1']) console.log(await (await fetch(\`http://\${host}:\${port}/\`).catch(() => fetch(\`http://localhost:\${port}/\`))).text())
    server.close()
  })`
  assert.deepEqual(runGuarded(t, served), { said: 'heard\nheard\n', strayed: [] })
})

test('what is measured against no reference program needs no Cargo, and what is says that it does', (t) => {
  const folder = freshFolder(t)
  const bench = JSON.stringify(pathToFileURL(join(root, 'bench', 'harness', 'bench.mjs')))
  const program = `import { Bench } from ${bench}
    const bench = new Bench({ work: ${JSON.stringify(folder)} })
    process.env.PATH = ''
    try { bench.fts('build', {}) } catch (error) { console.log(error.message) }`
  const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', program], { encoding: 'utf8' })
  assert.equal(stdout, 'the reference programs do not build\n')
})
