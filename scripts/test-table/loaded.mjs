// What runs when a file of dist/ is loaded and nothing of it is used yet, which says nothing about a test.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

/** These do their work when they are loaded. */
const PROGRAMS = /^cli\/(main|tour|waiting-thread)\.js$|(thread|worker)\.js$|^dashboard\//

/**
 * Loads every file of dist/ in a process of its own. Returns the functions that this runs, by their file and where they begin, and all that V8
 * knows of.
 */
export function loadedFunctions(root) {
  const dist = join(root, 'dist')
  const files = readdirSync(dist, { recursive: true, encoding: 'utf8' }).map((path) => path.replaceAll('\\', '/'))
  const modules = files.filter((path) => path.endsWith('.js') && !PROGRAMS.test(path)).map((path) => join(dist, path))
  const folder = mkdtempSync(join(tmpdir(), 'forge-memory-loaded-'))
  const env = { ...process.env, NODE_V8_COVERAGE: folder }
  try {
    for (const args of [
      ['-e', `for (const path of ${JSON.stringify(modules)}) require(path); process.exit()`],
      [join(dist, 'cli', 'main.js'), '--version'],
    ]) {
      const { status, stderr } = spawnSync(process.execPath, args, { env, encoding: 'utf8' })
      if (status !== 0) throw new Error(`dist/ cannot be loaded: ${stderr}`)
    }
    const scripts = readdirSync(folder).flatMap((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')).result)
    return functionsOf(scripts.filter(({ url }) => url.startsWith('file:')).map((script) => named(root, script)))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const named = (root, { url, functions }) => ({
  file: relative(root, fileURLToPath(url)).replaceAll('\\', '/'),
  functions,
})

function functionsOf(scripts) {
  const all = scripts.flatMap(({ file, functions }) => {
    return functions.slice(1).map(({ ranges: [{ startOffset, count }] }) => ({ file, startOffset, count }))
  })
  const ran = all.filter(({ file, count }) => count > 0 && !PROGRAMS.test(file.replace('dist/', '')))
  return { all, onLoad: new Set(ran.map(({ file, startOffset }) => `${file}:${startOffset}`)) }
}
