// The one list of JavaScript test files: `node --test` takes no patterns before Node 21.
import { readdirSync } from 'node:fs'
import { join } from 'node:path'

/** Returns the path of every `*.spec.mjs` under `__test__`, sorted. */
export function specFiles(root) {
  return readdirSync(join(root, '__test__'), { recursive: true })
    .map(String)
    .filter((path) => path.endsWith('.spec.mjs'))
    .sort()
    .map((path) => join(root, '__test__', path))
}
