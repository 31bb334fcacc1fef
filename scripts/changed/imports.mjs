// What modules import, as their text says: enough to tell which specifications a file can reach at all.
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'

const IMPORT = /\b(?:from|import|require)\s*\(?\s*(?:new URL\()?['"](\.\.?\/[^'"]+)['"]/g

/** Reads modules by their names in the checkout: `directly` lists what one imports, `reached` all that it leads to, itself included. */
export function importsIn(root) {
  const read = new Map()
  const directly = (file) => {
    if (!read.has(file)) read.set(file, importsOf(root, file))
    return read.get(file)
  }
  const reached = (file) => {
    const found = new Set([file])
    for (const each of found) for (const next of directly(each)) found.add(next)
    return found
  }
  return { directly, reached }
}

function importsOf(root, file) {
  const path = join(root, file)
  if (!/\.[cm]?[jt]sx?$/.test(file) || !existsSync(path)) return []
  return Array.from(readFileSync(path, 'utf8').matchAll(IMPORT), ([, to]) => sourceOf(root, resolve(dirname(path), to)))
}

/** Compiled files stand for their sources, by the names that these will have. */
function sourceOf(root, path) {
  const name = relative(root, path).replaceAll('\\', '/')
  const bare = name.replace(/^dist\//, 'lib/').replace(/\.js$/, '')
  return [`${bare}.ts`, `${bare}.tsx`].find((source) => existsSync(join(root, source))) ?? name
}
