import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { requireRust } from './rust.mjs'

/** npm as it was started, because on Windows `npm` is a script that cannot be spawned without a shell. */
function npm(...args) {
  const script = process.env.npm_execpath
  if (script?.endsWith('.js')) return { command: process.execPath, args: [script, ...args] }
  return { command: 'npm', args, shell: process.platform === 'win32' }
}

const node = (...args) => ({ command: process.execPath, args })

/** Libraries that lie in the package root, whatever platform they are for. */
function libraries(root, pattern) {
  return readdirSync(root).filter((name) => pattern.test(name))
}

const ENGINE = /^forge-memory\..+\.node$/
const ENGINE_AND_PROGRAM = /^forge-memory(\..+\.node$|-hook\.)/
const ADDON = /^forge-memory-\w+\..+\.node$/

const RUST = ['Cargo.toml', 'Cargo.lock', 'build.rs', 'rust-toolchain.toml', '.cargo', 'src', 'crates']

/** What the engine's two steps have in common. */
const ENGINE_STEP = {
  needs: requireRust,
  inputs: () => [...RUST, 'package.json', 'scripts/build-engine.mjs', 'scripts/addons'],
  // Its last crates are compiled one at a time, and TypeScript needs of it only index.d.ts, which is committed.
  beside: ['programs'],
}

/**
 * What makes a checkout usable, in order. A step is skipped while the bytes of its inputs and outputs are those that it
 * left behind; `needs` says in one string what else it depends on. One that is `partOf` another is run only when that one is left for later.
 * While a step runs, those that it names as `beside` are brought up to date, one after the other.
 */
export const steps = [
  {
    name: 'engine alone',
    partOf: 'engine',
    title: 'building the engine (Rust, optimised), with the packages and TypeScript beside it',
    ...ENGINE_STEP,
    // It needs no package, and takes by far the longest.
    beside: ['packages', 'programs'],
    outputs: (root) => libraries(root, ENGINE),
    isComplete: (root) => libraries(root, ENGINE).length > 0,
    run: (root) => node(join(root, 'scripts/build-engine.mjs'), '--release', '--alone'),
  },
  {
    name: 'packages',
    title: 'installing JavaScript packages',
    inputs: () => ['package-lock.json'],
    outputs: () => ['node_modules/.package-lock.json'],
    run: () => npm('ci', '--include=dev', '--no-audit', '--no-fund', '--loglevel=error'),
  },
  {
    name: 'engine',
    title: 'building the engine and the program of hooks (Rust, optimised)',
    ...ENGINE_STEP,
    outputs: (root) => [...libraries(root, ENGINE_AND_PROGRAM), 'index.js', 'index.d.ts'],
    isComplete: (root) => libraries(root, ENGINE_AND_PROGRAM).length > 1,
    run: (root) => node(join(root, 'scripts/build-engine.mjs'), '--release'),
  },
  {
    name: 'programs',
    title: 'compiling TypeScript',
    inputs: () =>
      ['lib', 'index.d.ts', 'package.json', 'package-lock.json', 'rolldown.config.mjs', 'scripts/build-js.mjs'].concat([
        'tsconfig.json',
        'tsconfig.build.json',
      ]),
    outputs: () => ['dist'],
    run: (root) => node(join(root, 'scripts/build-js.mjs')),
  },
  {
    // The last one: a memory answers without it.
    name: 'addons',
    title: 'building the code graph and the models (Rust, optimised)',
    needs: requireRust,
    inputs: () => [...RUST, 'scripts/build-addons.mjs', 'scripts/addons'],
    outputs: (root) => libraries(root, ADDON),
    isComplete: (root) => libraries(root, ADDON).length > 0,
    run: (root) => node(join(root, 'scripts/build-addons.mjs'), '--release'),
  },
]
