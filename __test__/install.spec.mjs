// Installing the packages of a release candidate, from a registry on the loopback. scripts/install-matrix.mjs tries the other package
// managers and versions of Node.
import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { dirname, join } from 'node:path'
import test, { after, before } from 'node:test'
import { fileOf, LIBRARIES, PLATFORMS, programOf } from '../scripts/addons/libraries.mjs'
import { benchIn } from '../scripts/install/bench.mjs'
import { SMALL } from '../scripts/install/cases.mjs'
import { installedDependencies, manifestIn } from '../scripts/release/archives.mjs'
import { writePackages } from '../scripts/release/packages.mjs'
import { serveRegistry } from '../scripts/release/registry.mjs'
import { freshCommand } from './support/command.mjs'
import { startHttp } from './support/mcp.mjs'
import { freshFolder, root } from './support/project.mjs'

const folder = freshFolder({ after })
const candidate = join(folder, 'candidate')
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
let registry
let bench

before(async () => {
  execFileSync(process.execPath, [join(root, 'scripts', 'release-candidate.mjs'), '--out', candidate])
  const served = join(folder, 'served')
  mkdirSync(served)
  registry = await serveRegistry(candidate, installedDependencies(root), served)
  bench = benchIn(folder, { registry, root })
})
after(() => registry?.close())

/** Where the package that the container installs is built. */
const isGlibc = process.report.getReport().header.glibcVersionRuntime !== undefined

test('the container file of a candidate names only files that are beside it, a user without rights, and a health check', () => {
  const file = readFileSync(join(candidate, 'Containerfile'), 'utf8')
  const files = readdirSync(candidate)
  const copied = [...file.matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, names]) => names.split(' '))
  assert.equal(copied.length, 3)
  for (const pattern of copied.filter((name) => isGlibc || !name.includes('linux'))) {
    const matching = new RegExp(`^${pattern.replaceAll('.', '\\.').replaceAll('*', '.*')}$`)
    assert.ok(
      files.some((name) => matching.test(name)),
      pattern,
    )
  }
  assert.match(file, /^USER 10001:10001$/m)
  assert.match(file, /^HEALTHCHECK [\s\S]+"node", "\/opt\/forge-memory\/health\.mjs"/m)
  assert.match(file, /^VOLUME \["\/project", "\/home\/forge"\]$/m)
})

test('the health check of the container fits serve and MCP over HTTP', async (t) => {
  const check = (port) => {
    const child = spawn(process.execPath, [join(candidate, 'health.mjs')], {
      env: { ...process.env, FORGE_MEMORY_PORT: String(port) },
    })
    return once(child, 'close').then(([code]) => code)
  }
  let answer = 200
  const server = createServer((_, response) => {
    response.statusCode = answer
    response.end()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  const { port } = server.address()
  const codes = []
  for (answer of [200, 401, 403, 500]) codes.push(await check(port))
  assert.deepEqual(codes, [0, 0, 1, 1])
  const mcp = await startHttp(t, freshCommand(t))
  assert.equal(await check(new URL(mcp.url).port), 0)
  mcp.child.kill('SIGTERM')
  await mcp.ended
  assert.equal(await check(new URL(mcp.url).port), 1)
})

test('a candidate has a package for every part, checksums, a bill of materials and notes', () => {
  const files = readdirSync(candidate)
  const names = files.filter((name) => name.endsWith('.tgz')).map((name) => manifestIn(join(candidate, name)).name)
  const parts = ['forge-memory', 'forge-memory-lattice', 'forge-memory-embed']
  for (const part of parts) {
    assert.ok(names.includes(part))
    assert.ok(names.some((name) => name.startsWith(`${part}-${process.platform}-${process.arch}`)))
  }
  const sums = readFileSync(join(candidate, 'SHA256SUMS'), 'utf8').trimEnd().split('\n')
  const expected = files.filter((name) => name !== 'SHA256SUMS').sort()
  assert.deepEqual(
    sums,
    expected.map(
      (name) =>
        `${createHash('sha256')
          .update(readFileSync(join(candidate, name)))
          .digest('hex')}  ${name}`,
    ),
  )
  const { bomFormat, components } = JSON.parse(readFileSync(join(candidate, 'sbom.cdx.json'), 'utf8'))
  const known = components.map((component) => component.name)
  assert.equal(bomFormat, 'CycloneDX')
  // A crate of the engine, one of each addon, a library that is installed and one that is bundled.
  for (const name of ['rusqlite', 'tree-sitter', 'tokenizers', 'ws', 'zod']) assert.ok(known.includes(name), name)
  assert.ok(!known.includes('proptest') && !known.includes('typescript'))
  assert.match(
    readFileSync(join(candidate, 'NOTES.md'), 'utf8'),
    new RegExp(`^# forge-memory ${version}\\n\\nPackages for: `),
  )
})

test('the main package holds no library, and names one for each platform that was built', () => {
  const manifest = manifestIn(join(candidate, `forge-memory-${version}.tgz`))
  const engines = Object.keys(manifest.optionalDependencies)
  assert.ok(engines.some((name) => name.startsWith(`forge-memory-${process.platform}-${process.arch}`)))
  assert.deepEqual(Object.keys(manifest.peerDependencies), ['forge-memory-lattice', 'forge-memory-embed'])
  assert.ok(Object.values(manifest.peerDependenciesMeta).every(({ optional }) => optional))
  assert.deepEqual([manifest.scripts, manifest.devDependencies], [undefined, undefined])
})

test('what is published is installed for all projects by npm, without Rust, and publishing again changes nothing', async (t) => {
  const place = freshFolder(t)
  const [nothing, own, global] = ['nothing', 'own', 'global'].map((name) => join(place, name))
  for (const made of [nothing, own, global]) mkdirSync(made)
  const empty = await serveRegistry(nothing, installedDependencies(root), own)
  t.after(() => empty.close())
  const there = benchIn(place, { registry: empty, root })
  writeFileSync(join(place, 'home', '.npmrc'), `//${new URL(empty.url).host}/:_authToken=any\n`)
  const publish = () => there.run(['node', join(root, 'scripts', 'release', 'publish.mjs'), candidate], place)
  const published = publish().trim().split('\n')
  assert.match(published.at(-1), /^published forge-memory@/)
  assert.ok(published.length >= 6 && published.every((line) => line.startsWith('published ')), published.join('\n'))
  assert.deepEqual(
    publish().trim().split('\n'),
    published.map((line) => `${line.replace('published ', '')} is there already`),
  )
  there.run(['npm', 'install', '--global', '--prefix', global, 'forge-memory', 'forge-memory-lattice'], place)
  const isPosix = process.platform !== 'win32'
  const modules = join(global, ...(isPosix ? ['lib', 'node_modules'] : ['node_modules']))
  // No compiler is on this path.
  const command = { ...freshCommand(t), program: join(modules, 'forge-memory', 'dist', 'cli', 'main.js') }
  const env = { ...command.env(), PATH: dirname(process.execPath) }
  const run = (...args) =>
    execFileSync(process.execPath, [command.program, ...args], { cwd: command.project, env, encoding: 'utf8' })
  if (isPosix) assert.ok(existsSync(join(global, 'bin', 'forge-memory')))
  assert.equal(run('--version').trim(), version)
  run('add', '-t', 'lesson', 'Installed packages need no compiler')
  assert.match(run('find', 'compiler'), /Installed packages need no compiler/)
})

test('a package for a platform on which nothing was run says so when it is installed', (t) => {
  const place = freshFolder(t)
  const [libraries, into] = ['libraries', 'into'].map((name) => join(place, name))
  mkdirSync(libraries)
  for (const platform of Object.values(PLATFORMS)) {
    const files = [...LIBRARIES.map(({ name }) => fileOf(name, platform.name)), programOf(platform)]
    for (const file of files) writeFileSync(join(libraries, file), '')
  }
  writePackages(root, into, Object.values(PLATFORMS), libraries)
  for (const { name, os } of Object.values(PLATFORMS)) {
    const { deprecated } = JSON.parse(readFileSync(join(into, `forge-memory-${name}`, 'package.json'), 'utf8'))
    const expected = os === 'linux' ? undefined : `built for ${name}, and never run there yet`
    assert.equal(deprecated?.split(';')[0], expected)
  }
})

for (const { name, run } of SMALL) test(name, () => run(bench))
