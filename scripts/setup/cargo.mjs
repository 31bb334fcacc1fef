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
