// Which specifications a change needs, the most specific first.
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { specFiles } from '../spec-files.mjs'
import { importsIn } from './imports.mjs'
import { readTable, shortName } from './table.mjs'

/** A specification that the table does not know takes about as long as most. */
const SECONDS_OF_NEW = 5
/** What a file calls that which it offers: a tool, a route, an option. */
const NAME = /'([\w-]*[_/-][\w/:-]{4,})'/g
/** A name that more specifications have in their text says little of each. */
const NAMED_BY_MAX = 8

/**
 * Returns the specifications that the changed files touch, in the order in which they are `wanted`, each with its name and seconds, and as
 * `unknown` the files that none is known to touch. `through` are specifications for what no table says.
 */
export function selectSpecs(root, changed, through = []) {
  const specs = knownSpecs(root)
  const known = new Set(specs.flatMap(({ files }) => [...files]))
  const found = new Set(specs.filter(({ name }) => through.includes(name)))
  const unknown = changed.filter((file) => {
    const touching = specs.filter((spec) => touches(spec, file, known.has(file)))
    for (const spec of touching) found.add(spec)
    return touching.length === 0
  })
  const naming = specsNaming(root, specs, changed)
  const rank = ({ name }) => (changed.includes(name) ? 0 : naming.has(name) ? 1 : 2)
  const breadth = ({ isNew, files, imports }) => (isNew ? imports.size : files.size)
  const wanted = [...found]
    .map((spec) => ({ ...spec, isChanged: changed.includes(spec.name) }))
    .sort((a, b) => rank(a) - rank(b) || breadth(a) - breadth(b) || (a.name < b.name ? -1 : 1))
  return { wanted, unknown }
}

/** The specifications that ask for something in the changed files by its name. */
function specsNaming(root, specs, changed) {
  const read = (file) => (existsSync(join(root, file)) ? readFileSync(join(root, file), 'utf8') : '')
  const sources = changed.filter((file) => /\.[cm]?[jt]sx?$/.test(file) && !file.startsWith('__test__/'))
  const names = new Set(sources.flatMap((file) => Array.from(read(file).matchAll(NAME), ([, name]) => name)))
  const texts = names.size === 0 ? [] : specs.map(({ name }) => [name, read(name)])
  const naming = Array.from(names, (name) => texts.filter(([, text]) => text.includes(name)).map(([spec]) => spec))
  return new Set(naming.filter((found) => found.length <= NAMED_BY_MAX).flat())
}

/** Every specification with what the table says of it: its `files` and seconds. `imports` are what its text leads to. */
function knownSpecs(root) {
  const table = readTable(root)
  const { reached } = importsIn(root)
  return specFiles(root).map((path) => {
    const name = relative(root, path).replaceAll('\\', '/')
    const noted = table.get(shortName(name))
    const seconds = noted?.seconds ?? SECONDS_OF_NEW
    return { name, seconds, isNew: noted === undefined, files: new Set(noted?.files), imports: reached(name) }
  })
}

/**
 * The table is right about what it knows, so that it may be older than the checkout: helpers of the tests, new specifications and new
 * files are found by what imports them, and new files also by who looks through their folders.
 */
function touches({ name, files, imports, isNew }, file, isKnown) {
  if (name === file || files.has(file)) return true
  const isByText = isNew || !isKnown || file.startsWith('__test__/support/')
  if (isByText && imports.has(file)) return true
  return (
    !isKnown &&
    [`${dirname(file)}/*`, ...foldersOf(file).map((folder) => `${folder}/**`)].some((folder) => files.has(folder))
  )
}

function foldersOf(file) {
  const folder = dirname(file)
  return folder === '.' ? [] : [folder, ...foldersOf(folder)]
}
