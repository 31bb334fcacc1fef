import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import test, { after, before } from 'node:test'
import { packedFiles } from '../scripts/release/npm.mjs'
import { npm } from './support/npm.mjs'
import { localLinks, parsePage } from './support/pages.mjs'
import { freshFolder, root } from './support/project.mjs'

const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
const read = (...path) => readFileSync(join(root, ...path), 'utf8')
const declared = [...read('index.d.ts').matchAll(/^export declare function (\w+)/gm)].map((match) => match[1])

/**
 * Packs the package and puts it into an empty project, with exactly the dependencies that it names and theirs, and has npm make the links
 * to its programs. A registry is not asked: they are those that are installed here.
 */
function installPackage(consumer) {
  npm(['pack', '--pack-destination', consumer, '--ignore-scripts'], root)
  const tarball = readdirSync(consumer).find((name) => name.endsWith('.tgz'))
  writeFileSync(join(consumer, 'package.json'), '{"private":true,"dependencies":{"forge-memory":"*"}}')
  const { packages } = JSON.parse(read('package-lock.json'))
  for (const [path, { dev, devOptional, optional }] of Object.entries(packages)) {
    if (path === '' || dev || devOptional || optional) continue
    cpSync(join(root, path), join(consumer, path), { recursive: true })
  }
  const own = join(consumer, 'node_modules', 'forge-memory')
  mkdirSync(own, { recursive: true })
  execFileSync('tar', ['-xzf', join(consumer, tarball), '-C', own, '--strip-components=1'])
  npm(['rebuild', '--ignore-scripts', '--offline', '--no-audit', '--no-fund'], consumer)
}

const consumer = freshFolder({ after })
before(() => installPackage(consumer))

function runNode(folder, file, source) {
  writeFileSync(join(folder, file), source)
  return spawnSync(process.execPath, [file], {
    cwd: folder,
    encoding: 'utf8',
    env: { ...process.env, FORGE_HOME: folder },
  })
}

const script = `
const { captured } = captureMemory({ type: 'lesson', body: 'pnpm vitest --run for CI' })
const { hits } = recall('vitest')
console.log(JSON.stringify({ captured, found: hits.map((hit) => hit.text) }))
`

test('the packed package works for import, require and the shell, without a warning', () => {
  const expected = { captured: true, found: ['pnpm vitest --run for CI'] }
  const named = runNode(consumer, 'a.mjs', `import { captureMemory, recall } from 'forge-memory'\n${script}`)
  assert.deepEqual({ stderr: named.stderr, ...JSON.parse(named.stdout || '{}') }, { stderr: '', ...expected })
  mkdirSync(join(consumer, 'other'))
  const required = runNode(
    join(consumer, 'other'),
    'b.cjs',
    `const { captureMemory, recall } = require('forge-memory')\n${script}`,
  )
  assert.equal(required.stderr, '')
  assert.match(required.stdout, /pnpm vitest --run for CI/)

  const all = runNode(
    consumer,
    'c.mjs',
    `import * as memory from 'forge-memory'
     import * as internal from 'forge-memory/internal'
     console.log(Object.keys({ ...memory, ...internal }).join())`,
  )
  const exported = all.stdout.trim().split(',')
  assert.deepEqual(
    declared.filter((name) => !exported.includes(name)),
    [],
  )

  const bin = join(consumer, 'node_modules', '.bin', process.platform === 'win32' ? 'forge-memory.cmd' : 'forge-memory')
  const version = spawnSync(bin, ['--version'], { encoding: 'utf8', shell: process.platform === 'win32' })
  assert.deepEqual([version.stdout.trim(), version.stderr], [manifest.version, ''])
})

test('a require opens the entry, what loads the engine, and the engine; a variable of the generated loader brings that in', () => {
  const own = join(consumer, 'node_modules', 'forge-memory')
  const open = (env) => {
    const program = `const before = Object.keys(require.cache)
      require('forge-memory')
      console.log(JSON.stringify(Object.keys(require.cache).filter((path) => !before.includes(path))))`
    const options = { cwd: consumer, encoding: 'utf8', env: { ...process.env, ...env } }
    const { stdout, stderr } = spawnSync(process.execPath, ['-e', program], options)
    assert.equal(stderr, '')
    return JSON.parse(stdout).map((path) => relative(realpathSync(own), path).replaceAll('\\', '/'))
  }
  const engine = readdirSync(own).find((name) => /^forge-memory\..+\.node$/.test(name))
  assert.deepEqual(open({}).sort(), ['dist/index.js', 'dist/native.js', engine].sort())
  assert.ok(open({ NAPI_RS_ENFORCE_VERSION_CHECK: '1' }).includes('index.js'))
})

test('a require loads no module of Node beside those with which it reads "exports"', () => {
  const program = `const before = new Set(process.moduleLoadList)
    require('forge-memory')
    const own = process.moduleLoadList.filter((name) => !before.has(name))
    console.log(JSON.stringify(own.filter((name) => !name.startsWith('NativeModule internal/modules/'))))`
  const { stdout } = spawnSync(process.execPath, ['-e', program], { cwd: consumer, encoding: 'utf8' })
  assert.deepEqual(JSON.parse(stdout), [])
})

const SOURCE = `
import { captureMemory, recall, searchThoughts, createDrainWorker, type CaptureOutcome, type RecallHit } from 'forge-memory'
import { createMcpServer, type HttpAddress } from 'forge-memory/mcp'
import { createHub, type Hub } from 'forge-memory/hub'
import { serve } from 'forge-memory/server'
import { createWatcher } from 'forge-memory/watcher'
export const served: Promise<HttpAddress> = createMcpServer({ projectDir: '.' }).serveHttp({ port: 0 })
export const hub: Promise<Hub> = createHub()
export const all = [serve, createWatcher, searchThoughts, createDrainWorker]
const outcome: CaptureOutcome = captureMemory({ type: 'lesson', body: 'x', tags: ['a'] }, { projectDir: '.' })
const hits: RecallHit[] = recall('x', { scope: 'project', types: ['lesson'], limit: 3, projectDir: '.' }).hits
const captured: boolean = outcome.captured && outcome.tiers.files.ok
const score: number | undefined = hits[0]?.score
export const answer = { captured, score, id: outcome.thought.id.length }
`

test('the declarations compile strictly, with those of the peers, for every way of importing them', () => {
  // Who compiles TypeScript has them; who runs the program needs none.
  assert.deepEqual(
    Object.keys(manifest.dependencies).filter((name) => name.startsWith('@types/')),
    [],
  )
  for (const name of [...Object.keys(manifest.peerDependencies), 'undici-types']) {
    cpSync(join(root, 'node_modules', name), join(consumer, 'node_modules', name), { recursive: true })
  }
  const wrong = `import { captureMemory } from 'forge-memory'\ncaptureMemory({ type: 1, body: 'x' })\n`
  for (const name of ['a.mts', 'b.cts']) writeFileSync(join(consumer, name), SOURCE)
  writeFileSync(join(consumer, 'wrong.mts'), wrong)
  const compile = (files, ...options) => {
    const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc')
    const common = ['--noEmit', '--strict', '--skipLibCheck', 'false', '--target', 'es2022', '--types', '']
    return spawnSync(process.execPath, [tsc, ...common, ...options, ...files], { cwd: consumer, encoding: 'utf8' })
  }
  const strictest = ['--exactOptionalPropertyTypes', '--noUncheckedIndexedAccess', '--verbatimModuleSyntax', 'false']
  for (const lib of ['es2022', 'es2022,dom']) {
    for (const [files, ...options] of [
      // Each is resolved in its own way, and the declarations of the dependencies are checked once.
      [['a.mts', 'b.cts'], '--module', 'nodenext'],
      [['a.mts'], '--module', 'esnext', '--moduleResolution', 'bundler'],
      [['a.mts'], '--module', 'nodenext', ...strictest],
    ])
      assert.equal(compile(files, '--lib', lib, ...options).stdout, '', `${lib} ${files} ${options}`)
  }
  assert.match(compile(['wrong.mts'], '--module', 'nodenext').stdout, /TS2322/)
})

test('the manifest says where the sources, the documentation and the reports of faults are', () => {
  assert.match(manifest.repository.url, /^git\+https:\/\/.+\.git$/)
  for (const url of [manifest.homepage, manifest.bugs.url]) assert.match(url, /^https:\/\//)
})

test('a machine without its platform package gets two lines of explanation', () => {
  const own = join(consumer, 'node_modules', 'forge-memory')
  for (const name of readdirSync(own)) if (name.endsWith('.node')) rmSync(join(own, name))
  const program = join(own, 'dist', 'cli', 'main.js')
  for (const args of [['status'], ['capture', '--type', 'lesson', 'x'], ['mcp']]) {
    const options = { cwd: consumer, encoding: 'utf8', input: '' }
    const { status, stderr } = spawnSync(process.execPath, [program, ...args], options)
    assert.equal(status, 1)
    const lines = stderr.trimEnd().split('\n')
    assert.equal(lines.length, 2, stderr)
    assert.match(lines[0], new RegExp(`^error: .*${process.platform}-${process.arch}.*\\(UNSUPPORTED\\)`))
    assert.match(lines[1], /npm install forge-memory/)
  }
})

test('every entry of "files" packs something, and the package holds what its README links to', () => {
  const packed = packedFiles(root)
  const missing = manifest.files.filter((entry) => {
    const pattern = new RegExp(`^${entry.replaceAll('.', '\\.').replaceAll('*', '[^/]*')}(/|$)`)
    return !packed.some((name) => pattern.test(name))
  })
  assert.deepEqual(missing, [])
  const links = localLinks(parsePage('README.md', read('README.md'))).map(({ target }) => target)
  assert.ok(links.length > 30)
  assert.deepEqual(
    links.filter((target) => !packed.includes(target)),
    [],
  )
  for (const entry of [manifest.main, manifest.types, ...Object.values(manifest.bin)])
    assert.ok(existsSync(join(root, entry)), entry)
})

test('the lock file names no host and is complete for every platform', () => {
  const { packages } = JSON.parse(read('package-lock.json'))
  const entries = Object.entries(packages)
  assert.deepEqual(
    entries.filter(([, entry]) => 'resolved' in entry).map(([path]) => path),
    [],
  )
  const missing = entries.flatMap(([path, { optionalDependencies = {} }]) => {
    return Object.keys(optionalDependencies).filter((name) => {
      return !packages[`node_modules/${name}`] && !packages[`${path}/node_modules/${name}`]
    })
  })
  assert.deepEqual(missing, [])
})

test('the bundled programs come with the licences of what they contain', () => {
  const licences = read('dist', 'THIRD-PARTY-LICENSES.txt')
  const names = ['commander', 'cli-table3', 'string-width', 'preact', 'uplot']
  // The server's, and what those have taken in themselves.
  names.push('@modelcontextprotocol/server', '@modelcontextprotocol/core', '@modelcontextprotocol/node', 'zod')
  names.push('hono', '@hono/node-server', 'content-type')
  names.push('@modelcontextprotocol/client')
  for (const name of names) assert.match(licences, new RegExp(`^${name} \\d`, 'm'))
})

test('dependencies are used by the library, and short commands load none of them', () => {
  const compiled = readdirSync(join(root, 'dist'), { recursive: true }).map(String)
  const files = compiled.filter((path) => path.endsWith('.js') && !/^(cli|dashboard)[\\/]/.test(path))
  const library = files.map((path) => read('dist', path)).join('\n')
  const main = read('dist', 'cli', 'main.js')
  const names = Object.keys(manifest.dependencies)
  for (const name of names) {
    const use = new RegExp(`(require|import)\\((["'])${name}(/[^"']*)?\\2\\)`)
    assert.match(library, use)
    assert.doesNotMatch(main, use)
  }
})

test('every manifest has the same version', () => {
  const platforms = readdirSync(join(root, 'npm')).map((name) => JSON.parse(read('npm', name, 'package.json')))
  assert.deepEqual([...new Set(platforms.map(({ version }) => version))], [manifest.version])
  assert.equal(platforms.length, manifest.napi.targets.length)
  assert.equal(/^version = "(.+)"$/m.exec(read('Cargo.toml'))?.[1], manifest.version)
  assert.match(read('CHANGELOG.md'), new RegExp(`^## \\[${manifest.version.replaceAll('.', '\\.')}\\]`, 'm'))
})

test('the table of errors holds exactly the codes that can occur, and each has a hint', () => {
  const table = [...read('docs', 'reference', 'errors.md').matchAll(/^\| `([A-Z_]+)` +\|/gm)].map((match) => match[1])
  const bodies = (name) =>
    ['record', 'journal'].map((crate) => {
      const source = read('crates', crate, 'src', 'error.rs')
      return new RegExp(`fn ${name}\\(&self\\)[^{]*\\{([\\s\\S]*?)\\n {4}\\}`).exec(source)?.[1] ?? ''
    })
  const engine = bodies('code').flatMap((body) => [...body.matchAll(/"([A-Z_]+)"/g)].map((match) => match[1]))
  assert.ok(engine.length > 0)
  // Features have codes of their own.
  const others = ['crates/embed/src/model.rs', 'crates/lattice/src/scan/listing.rs'].flatMap((path) =>
    [...read(...path.split('/')).matchAll(/"((?!CARGO|GIT)(?:[A-Z]+_)+[A-Z]+)"/g)].map((match) => match[1]),
  )
  // What only the surfaces say has its hint there.
  const surfaces = ['PAUSED']
  for (const code of surfaces) assert.ok(read('lib', 'shared', 'problem.ts').includes(`  ${code}: '`))
  assert.deepEqual([...new Set(table)].sort(), [...new Set([...engine, ...others, ...surfaces])].sort())
  // The compiler sees to it that every error has one, as long as none is the hint of whatever is left.
  for (const body of bodies('hint')) {
    assert.match(body, /Error::InvalidInput \{ \.\. \} => /)
    assert.doesNotMatch(body, /^ +_ =>/m)
  }
})
