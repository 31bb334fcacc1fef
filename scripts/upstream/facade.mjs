// Turns modules of Plan Forge into facades: the names that forge-memory/plan-forge has come from there, all others from the original.
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { pathToFileURL } from 'node:url'

/** The modules whose functions are replaced, below a checkout of Plan Forge. */
export const MODULES = [
  'pforge-mcp/memory.mjs',
  'pforge-mcp/hub.mjs',
  'pforge-mcp/lattice.mjs',
  'pforge-mcp/local-recall.mjs',
  'pforge-mcp/sync-memories.mjs',
  'pforge-sdk/src/hallmark.mjs',
]

const DECLARED = /^export\s+(?:async\s+)?(?:function\*?|class|const|let)\s+([\w$]+)/gm
const LISTED = /^export\s*\{([^}]*)\}/gm

/** The names that the source of a module exports. */
export function exportsOf(source) {
  const listed = [...source.matchAll(LISTED)].flatMap(([, names]) =>
    names
      .split(',')
      .map((name) =>
        name
          .trim()
          .split(/\s+as\s+/)
          .at(-1),
      )
      .filter((name) => name && name !== 'default'),
  )
  return [...new Set([...[...source.matchAll(DECLARED)].map(([, name]) => name), ...listed])]
}

/** Replaces the modules of a checkout; returns the replaced names by module. */
export function replaceModules(folder, entry, ours) {
  const replaced = {}
  for (const module of MODULES) {
    const path = join(folder, module)
    if (!existsSync(path)) continue
    const names = exportsOf(readFileSync(path, 'utf8')).filter((name) => ours.includes(name))
    if (names.length === 0) continue
    const original = path.replace(/\.mjs$/, '.original.mjs')
    renameSync(path, original)
    // A name that is exported here wins over one of `export *`.
    const from = JSON.stringify(pathToFileURL(entry).href)
    writeFileSync(path, `export * from './${basename(original)}'\nexport { ${names.join(', ')} } from ${from}\n`)
    replaced[module] = names
  }
  return replaced
}

/** Tells whether the source of a test imports a replaced module. */
export function measures(source, replaced) {
  return Object.keys(replaced).some((module) => new RegExp(`/${basename(module).replace('.', '\\.')}['"]`).test(source))
}
