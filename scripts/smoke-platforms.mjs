// Loads the packages of Linux platforms where they will run: with a Node and a C library of that platform, in a folder that has nothing else,
// under emulation where the processor is another one. Says what was loaded with what.
//   node scripts/smoke-platforms.mjs --libraries FOLDER PLATFORM...
// PLATFORM is linux-x64-gnu, linux-arm64-gnu, linux-x64-musl or linux-arm64-musl; FOLDER has what build-platforms.mjs has built. It needs
// Debian's apt-get (nothing is installed by it), pip, unshare, and qemu-user-static for another processor.
import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { tinyModel, writeModel } from '../__test__/support/tiny-model.mjs'
import { machineFor } from './platforms/machine.mjs'
import { PROBES, PROGRAMS } from './platforms/probes.mjs'
import { installedDependencies } from './release/archives.mjs'
import { builtPlatforms, writePackages } from './release/packages.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const { values, positionals } = parseArgs({
  options: { libraries: { type: 'string', default: root } },
  allowPositionals: true,
})

/** Puts the packages of a platform, and what they depend on, into a project of the machine. */
function install(machine, platform, libraries) {
  const modules = machine.path('project', 'node_modules')
  rmSync(machine.path('project'), { recursive: true, force: true })
  mkdirSync(modules, { recursive: true })
  writePackages(root, modules, [platform], libraries)
  for (const { path } of installedDependencies(root)) {
    cpSync(path, join(modules, path.slice(join(root, 'node_modules').length)), { recursive: true })
  }
  writeFileSync(machine.path('project', 'package.json'), '{"private":true}\n')
  // Without these two the graph would be that of every installed package.
  mkdirSync(machine.path('project', '.git'))
  writeFileSync(machine.path('project', '.gitignore'), 'node_modules\n')
  writeFileSync(machine.path('project', 'cart.js'), 'function sum() {}\nfunction total() { return sum() }\n')
  writeModel(machine.path('project', 'model'), tinyModel())
  for (const [file, source] of Object.entries(PROGRAMS)) writeFileSync(machine.path('project', file), source)
}

function smoke(platform, libraries, folder) {
  const machine = machineFor(platform.name, folder)
  install(machine, platform, libraries)
  console.log(`${platform.name}: ${machine.description}`)
  for (const { what, words, has, input, isShown } of PROBES) {
    const started = Date.now()
    const { status, stdout, stderr, error } = machine.run(words, input)
    const isGood = status === 0 && stdout.includes(has)
    const seconds = ((Date.now() - started) / 1000).toFixed(1)
    console.log(
      `  ${isGood ? 'works' : 'FAILS'} ${seconds.padStart(6)} s  ${what}${isShown ? `: ${stdout.trim()}` : ''}`,
    )
    if (isGood) continue
    process.exitCode = 1
    console.log(`${error?.message ?? `exit ${status}, without ${has}`}\n${stdout}\n${stderr}`.replace(/^/gm, '    '))
  }
}

// Made once: what is in a project is made anew.
const folder = join(root, '.cache', 'machines')
try {
  const libraries = resolve(values.libraries)
  const built = builtPlatforms(root, libraries)
  for (const name of positionals) {
    const platform = built.find((one) => one.name === name)
    if (platform === undefined) throw new Error(`no libraries of ${name} in ${libraries}`)
    smoke(platform, libraries, folder)
  }
} catch (error) {
  console.error(`error: ${error.message}`)
  process.exitCode = 1
}
