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

/** Addons that lie in the package root, whatever platform they are for. */
function addons(root) {
  return readdirSync(root).filter((name) => /^forge-memory\..+\.node$/.test(name))
}

/**
 * What makes a checkout usable, in order. A step is skipped while the bytes of its inputs and outputs are those that it
 * left behind; `needs` says in one string what else it depends on.
 */
export const steps = [
  {
    name: 'packages',
    title: 'installing JavaScript packages',
    inputs: () => ['package-lock.json'],
    outputs: () => ['node_modules/.package-lock.json'],
    run: () => npm('ci', '--include=dev', '--no-audit', '--no-fund', '--loglevel=error'),
  },
  {
    name: 'engine',
    title: 'building the engine (Rust, optimised)',
    needs: requireRust,
    inputs: () => [
      'Cargo.toml',
      'Cargo.lock',
      'build.rs',
      'rust-toolchain.toml',
      '.cargo',
      'src',
      'crates',
      'package.json',
    ],
    outputs: (root) => [...addons(root), 'index.js', 'index.d.ts'],
    isComplete: (root) => addons(root).length > 0,
    run: (root) =>
      node(join(root, 'node_modules/@napi-rs/cli/dist/cli.js'), 'build', '--platform', '--release', '--', '--locked'),
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
]
