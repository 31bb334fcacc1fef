import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { requireRust } from './rust.mjs'

/** Rust's name of this platform. */
export function hostTarget(root) {
  return /^host: (.+)$/m.exec(requireRust(root))?.[1].trim()
}

/** The environment in which libraries are compiled: with musl, code that Node loads shares its C library. napi build sets the same. */
export function libraryEnvironment(target) {
  const flags = process.env.RUSTFLAGS ?? process.env.CARGO_BUILD_RUSTFLAGS ?? ''
  const isSet = !target.includes('musl') || flags.includes('target-feature=-crt-static')
  return isSet ? process.env : { ...process.env, RUSTFLAGS: `${flags} -C target-feature=-crt-static` }
}

/**
 * The options with which cargo compiles as napi build has compiled the engine: with the same profile, and for the target that napi build
 * names. What one command has compiled is not compiled again by the next.
 */
export function engineOptions(root) {
  return ['--locked', '--release', '--target', hostTarget(root)]
}

/** The large crates: crates/tests and crates/unit-tests compile their tests with less optimisation, in a fraction of the time. */
export function largeCrates(root) {
  const manifests = ['tests', 'unit-tests'].map((name) =>
    readFileSync(join(root, 'crates', name, 'Cargo.toml'), 'utf8'),
  )
  const paths = manifests.flatMap((text) => Array.from(text.matchAll(/^path = "\.\.\/([\w-]+)\/(.+)"$/gm)))
  return [...new Set(paths.map(([, crate]) => crate))].sort()
}

/** The options with which cargo takes every crate, but not the tests of the large ones a second time. */
export function allCrates(root) {
  return ['--workspace', ...largeCrates(root).flatMap((crate) => ['--exclude', `forge-memory-${crate}`])]
}

/** Those with which cargo runs the samples in the documentation of the large ones. */
export function samplesOfLargeCrates(root) {
  return ['--doc', ...largeCrates(root).flatMap((crate) => ['-p', `forge-memory-${crate}`])]
}
