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

/** Replaces the modules of a checkout by those of an entry; returns the replaced names by module. */
export function replaceModules(folder, ours, entry) {
  const from = JSON.stringify(pathToFileURL(entry).href)
  return facadesIn(folder, ours, (names) => `export { ${names.join(', ')} } from ${from}\n`)
}

/** Replaces the same names by functions that throw: what passes with them tests nothing of them. */
export function nothingInstead(folder, ours) {
  const gone = (name) => `export function ${name}() { throw new Error('${name} is not there') }\n`
  return facadesIn(folder, ours, (names) => names.map(gone).join(''))
}

function facadesIn(folder, ours, exported) {
  const replaced = {}
  for (const module of MODULES) {
    const path = join(folder, module)
    if (!existsSync(path)) continue
    const names = exportsOf(readFileSync(path, 'utf8')).filter((name) => ours.includes(name))
    if (names.length === 0) continue
    const original = path.replace(/\.mjs$/, '.original.mjs')
    renameSync(path, original)
    // A name that is exported here wins over one of `export *`.
    writeFileSync(path, `export * from './${basename(original)}'\n${exported(names)}`)
    replaced[module] = names
  }
  return replaced
}

/** Tells whether the source of a test imports a replaced module. */
export function measures(source, replaced) {
  return Object.keys(replaced).some((module) => new RegExp(`/${basename(module).replace('.', '\\.')}['"]`).test(source))
}
