// Compiles lib/ to dist/: the library with tsc, its main entry, the programs and the MCP server with rolldown, the dashboard with Vite, and
// the licences of what was bundled.
import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'
import { build } from 'vite'
import configs from '../rolldown.config.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const dist = join(root, 'dist')

/** Runs the TypeScript compiler; what it finds is printed, and ends the build. */
function compile(project, ...options) {
  const tsc = join(root, 'node_modules/typescript/bin/tsc')
  const { status } = spawnSync(process.execPath, [tsc, '-p', join(root, project), ...options], { stdio: 'inherit' })
  if (status !== 0) process.exit(1)
}

/** Bundles the programs and the MCP server, and returns the folders of the packages that went in. */
async function bundleWithRolldown() {
  const packages = []
  for (const config of configs) {
    const bundle = await rolldown(config)
    const { output } = await bundle.write(config.output)
    await bundle.close()
    packages.push(...packagesOf(output))
  }
  return packages
}

/** What tsc made of the server: the bundle stands for its code, and only what users' declarations lead to is declared. */
function dropBundledParts() {
  const folder = join(dist, 'mcp')
  const declared = new Set()
  const follow = (path) => {
    if (declared.has(path)) return
    declared.add(path)
    for (const [, name] of readFileSync(path, 'utf8').matchAll(/from '(\.\/[^']+)\.js'/g)) {
      follow(join(folder, `${name}.d.ts`))
    }
  }
  follow(join(folder, 'index.d.ts'))
  for (const entry of readdirSync(folder)) {
    const path = join(folder, entry)
    if (!declared.has(path)) rmSync(path, { recursive: true })
  }
  // Whoever shows texts is bundled with what that takes.
  rmSync(join(dist, 'text'), { recursive: true, force: true })
  // The tools of features are in the bundle of the server.
  const rooms = readdirSync(dist, { withFileTypes: true }).filter((entry) => entry.isDirectory())
  for (const { name } of rooms) rmSync(join(dist, name, 'mcp'), { recursive: true, force: true })
}

/** `native.ts` declares what `library.ts` loads: they become one file. */
function joinEngine() {
  renameSync(join(dist, 'library.js'), join(dist, 'native.js'))
  rmSync(join(dist, 'library.d.ts'))
}

/** Bundles the dashboard and returns the folders of the packages that went in. */
async function bundleDashboard() {
  const { output } = await build({ configFile: join(root, 'lib', 'dashboard', 'vite.config.mjs'), logLevel: 'warn' })
  return packagesOf(output)
}

function packagesOf(output) {
  const modules = output.flatMap((chunk) => chunk.moduleIds ?? [])
  const folders = modules.map((id) => /^.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+/.exec(id)?.[0])
  const bundled = modules.filter((id) => id.includes('node_modules') && existsSync(id))
  return [...folders.filter((folder) => folder !== undefined), ...bundled.flatMap(packagesWithin)]
}

/** Packages whose text another package has taken in: bundlers mark where it begins. */
function packagesWithin(id) {
  const marks = readFileSync(id, 'utf8').matchAll(/^\s*\/\/#region \S*node_modules\/\.pnpm\/([^/]+?)@\d/gm)
  return [...marks].map(([, name]) => join(root, 'node_modules', name.replace('+', '/')))
}

/** The text of a package's licence: some have it at the end of the page about them. */
function licenceIn(folder) {
  const files = readdirSync(folder)
  const file = files.find((entry) => /^licen[cs]e/i.test(entry))
  if (file) return readFileSync(join(folder, file), 'utf8')
  const page = files.find((entry) => /^readme/i.test(entry))
  return page && /^#+ *licen[cs]e\n(.*)/ims.exec(readFileSync(join(folder, page), 'utf8'))?.[1]
}

/** Every licence asks that its text travels with copies of the code. */
function writeLicences(packages) {
  const texts = packages.map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
    const text = licenceIn(folder)
    if (!text) throw new Error(`${name} ships no licence text`)
    return `${name} ${version} (${license})\n\n${text.trim()}\n`
  })
  writeFileSync(join(dist, 'THIRD-PARTY-LICENSES.txt'), texts.join(`\n${'-'.repeat(80)}\n\n`))
}

// The bundler drops types without looking at them. A check that fails leaves the last build as it is.
compile('tsconfig.json', '--noEmit')
compile('lib/dashboard/tsconfig.json')
rmSync(dist, { recursive: true, force: true })
compile('tsconfig.build.json')
dropBundledParts()
joinEngine()
const bundled = [...(await bundleWithRolldown()), ...(await bundleDashboard())]
writeLicences([...new Set(bundled)].sort())
chmodSync(join(dist, 'cli', 'main.js'), 0o755)
