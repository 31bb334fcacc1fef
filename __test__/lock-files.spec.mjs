import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { root } from './support/project.mjs'

/** The dependencies that a crate names for its own code, not for its tests. */
function namedBy(manifest) {
  const tables = manifest.split(/^\[/m).filter((table) => /^(build-)?dependencies\]/.test(table))
  const lines = tables.flatMap((table) => table.split('\n').slice(1))
  return lines.flatMap((line) => {
    const [, name, value] = /^([\w-]+)(?:\.workspace)?\s*=\s*(.*)$/.exec(line) ?? []
    return name === undefined ? [] : [/package\s*=\s*"([^"]+)"/.exec(value)?.[1] ?? name]
  })
}

/** Our own crates in a lock file, each with the names of its dependencies. */
function lockedIn(lock) {
  const packages = lock.split('[[package]]').filter((text) => !/^source = /m.test(text))
  return packages.flatMap((text) => {
    const [, crate] = /^name = "forge-memory-([\w-]+)"/m.exec(text) ?? []
    const [, list = ''] = /^dependencies = \[([^\]]*)\]/m.exec(text) ?? []
    return crate === undefined ? [] : [[crate, [...list.matchAll(/"([^" ]+)/g)].map(([, name]) => name)]]
  })
}

for (const folder of ['.', 'fuzz', 'bench/references']) {
  test(`the lock file of ${folder} knows every dependency of our crates`, () => {
    const crates = lockedIn(readFileSync(join(root, folder, 'Cargo.lock'), 'utf8')).filter(([crate]) =>
      existsSync(join(root, 'crates', crate)),
    )
    assert.ok(crates.length >= 3)
    for (const [crate, locked] of crates) {
      const named = namedBy(readFileSync(join(root, 'crates', crate, 'Cargo.toml'), 'utf8'))
      assert.deepEqual(
        named.filter((name) => !locked.includes(name)),
        [],
        `${crate}: run cargo metadata in ${folder} and commit Cargo.lock`,
      )
    }
  })
}
