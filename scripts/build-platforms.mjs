// Builds the libraries of platforms as they are published, the engine's and both addons, and the program of hooks, optimised as profile `dist` says.
//   node scripts/build-platforms.mjs [--out FOLDER] [--check] TARGET...
// TARGET is Rust's name of a platform, or `linux` for its four. For Linux they are linked with zig, on any machine: against glibc 2.17, so that
// old distributions load them, or against musl. It needs `rustup target add TARGET` and `pip install ziglang cargo-zigbuild`. For macOS and
// Windows the machine has to be of that system.
// --check compiles without linking, C included, and so is possible for all of them here; for Windows with the GNU environment.
import { mkdirSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import {
  ENGINE,
  ENGINE_PACKED_BYTES_MAX,
  fileOf,
  LIBRARIES,
  PLATFORMS,
  PROGRAM_BYTES_MAX,
  packedBytes,
  placeLibrary,
  placeProgram,
} from './addons/libraries.mjs'
import { builtIn, checkPlatform, compilePlatform, PROGRAM_PROFILE } from './platforms/cargo.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))

const { values, positionals } = parseArgs({
  options: { out: { type: 'string', default: root }, check: { type: 'boolean', default: false } },
  allowPositionals: true,
})

/** The targets that the words name. */
function targetsOf(words) {
  const all = Object.keys(PLATFORMS)
  const named = words.flatMap((word) => (word === 'linux' ? all.filter((target) => target.includes('linux')) : [word]))
  const unknown = named.filter((target) => PLATFORMS[target] === undefined)
  if (unknown.length > 0) throw new Error(`no package is made for ${unknown.join(', ')}; one of ${all.join(', ')}`)
  if (named.length === 0) throw new Error(`name a target: ${all.join(', ')}`)
  return named
}

/** Builds the libraries of a target and copies them under the names of their packages. */
function build(target, out) {
  compilePlatform(root, target)
  const built = builtIn(root, target)
  const platform = PLATFORMS[target]
  for (const library of LIBRARIES) console.log(placeLibrary(library, platform, built, out))
  const program = placeProgram(platform, builtIn(root, target, PROGRAM_PROFILE), out)
  console.log(program)
  const engine = join(out, fileOf(ENGINE.name, platform.name))
  requireSize(`packed engine ${engine}`, packedBytes(engine), ENGINE_PACKED_BYTES_MAX)
  requireSize(`program of hooks ${program}`, statSync(program).size, PROGRAM_BYTES_MAX)
}

function requireSize(what, size, max) {
  if (size > max) throw new Error(`the ${what} has ${size} bytes; at most ${max} are allowed`)
}

try {
  const out = resolve(values.out)
  mkdirSync(out, { recursive: true })
  for (const target of targetsOf(positionals)) {
    if (values.check) checkPlatform(root, target)
    else build(target, out)
  }
} catch (error) {
  console.error(`error: ${error.message}`)
  process.exitCode = 1
}
