import { mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { rest } from './waiting.mjs'

/** The checkout. */
export const root = fileURLToPath(new URL('../..', import.meta.url))

/** Makes an empty folder that goes away with the test. */
export function freshFolder(t) {
  const folder = realpathSync.native(mkdtempSync(join(tmpdir(), 'forge-memory-test-')))
  t.after(() => remove(folder))
  return folder
}

/** A server that ends after its folder may make one more file in it, and `rmSync` lists a folder only once. */
async function remove(folder) {
  for (let tries = 0; tries < 100; tries++) {
    try {
      return rmSync(folder, { recursive: true, force: true })
    } catch {
      await rest(50)
    }
  }
  // It is a temporary folder, and what ends the servers of the test may come after this.
}

/** Captures a record with an expiry that is near, and returns its id once that has passed: an expiry in the past is refused. */
export function expired(capture) {
  const at = Date.now() + 500
  const id = capture({ expiresAt: new Date(at).toISOString() })
  while (Date.now() <= at) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10)
  return id
}

/** Reads a JSON Lines file as objects. */
export function readLines(...path) {
  const text = readFileSync(join(...path), 'utf8')
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))
}

/** Lists every file in or under a folder, with forward slashes, sorted. */
export function filesUnder(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) =>
      join(entry.parentPath ?? entry.path, entry.name)
        .slice(folder.length + 1)
        .replaceAll('\\', '/'),
    )
    .sort()
}
