import { mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
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

/** Dates the expiry of a record back, as if its time had passed. */
export function expire(project, id) {
  const path = join(project, '.forge', 'memory-captures.jsonl')
  const dated = (line) =>
    line.includes(`"id":"${id}"`)
      ? JSON.stringify({ ...JSON.parse(line), expiresAt: '2020-01-01T00:00:00.000Z' })
      : line
  writeFileSync(path, readFileSync(path, 'utf8').split('\n').map(dated).join('\n'))
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
