import { requireRust } from './rust.mjs'

/**
 * The options with which cargo compiles as napi build has compiled the engine: with the same profile, and for the target that napi build
 * names. What one command has compiled is not compiled again by the next.
 */
export function engineOptions(root) {
  const host = /^host: (.+)$/m.exec(requireRust(root))?.[1]
  return ['--locked', '--release', '--target', host.trim()]
}
