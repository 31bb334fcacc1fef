// Which specifications a change needs, the most specific first.
import { dirname, relative } from 'node:path'
import { specFiles } from '../spec-files.mjs'
import { importsIn } from './imports.mjs'
import { readTable } from './table.mjs'

/** A specification that the table does not know takes about as long as most. */
const SECONDS_OF_NEW = 5

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
  const rank = ({ isChanged, isNew, files, imports }) => (isChanged ? -1 : isNew ? imports.size : files.size)
  const wanted = [...found]
    .map((spec) => ({ ...spec, isChanged: changed.includes(spec.name) }))
    .sort((a, b) => rank(a) - rank(b) || (a.name < b.name ? -1 : 1))
  return { wanted, unknown }
}

/** Every specification with what the table says of it: its `files` and seconds. `imports` are what its text leads to. */
function knownSpecs(root) {
  const table = readTable(root)
  const { reached } = importsIn(root)
  return specFiles(root).map((path) => {
    const name = relative(root, path).replaceAll('\\', '/')
    const noted = table.get(name.replace(/^__test__\/(.*)\.spec\.mjs$/, '$1'))
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
