// Builds the engine's own library and the program of hooks, which lies beside it wherever the engine is.
//   node scripts/build-engine.mjs [--release] [--alone]
// One run of cargo compiles them; napi writes index.js, and the functions of index.d.ts behind its types, which a test of
// crates/operations writes. With --alone the engine's own
// library is built and nothing else: a memory answers with it. That needs cargo alone, so that it may run while packages are installed;
// index.js and index.d.ts are committed.
import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { missingTypes } from './addons/declared-types.mjs'
import { ENGINE, PLATFORMS, placeLibrary, placeProgram } from './addons/libraries.mjs'
import { hostTarget, libraryEnvironment } from './setup/cargo.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const isRelease = process.argv.includes('--release')
const isAlone = process.argv.includes('--alone')
const profile = isRelease ? 'release' : 'debug'

const target = hostTarget(root)
const napi = join(root, 'node_modules', '@napi-rs', 'cli', 'dist', 'cli.js')
// A process may have the library in the package root loaded, which napi would write over.
const folder = join('target', 'napi-rs', profile)
if (!isAlone) {
  const types = readFileSync(join(root, 'index.d.ts'), 'utf8').match(/^.*?^\/\/ Written by napi [^\n]*\n/ms)
  mkdirSync(join(root, 'target', 'napi-rs'), { recursive: true })
  writeFileSync(join(root, 'target', 'napi-rs', 'types.d.ts'), types[0])
}
const options = isRelease ? ['--release'] : []
const [command, ...build] = isAlone
  ? ['cargo', 'build', '--locked', '--target', target, '--package', ENGINE.crate, ...options]
  : [process.execPath, napi, 'build', '--platform', '--output-dir', folder, ...options, '--', '--locked']
const { status } = spawnSync(command, build, { cwd: root, stdio: 'inherit', env: libraryEnvironment(target) })
if (status !== 0) process.exit(1)

const built = join(root, 'target', target, profile)
console.log(placeLibrary(ENGINE, PLATFORMS[target], built, root))
if (!isAlone) {
  const program = placeProgram(PLATFORMS[target], built, root)
  // Tests copy it into many homes: without the names of a debug build it is a quarter.
  if (!isRelease) spawnSync('strip', ['-S', program])
  console.log(program)
}
if (!isAlone) {
  // The macros say nothing when they cannot write, as on a full disk.
  const missing = missingTypes(root, readFileSync(join(root, folder, 'index.d.ts'), 'utf8'))
  if (missing.length > 0) {
    console.error(`error: this build does not declare ${missing.join(', ')}; index.d.ts stays as it is`)
    console.error('hint: rm -r target/napi-rs, and build again')
    process.exit(1)
  }
  for (const name of ['index.js', 'index.d.ts']) renameSync(join(root, folder, name), join(root, name))
}
