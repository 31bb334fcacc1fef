import { requireRust } from './rust.mjs'

/** Rust's name of this platform. */
export function hostTarget(root) {
  return /^host: (.+)$/m.exec(requireRust(root))?.[1].trim()
}

/**
 * The options with which cargo compiles as napi build has compiled the engine: with the same profile, and for the target that napi build
 * names. What one command has compiled is not compiled again by the next.
 */
export function engineOptions(root) {
  return ['--locked', '--release', '--target', hostTarget(root)]
}
