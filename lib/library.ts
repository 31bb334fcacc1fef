// Loads the engine's library. `native.ts` declares this file's exports: the build names its code `native.js`, because every file that a start
// opens takes as long as much of the work after it. A machine without a library gets advice.
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

type Engine = typeof import('./native.js') & { provideAddons(files: Record<keyof typeof ADDONS, string[]>): void }

/** Parts that are installed apart, by the names that the engine has for them. Their packages have one package per platform. */
const ADDONS = { lattice: 'forge-memory-lattice', embed: 'forge-memory-embed' }

const WAYS = [
  'install again on this machine, with optional dependencies, which hold the engine: npm install forge-memory --include=optional',
  'build it, with Rust: npm start in a clone of the sources, then npm link',
  'use a platform that has a package: Linux (glibc or musl), macOS or Windows, on x64 or arm64',
]

/** The parts of a platform's name that may follow the processor. The first file that `ldd` finds tells the C library. */
function libcs(): string[] {
  if (process.platform === 'win32') return ['-msvc']
  if (process.platform !== 'linux') return ['']
  try {
    return [readFileSync('/usr/bin/ldd', 'utf8').includes('musl') ? '-musl' : '-gnu']
  } catch {
    return ['-gnu', '-musl']
  }
}

const places = libcs().map((libc) => `${process.platform}-${process.arch}${libc}`)

/**
 * Loads the library where an installation has it: beside the programs in a clone, in the package of its platform otherwise. The generated
 * loader tries every system in turn and costs as much as the library itself; it is left to unusual cases, and to explaining failures.
 */
function loadQuickly(): Engine | undefined {
  const [place, ...others] = places
  const isUnusual = others.length > 0 || Object.keys(process.env).some((name) => name.startsWith('NAPI_RS_'))
  if (isUnusual) return undefined
  const file = `forge-memory.${place}.node`
  const own = join(__dirname, '..')
  // Most package managers put the package of the platform next to this one; a path is found without reading its manifest.
  const known = [join(own, file), join(own, '..', `forge-memory-${place}`, file)].find((path) => existsSync(path))
  try {
    return require(known ?? `forge-memory-${place}`)
  } catch {
    return undefined
  }
}

/** The machine, in the words of the packages. */
function machine(): string {
  const { header } = process.report.getReport() as { header: { glibcVersionRuntime?: string } }
  const libc = process.platform !== 'linux' ? '' : header.glibcVersionRuntime === undefined ? '-musl' : '-gnu'
  return `${process.platform}-${process.arch}${libc}`
}

/** Returns why a library that is there was not loaded. The loader tries several places, and chains their errors. */
function refusalOf(error: unknown): Error | undefined {
  for (let cause = error, depth = 0; cause instanceof Error && depth < 20; cause = cause.cause, depth += 1) {
    const code = 'code' in cause ? cause.code : undefined
    if (typeof code === 'string' && code !== 'MODULE_NOT_FOUND') return cause
  }
  return undefined
}

function explained(error: unknown): Error {
  const refusal = refusalOf(error)
  const what = refusal === undefined ? 'is not installed' : `cannot be loaded: ${refusal.message}`
  const message = `the engine for this machine (${machine()}) ${what}`
  const hint = WAYS.map((way, at) => `${at + 1}. ${way}`).join('; ')
  return Object.assign(new Error(message), { code: 'UNSUPPORTED', hint })
}

function resolved(id: string, folder?: string): string | undefined {
  try {
    return require.resolve(id, folder === undefined ? undefined : { paths: [folder] })
  } catch {
    // It is not installed; the engine says so when it is needed.
    return undefined
  }
}

/**
 * Whether a package may be installed. Asking Node for one that is not takes as long as half of all else that is done here, and in most
 * layouts it would lie in one of a few folders.
 */
function mayBeInstalled(name: string): boolean {
  const folders: string[] | undefined = module.paths
  if (process.versions.pnp !== undefined || folders === undefined || folders.length === 0) return true
  return folders.some((folder) => existsSync(join(folder, name)))
}

/** Returns the files of an addon, as Node finds them from this package. Nothing of it is read or run. */
function filesOf(name: string): string[] {
  if (!mayBeInstalled(name)) return []
  const manifest = resolved(`${name}/package.json`)
  if (manifest === undefined) return []
  const files = places.map((place) => resolved(`${name}-${place}/${name}.${place}.node`, dirname(manifest)))
  return files.filter((file) => file !== undefined)
}

try {
  const engine = loadQuickly()
  if (engine !== undefined) module.exports = engine
  // The last assignment in the text: for an ES module, Node reads the names of the exports there, and does not run it.
  else module.exports = require('../index.js')
} catch (error) {
  throw explained(error)
}
const engine: Engine = module.exports
// Otherwise compiled imports would copy all of it.
Object.defineProperty(engine, '__esModule', { value: true })
engine.provideAddons({ lattice: filesOf(ADDONS.lattice), embed: filesOf(ADDONS.embed) })
