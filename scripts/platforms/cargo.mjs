// How cargo compiles the libraries of a platform.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { ADDONS, ENGINE, LIBRARIES, PLATFORMS, PROGRAM } from '../addons/libraries.mjs'

const PROFILE = 'dist'
/** That of the program of hooks. */
export const PROGRAM_PROFILE = 'hook'
/** The oldest glibc that a library for Linux asks for. */
const GLIBC = '2.17'
/** What one run of cargo compiles. Together with the addons the engine would get features of its dependencies that only those ask for. */
const RUNS = [[ENGINE], ADDONS]

const optionsOf = (libraries) => ['--lib', '--locked', ...libraries.flatMap(({ crate }) => ['--package', crate])]

/** The targets by which Windows is checked on another system: their C library comes with zig. */
const CHECKED_AS = {
  'x86_64-pc-windows-msvc': 'x86_64-pc-windows-gnu',
  'aarch64-pc-windows-msvc': 'aarch64-pc-windows-gnullvm',
}

/** Compiles and links the libraries and the program of a target. */
export function compilePlatform(root, target) {
  for (const libraries of RUNS) compile(root, target, optionsOf(libraries))
  compile(root, target, ['--bins', '--locked', '--package', PROGRAM.crate], PROGRAM_PROFILE)
}

function compile(root, target, options, profile = PROFILE) {
  const { os, libc } = PLATFORMS[target]
  if (os !== 'linux') return cargo(root, ['build', '--profile', profile, ...options, '--target', target])
  const linked = libc === 'glibc' ? `${target}.${GLIBC}` : target
  // Rust links musl into programs, and makes no shared libraries then.
  const flags = libc === 'musl' ? { RUSTFLAGS: '-C target-feature=-crt-static' } : {}
  return cargo(root, ['zigbuild', '--profile', profile, ...options, '--target', linked], flags)
}

/** Compiles the crates of a target, and the C in them, without linking. */
export function checkPlatform(root, target) {
  const checked = CHECKED_AS[target] ?? target
  const folder = mkdtempSync(join(tmpdir(), 'forge-memory-check-'))
  try {
    // Where programs are linked with the GNU environment of Windows, Node's own library has to be there; nothing is linked here.
    writeFileSync(join(folder, 'libnode.dll'), '')
    run(root, 'cargo-zigbuild', ['check', ...optionsOf(LIBRARIES), '--target', checked], { LIBNODE_PATH: folder })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** The folder in which the libraries of a target, or its program, lie after they were built. */
export function builtIn(root, target, profile = PROFILE) {
  return join(resolve(root, process.env.CARGO_TARGET_DIR ?? 'target'), target, profile)
}

const cargo = (root, args, env) => run(root, 'cargo', args, env)

function run(root, command, args, env = {}) {
  const { status, error } = spawnSync(command, args, { cwd: root, stdio: 'inherit', env: { ...process.env, ...env } })
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} failed: ${error?.message ?? `exit ${status}`}`)
}
