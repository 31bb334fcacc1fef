// Which sources the functions in the files of dist/ come from.
import { readFileSync } from 'node:fs'
import { SourceMap } from 'node:module'
import { join, relative, resolve } from 'node:path'
import { rolldown } from 'rolldown'
import { build } from 'vite'
import configs from '../../rolldown.config.mjs'
import { loadedFunctions } from './loaded.mjs'

/** What tsc compiles keeps its name, but for the file that loads the engine, which scripts/build-js.mjs renames. */
const RENAMED = new Map([['dist/native.js', 'lib/library.ts']])

/**
 * Bundles once more, in memory and with maps. `sourceAt` tells the source of a function by its file and where it begins, `isOnLoad` whether it
 * runs when its file is loaded; `hasFunctions` is for sources.
 */
export async function readBundles(root) {
  const bundles = new Map()
  for (const config of configs) {
    const bundle = await rolldown(config)
    const { output } = await bundle.generate({ ...config.output, sourcemap: 'hidden' })
    await bundle.close()
    for (const chunk of output) addBundle(root, bundles, config.output.dir, chunk)
  }
  const configFile = join(root, 'lib', 'dashboard', 'vite.config.mjs')
  const { output } = await build({ configFile, logLevel: 'warn', build: { write: false, sourcemap: 'hidden' } })
  for (const chunk of output) addBundle(root, bundles, join(root, 'dist', 'dashboard'), chunk)

  const at = (file, offset) => {
    const bundled = bundles.get(file)
    if (bundled !== undefined) return bundled(offset)
    return file.startsWith('dist/') ? (RENAMED.get(file) ?? file.replace(/^dist\/(.*)\.js$/, 'lib/$1.ts')) : file
  }
  const known = new Map()
  const sourceAt = (file, offset) => {
    const key = `${file}:${offset}`
    if (!known.has(key)) known.set(key, at(file, offset))
    return known.get(key)
  }
  const { all, onLoad } = loadedFunctions(root)
  const withFunctions = new Set(all.map(({ file, startOffset }) => sourceAt(file, startOffset)))
  return {
    sourceAt,
    isOnLoad: (file, offset) => onLoad.has(`${file}:${offset}`),
    hasFunctions: (source) => withFunctions.has(source),
    /** What only a browser loads has to be told of. */
    addFunction: (file, offset) => withFunctions.add(sourceAt(file, offset)),
  }
}

function addBundle(root, bundles, folder, { type, fileName, code, map }) {
  if (type !== 'chunk') return
  const path = join(folder, fileName)
  const file = nameIn(root, path)
  if (readFileSync(path, 'utf8') !== code) throw new Error(`${file} is not what lib/ is compiled to: npm run build:js`)
  // Files that only hand on what others have come from no source.
  if (map === null) return bundles.set(file, () => undefined)
  const from = resolve(path, '..')
  const lines = [0, ...Array.from(code.matchAll(/\n/g), ({ index }) => index + 1)]
  const entries = new SourceMap(JSON.parse(map.toString()))
  bundles.set(file, (offset) => {
    const line = lines.findLastIndex((start) => start <= offset)
    const { originalSource } = entries.findEntry(line, offset - lines[line])
    return originalSource && nameIn(root, resolve(from, originalSource))
  })
}

const nameIn = (root, path) => relative(root, path).replaceAll('\\', '/')
