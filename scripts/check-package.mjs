// Compares what `npm pack` would publish with what it should: npm itself leaves out missing files without a word.
// The packages of a release take their files from it (scripts/release/packages.mjs).
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ENGINE_PACKED_BYTES_MAX, packedBytes } from './addons/libraries.mjs'
import { packedFiles } from './release/npm.mjs'
import { roomsNamed } from './rooms/named.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const PROGRAMS = ['main', 'tour', 'waiting-thread']
const LIBRARY = /^forge-memory\.[\w-]+\.node$/
const PROGRAM = /^forge-memory-hook\.[\w-]+(\.exe)?$/

const EXPECTED = [
  'ARCHITECTURE.md',
  'CHANGELOG.md',
  'CONTRIBUTING.md',
  'LICENSE',
  'README.md',
  'SECURITY.md',
  'bench/results.md',
  'dist/THIRD-PARTY-LICENSES.txt',
  // What README.md shows; the other pictures are in the repository.
  'docs/images/home.png',
  'docs/images/terminal.svg',
  'index.d.ts',
  'index.js',
  'package.json',
  'completions/forge-memory.bash',
  'completions/forge-memory.fish',
  'completions/forge-memory.ps1',
  'completions/forge-memory.zsh',
  'man/forge-memory.1',
  'skills/forge-memory/SKILL.md',
  'skills/memory-backfill/SKILL.md',
  'skills/ralph-memory/SKILL.md',
  ...PROGRAMS.map((name) => `dist/cli/${name}.js`),
]

/** What the parts of the shared memory have in common. */
const SHARED = ['answered', 'asked', 'database', 'protocol', 'rolldown-runtime']

/** The MCP server is bundled; what users' programs may import of it is declared. */
const MCP = [
  'core.js',
  'drain.d.ts',
  'http.js',
  'index.d.ts',
  'index.js',
  'messages.js',
  'protocol.js',
  'rolldown-runtime.js',
  'serving.d.ts',
  'tools.js',
  ...roomsNamed('mcp').map((room) => `${room.replace('/mcp', '')}-tools.js`),
]

/**
 * Every file of the library that is not bundled is compiled to one of code and one of declarations. The code of
 * `native.js` is that of `library.ts`.
 */
function libraryFiles() {
  const files = readdirSync(join(root, 'lib'), { recursive: true })
    .map((path) => String(path).replaceAll('\\', '/'))
    .filter((path) => !/^(cli|dashboard|mcp|text)\/|\/(commands|mcp)\/|^library\.ts$/.test(path))
  const code = files.filter((path) => path.endsWith('.ts') && !path.endsWith('.d.ts'))
  return [
    ...code.flatMap((path) => ['.js', '.d.ts'].map((ending) => `dist/${path.replace(/\.ts$/, ending)}`)),
    ...files.filter((path) => path.endsWith('.json')).map((path) => `dist/${path}`),
  ]
}

/** Programs are bundled into pieces with names of their own; every piece is wanted, and nothing but those. */
function piecesOf(files) {
  const made = (folder) => readdirSync(join(root, 'dist', folder)).map((name) => `dist/${folder}/${name}`)
  const pieces = made('cli').filter((file) => file.endsWith('.js'))
  return files.filter((file) => pieces.includes(file))
}

const pages = () =>
  readdirSync(join(root, 'docs'), { recursive: true })
    .filter((path) => path.endsWith('.md') || path.endsWith('.schema.json'))
    .map((path) => `docs/${path.replaceAll('\\', '/')}`)

/** The dashboard is whole: the page, and every file that the build has made for it. */
function dashboardFiles() {
  const folder = join(root, 'dist', 'dashboard')
  if (!existsSync(folder)) return ['dist/dashboard/index.html']
  return [
    'dist/dashboard/index.html',
    ...readdirSync(join(folder, 'assets')).map((name) => `dist/dashboard/assets/${name}`),
  ]
}

function problems() {
  const files = packedFiles(root)
  const libraries = files.filter((file) => LIBRARY.test(file))
  const programs = files.filter((file) => PROGRAM.test(file))
  const wanted = new Set([
    ...EXPECTED,
    ...libraryFiles(),
    ...MCP.map((name) => `dist/mcp/${name}`),
    ...SHARED.map((name) => `dist/openbrain/${name}.js`),
    ...piecesOf(files),
    ...dashboardFiles(),
    ...pages(),
    ...libraries,
    ...programs,
  ])
  const found = [
    ...[...wanted].filter((file) => !files.includes(file)).map((file) => `missing: ${file}`),
    ...files.filter((file) => !wanted.has(file)).map((file) => `unexpected: ${file}`),
  ]
  if (libraries.length === 0) found.push('missing: the library for this platform')
  for (const engine of libraries) {
    const bytes = packedBytes(join(root, engine))
    if (bytes > ENGINE_PACKED_BYTES_MAX)
      found.push(`too large: ${engine} packs to ${bytes} bytes of ${ENGINE_PACKED_BYTES_MAX}`)
  }
  if (programs.length === 0) found.push('missing: the program of hooks for this platform')
  return found
}

const found = problems()
for (const problem of found) console.error(problem)
console.log(found.length === 0 ? 'the package holds what it should' : `${found.length} problems with the package`)
process.exitCode = found.length === 0 ? 0 : 1
