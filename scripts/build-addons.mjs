// Builds the addons beside the engine's own library, from which they are loaded in a checkout.
//   node scripts/build-addons.mjs [--release] [--target TRIPLE] [--zig] [--glibc VERSION]
// --zig links with zig, for another platform; --glibc does as well, against an older library of the system.
// cargo has compiled the crates that they share with the engine when that was built with the same profile and target.
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ADDONS, PLATFORMS, placeLibrary } from './addons/libraries.mjs'
import { hostTarget } from './setup/cargo.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const has = (option) => process.argv.includes(option)
const optionOf = (option) => (has(option) ? process.argv[process.argv.indexOf(option) + 1] : undefined)

const target = optionOf('--target') ?? hostTarget(root)
const platform = PLATFORMS[target]
if (platform === undefined) {
  console.error(`error: no package is made for ${target}; one of ${Object.keys(PLATFORMS).join(', ')}`)
  process.exit(1)
}
const profile = has('--release') ? ['--release'] : []
const crates = ADDONS.flatMap(({ crate }) => ['--package', crate])
const glibc = optionOf('--glibc')
const command = has('--zig') || glibc !== undefined ? 'zigbuild' : 'build'
const linked = glibc === undefined ? target : `${target}.${glibc}`
const build = [command, '--lib', '--locked', ...profile, '--target', linked, ...crates]
const { status, error } = spawnSync('cargo', build, { cwd: root, stdio: 'inherit' })
if (error !== undefined || status !== 0) process.exit(1)

const built = join(root, 'target', target, has('--release') ? 'release' : 'debug')
for (const addon of ADDONS) console.log(placeLibrary(addon, platform, built, root))
