// The addons: their packages, the crates that they are built from, and the names of their files.

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

/** The platforms that packages are built for, by Rust's names for them. */
export const PLATFORMS = {
  'x86_64-unknown-linux-gnu': { name: 'linux-x64-gnu', os: 'linux', cpu: 'x64', libc: 'glibc' },
  'aarch64-unknown-linux-gnu': { name: 'linux-arm64-gnu', os: 'linux', cpu: 'arm64', libc: 'glibc' },
  'x86_64-unknown-linux-musl': { name: 'linux-x64-musl', os: 'linux', cpu: 'x64', libc: 'musl' },
  'aarch64-unknown-linux-musl': { name: 'linux-arm64-musl', os: 'linux', cpu: 'arm64', libc: 'musl' },
  'x86_64-apple-darwin': { name: 'darwin-x64', os: 'darwin', cpu: 'x64' },
  'aarch64-apple-darwin': { name: 'darwin-arm64', os: 'darwin', cpu: 'arm64' },
  'x86_64-pc-windows-msvc': { name: 'win32-x64-msvc', os: 'win32', cpu: 'x64' },
  'aarch64-pc-windows-msvc': { name: 'win32-arm64-msvc', os: 'win32', cpu: 'arm64' },
}

/** The file of a package for a platform. */
export const fileOf = (name, platform) => `${name}.${platform}.node`

/** The file that cargo makes of a crate. */
export function libraryOf(crate, os) {
  const name = crate.replaceAll('-', '_')
  if (os === 'win32') return `${name}.dll`
  return `lib${name}.${os === 'darwin' ? 'dylib' : 'so'}`
}
