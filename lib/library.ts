// Loads the engine's library before anything imports it, so that a machine without one is told what to do.
import { createRequire } from 'node:module'

const WAYS = [
  'install again on this machine, with optional dependencies, which hold the engine: npm install forge-memory --include=optional',
  'build it, with Rust: npm start in a clone of the sources, then npm link',
  'use a platform that has a package: Linux (glibc or musl), macOS or Windows, on x64 or arm64',
]

/** The machine, in the words of the packages. */
function platform(): string {
  const { header } = process.report.getReport() as { header: { glibcVersionRuntime?: string } }
  const libc = process.platform !== 'linux' ? '' : header.glibcVersionRuntime === undefined ? '-musl' : '-gnu'
  return `${process.platform}-${process.arch}${libc}`
}

/** Returns why a library that is there was not loaded. The loader tries several places, and chains what it met. */
function refusalOf(error: unknown): Error | undefined {
  for (let cause = error, depth = 0; cause instanceof Error && depth < 20; cause = cause.cause, depth += 1) {
    const code = 'code' in cause ? cause.code : undefined
    if (typeof code === 'string' && code !== 'MODULE_NOT_FOUND') return cause
  }
  return undefined
}

function explained(error: unknown): Error {
  const refusal = refusalOf(error)
  const what = refusal === undefined ? 'is not installed' : `cannot be loaded: ${refusal.message}`
  const message = `the engine for this machine (${platform()}) ${what}`
  const hint = WAYS.map((way, at) => `${at + 1}. ${way}`).join('; ')
  return Object.assign(new Error(message), { code: 'UNSUPPORTED', hint })
}

try {
  createRequire(__filename)('../index.js')
} catch (error) {
  throw explained(error)
}
