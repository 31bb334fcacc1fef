// The imports of TypeScript files, as TypeScript's own parser reads them.
import { existsSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative, resolve } from 'node:path'
import { API } from 'typescript/unstable/sync'

const SOURCE = /\.tsx?$/

/** Lists the TypeScript files below a folder, relative to it, sorted. */
export function sourcesBelow(folder) {
  return readdirSync(folder, { recursive: true })
    .map((path) => String(path).replaceAll('\\', '/'))
    .filter((path) => SOURCE.test(path) && !path.endsWith('.d.ts'))
    .sort()
}

/** Parses TypeScript files and calls `visit` with the syntax tree of each. */
export function parseSources(folder, visit) {
  const real = realpathSync(folder)
  const files = sourcesBelow(real)
  // The parser wants a project; resolving nothing keeps it from reading packages.
  const scratch = mkdtempSync(join(realpathSync(tmpdir()), 'parse-'))
  const config = join(scratch, 'tsconfig.json')
  const options = { noResolve: true, noLib: true, types: [], jsx: 'preserve', module: 'nodenext' }
  writeFileSync(config, JSON.stringify({ compilerOptions: options, files: files.map((file) => join(real, file)) }))
  const api = new API({ cwd: scratch })
  try {
    const project = api.updateSnapshot({ openProjects: [config] }).getProjects()[0]
    for (const file of files) {
      const source = project.program.getSourceFile(join(real, file))
      if (source === undefined) throw new Error(`${file} was not parsed`)
      visit(file, source)
    }
  } finally {
    api.close()
    rmSync(scratch, { recursive: true, force: true })
  }
}

/**
 * Returns every import between the files of a folder as `{ from, to }`, paths relative to it: static and dynamic ones, exports from
 * another file, and types. What is outside of the folder is named with `..`.
 */
export function importsBelow(folder) {
  const found = []
  parseSources(folder, (from, source) => {
    for (const { text } of source.imports) {
      if (text.startsWith('.')) found.push({ from, to: targetOf(realpathSync(folder), from, text) })
    }
  })
  return found
}

/** Compiled files are imported by the names they will have. */
function targetOf(folder, from, specifier) {
  const path = resolve(folder, dirname(from), specifier)
  const bare = path.replace(/\.js$/, '')
  const target = [`${bare}.ts`, `${bare}.tsx`].find((candidate) => existsSync(candidate)) ?? path
  return relative(folder, target).replaceAll('\\', '/')
}
