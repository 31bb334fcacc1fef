import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

const IGNORED = new Set(['target', 'node_modules', '.git'])

function filesUnder(root, path) {
  const full = join(root, path)
  if (!existsSync(full)) return []
  if (!statSync(full).isDirectory()) return [path]
  return readdirSync(full)
    .filter((name) => !IGNORED.has(name))
    .sort()
    .flatMap((name) => filesUnder(root, `${path}/${name}`))
}

/** Returns one hash over the names and bytes of all files in or under the given paths. Missing paths count as empty. */
export function fingerprint(root, paths, extra = '') {
  const hash = createHash('sha256').update(extra)
  for (const path of paths.flatMap((path) => filesUnder(root, path))) {
    const bytes = readFileSync(join(root, path))
    hash.update(`\0${path}\0${bytes.length}\0`).update(bytes)
  }
  return hash.digest('hex')
}

const stampPath = (root) => join(root, 'node_modules', '.cache', 'forge-memory', 'setup.json')

/** Reads which steps were done with which inputs and outputs; an unreadable file means none. */
export function readStamps(root) {
  try {
    return JSON.parse(readFileSync(stampPath(root), 'utf8'))
  } catch {
    return {}
  }
}

export function writeStamps(root, stamps) {
  mkdirSync(dirname(stampPath(root)), { recursive: true })
  writeFileSync(stampPath(root), `${JSON.stringify(stamps, null, 2)}\n`)
}
