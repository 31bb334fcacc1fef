// Compares what `npm pack` would publish with what it should: npm itself leaves out missing files without a word.
//   --release   no addon may be in the main package: there each platform has a package of its own
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const isRelease = process.argv.includes('--release')
const PROGRAMS = ['main', 'tour', 'waiting-thread']
const ADDON = /^forge-memory\.[\w-]+\.node$/

const EXPECTED = [
  'CHANGELOG.md',
  'LICENSE',
  'README.md',
  'SECURITY.md',
  'dist/THIRD-PARTY-LICENSES.txt',
  'index.d.ts',
  'index.js',
  'package.json',
  'skills/ralph-memory/SKILL.md',
  ...PROGRAMS.map((name) => `dist/cli/${name}.js`),
]

/** The MCP server is bundled; what users' programs may import of it is declared. */
const MCP = [
  'drain.d.ts',
  'http.js',
  'index.d.ts',
  'index.js',
  'plan-forge-tools.js',
  'protocol.js',
  'refused-message.js',
  'serving.d.ts',
]

/** Every file of the library that is not bundled is compiled to one of code and one of declarations. */
function libraryFiles() {
  return readdirSync(join(root, 'lib'), { recursive: true })
    .map((path) => String(path).replaceAll('\\', '/'))
    .filter((path) => path.endsWith('.ts') && !/^(cli|dashboard|mcp|text)\//.test(path))
    .flatMap((path) => ['.js', '.d.ts'].map((ending) => `dist/${path.replace(/\.ts$/, ending)}`))
}

function packedFiles() {
  const npm = process.env.npm_execpath?.endsWith('.js')
    ? [process.execPath, process.env.npm_execpath]
    : [process.platform === 'win32' ? 'npm.cmd' : 'npm']
  const [command, ...before] = npm
  const { status, stdout, stderr } = spawnSync(
    command,
    [...before, 'pack', '--dry-run', '--json', '--ignore-scripts'],
    {
      cwd: root,
      encoding: 'utf8',
      shell: command.endsWith('.cmd'),
    },
  )
  if (status !== 0) throw new Error(`npm pack failed: ${stderr}`)
  const listed = JSON.parse(stdout)
  // npm 11.6 and older print a list, newer ones an object with a key for each package.
  const [packed] = Array.isArray(listed) ? listed : Object.values(listed)
  return packed.files.map((file) => file.path)
}

/** The programs are bundled into pieces with names of their own; every piece is wanted, and nothing but those. */
function piecesOf(files) {
  const pieces = readdirSync(join(root, 'dist', 'cli')).map((name) => `dist/cli/${name}`)
  return files.filter((file) => pieces.includes(file) && file.endsWith('.js'))
}

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
  const files = packedFiles()
  const addons = files.filter((file) => ADDON.test(file))
  const wanted = new Set([
    ...EXPECTED,
    ...libraryFiles(),
    ...MCP.map((name) => `dist/mcp/${name}`),
    ...piecesOf(files),
    ...dashboardFiles(),
    ...(isRelease ? [] : addons),
  ])
  const found = [
    ...[...wanted].filter((file) => !files.includes(file)).map((file) => `missing: ${file}`),
    ...files.filter((file) => !wanted.has(file)).map((file) => `unexpected: ${file}`),
  ]
  if (!isRelease && addons.length === 0) found.push('missing: the addon for this platform')
  return isRelease ? [...found, ...platformProblems()] : found
}

function platformProblems() {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  return readdirSync(join(root, 'npm')).flatMap((name) => {
    const manifest = JSON.parse(readFileSync(join(root, 'npm', name, 'package.json'), 'utf8'))
    const found = manifest.version === version ? [] : [`npm/${name} has version ${manifest.version}, not ${version}`]
    return existsSync(join(root, 'npm', name, manifest.main))
      ? found
      : [...found, `missing: npm/${name}/${manifest.main}`]
  })
}

const found = problems()
for (const problem of found) console.error(problem)
console.log(found.length === 0 ? 'the package holds what it should' : `${found.length} problems with the package`)
process.exitCode = found.length === 0 ? 0 : 1
