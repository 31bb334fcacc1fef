// Builds the engine's own library, and that of the databases, which lies beside it wherever the engine is.
//   node scripts/build-engine.mjs [--release]
// One run of cargo compiles both; napi writes index.js and index.d.ts of what they export together.
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { DATABASES, PLATFORMS, placeLibrary } from './addons/libraries.mjs'
import { hostTarget } from './setup/cargo.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const isRelease = process.argv.includes('--release')

const napi = join(root, 'node_modules', '@napi-rs', 'cli', 'dist', 'cli.js')
const build = [napi, 'build', '--platform', ...(isRelease ? ['--release'] : []), '--', '--locked']
const { status } = spawnSync(process.execPath, build, { cwd: root, stdio: 'inherit' })
if (status !== 0) process.exit(1)

const target = hostTarget(root)
const built = join(root, 'target', target, isRelease ? 'release' : 'debug')
console.log(placeLibrary(DATABASES, PLATFORMS[target], built, root))
