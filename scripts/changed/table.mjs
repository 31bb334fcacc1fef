// The table of tests: which files each specification touches, and how many seconds it takes. `node scripts/test-table.mjs` writes it.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** What the table calls a specification. */
export const shortName = (path) => path.replace(/^__test__\/(.*)\.spec\.mjs$/, '$1')

const tablePath = (root) => join(root, 'scripts', 'changed', 'table.json')

/** Reads the table as a map from the name of a specification to its `seconds` and `files`. */
export function readTable(root) {
  const path = tablePath(root)
  if (!existsSync(path)) return new Map()
  const { folders, specs } = JSON.parse(readFileSync(path, 'utf8'))
  const files = Object.entries(folders).flatMap(([folder, names]) => names.map((name) => `${folder}${name}`))
  return new Map(
    Object.entries(specs).map(([name, [seconds, numbers]]) => {
      return [name, { seconds, files: numbersOf(numbers).map((number) => files[number]) }]
    }),
  )
}

/** Writes it with a line for each folder, and one for each specification: its seconds, and the numbers of its files in their order. */
export function writeTable(root, table) {
  const folders = new Map()
  for (const file of [...new Set([...table.values()].flatMap((spec) => spec.files))].sort()) {
    const folder = file.slice(0, file.lastIndexOf('/') + 1)
    folders.set(folder, [...(folders.get(folder) ?? []), file])
  }
  const numbers = new Map([...folders.values()].flat().map((file, at) => [file, at]))
  const specs = [...table].sort(([a], [b]) => (a < b ? -1 : 1))
  const folderLines = [...folders].map(([folder, files]) => {
    return `${JSON.stringify(folder)}: ${JSON.stringify(files.map((file) => file.slice(folder.length)))}`
  })
  const specLines = specs.map(([name, { seconds, files }]) => {
    const ranges = rangesOf(files.map((file) => numbers.get(file)).sort((a, b) => a - b))
    return `${JSON.stringify(name)}: [${seconds}, "${ranges}"]`
  })
  writeFileSync(
    tablePath(root),
    `{"folders": {\n${folderLines.join(',\n')}\n},\n"specs": {\n${specLines.join(',\n')}\n}}\n`,
  )
}

/** Sorted numbers as a text: `1-5 8`. */
function rangesOf(numbers) {
  const ranges = []
  for (const number of numbers) {
    const last = ranges.at(-1)
    if (last?.[1] === number - 1) last[1] = number
    else ranges.push([number, number])
  }
  return ranges.map(([from, to]) => (from === to ? `${from}` : `${from}-${to}`)).join(' ')
}

function numbersOf(text) {
  return text.split(' ').flatMap((range) => {
    const [from, to = from] = range.split('-').map(Number)
    return Array.from({ length: to - from + 1 }, (_, at) => from + at)
  })
}
