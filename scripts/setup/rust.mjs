import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

function problem(message, hint) {
  return Object.assign(new Error(message), { hint })
}

function oldestRust(root) {
  const manifest = readFileSync(join(root, 'Cargo.toml'), 'utf8')
  return /^rust-version\s*=\s*"([\d.]+)"/m.exec(manifest)?.[1] ?? '1.85'
}

function isOlder(version, oldest) {
  const [a, b] = [version, oldest].map((text) => text.split('.').map(Number))
  return a[0] < b[0] || (a[0] === b[0] && a[1] < b[1])
}

/** Returns what `rustc -vV` says, or throws with what to do when Rust is missing, broken or too old. */
export function requireRust(root) {
  const oldest = oldestRust(root)
  for (const command of ['cargo', 'rustc']) {
    const { status, error, stderr } = spawnSync(command, ['--version'], { cwd: root, encoding: 'utf8' })
    if (error) {
      const how = 'install it from https://rustup.rs, open a new terminal and run the same command again'
      throw problem(`Rust is needed to build the engine, but ${command} was not found`, how)
    }
    if (status !== 0) throw problem(`${command} does not work: ${stderr.trim()}`, 'rustup toolchain install stable')
  }
  const facts = spawnSync('rustc', ['-vV'], { cwd: root, encoding: 'utf8' }).stdout
  const version = /^release: ([\d.]+)/m.exec(facts)?.[1] ?? '0.0'
  if (isOlder(version, oldest))
    throw problem(`Rust ${version} is too old: ${oldest} or newer is needed`, 'rustup update stable')
  return facts
}
