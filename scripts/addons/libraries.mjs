// The libraries: the engine's own, the addons with their packages, the crates that they are built from, and the names of their files.
import { copyFileSync, readFileSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'

/** The engine's own library. */
export const ENGINE = { name: 'forge-memory', crate: 'forge-memory' }
/** The program that hosts start at each event of an agent. It lies in the package of the engine as well. */
export const PROGRAM = { name: 'forge-memory-hook', crate: 'forge-memory-hook' }
/** How large it may be as it is published: it is copied, and started at every call of a tool. */
export const PROGRAM_BYTES_MAX = 4 << 20
/** How large the engine's own library may be as it is downloaded, compressed. */
export const ENGINE_PACKED_BYTES_MAX = 7 << 20

/** Each addon's package, and the crate whose library it holds. */
export const ADDONS = [
  {
    name: 'forge-memory-lattice',
    crate: 'forge-memory-grammars',
    what: 'the grammars of fifteen languages, with which forge-memory indexes a code graph',
  },
  {
    name: 'forge-memory-embed',
    crate: 'forge-memory-inference',
    what: 'what computes with models of sentences, by which forge-memory finds by meaning',
  },
]

/** All of them. */
export const LIBRARIES = [ENGINE, ...ADDONS]

/**
 * The platforms that packages are built for, by Rust's names for them. What `wasNeverRun` is checked by the compiler alone, and its package says so
 * when it is installed; docs/reference/platforms.md lists where the others were.
 */
export const PLATFORMS = {
  'x86_64-unknown-linux-gnu': { name: 'linux-x64-gnu', os: 'linux', cpu: 'x64', libc: 'glibc' },
  'aarch64-unknown-linux-gnu': { name: 'linux-arm64-gnu', os: 'linux', cpu: 'arm64', libc: 'glibc' },
  'x86_64-unknown-linux-musl': { name: 'linux-x64-musl', os: 'linux', cpu: 'x64', libc: 'musl' },
  'aarch64-unknown-linux-musl': { name: 'linux-arm64-musl', os: 'linux', cpu: 'arm64', libc: 'musl' },
  'x86_64-apple-darwin': { name: 'darwin-x64', os: 'darwin', cpu: 'x64', wasNeverRun: true },
  'aarch64-apple-darwin': { name: 'darwin-arm64', os: 'darwin', cpu: 'arm64', wasNeverRun: true },
  'x86_64-pc-windows-msvc': { name: 'win32-x64-msvc', os: 'win32', cpu: 'x64', wasNeverRun: true },
  'aarch64-pc-windows-msvc': { name: 'win32-arm64-msvc', os: 'win32', cpu: 'arm64', wasNeverRun: true },
}

/** How many bytes a file has once it is packed. */
export const packedBytes = (file) => gzipSync(readFileSync(file), { level: 9 }).length

/** The file of a package for a platform. */
export const fileOf = (name, platform) => `${name}.${platform}.node`

/** The file of the program in a package for a platform. */
export const programOf = ({ name, os }) => `${PROGRAM.name}.${name}${os === 'win32' ? '.exe' : ''}`

/** The file that cargo makes of a crate. */
export function libraryOf(crate, os) {
  const name = crate.replaceAll('-', '_')
  if (os === 'win32') return `${name}.dll`
  return `lib${name}.${os === 'darwin' ? 'dylib' : 'so'}`
}

/** Copies a library from the folder in which cargo has built it under the name that it is loaded by, and returns the file. */
export function placeLibrary({ name, crate }, platform, built, into) {
  return place(join(built, libraryOf(crate, platform.os)), join(into, fileOf(name, platform.name)))
}

/** The same for the program. */
export function placeProgram(platform, built, into) {
  const ending = platform.os === 'win32' ? '.exe' : ''
  return place(join(built, PROGRAM.crate + ending), join(into, programOf(platform)))
}

function place(built, file) {
  // Replaced, not overwritten: a process may have it loaded.
  copyFileSync(built, `${file}.tmp`)
  renameSync(`${file}.tmp`, file)
  return file
}
