// Trees of source files: copies of installed packages, and made-up modules that call each other.
import { cpSync, mkdirSync, readdirSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, extname, join, relative } from 'node:path'
import { Random } from './random.mjs'

const SCRIPTS = new Set(['.js', '.mjs', '.cjs', '.ts', '.mts', '.cts', '.tsx', '.jsx'])
/** Long enough ago that no file counts as young. */
const WRITTEN = new Date('2024-01-01T00:00:00Z')
const MAX_BYTES = 200 * 1024

/** Copies the first script files below a folder, and returns how many there were. */
export function copyScripts(from, to, count) {
  const files = readdirSync(from, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && SCRIPTS.has(extname(entry.name)))
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
    .filter((path) => statSync(path).size <= MAX_BYTES)
    .sort()
    .slice(0, count)
  let bytes = 0
  for (const path of files) {
    const target = join(to, 'src', relative(from, path))
    mkdirSync(dirname(target), { recursive: true })
    cpSync(path, target)
    utimesSync(target, WRITTEN, WRITTEN)
    bytes += statSync(path).size
  }
  return { count: files.length, bytes, first: join('src', relative(from, files[0])) }
}

const VERBS = ['load', 'store', 'parse', 'render', 'check', 'merge', 'find', 'send', 'close', 'open']
const NOUNS = ['user', 'session', 'order', 'basket', 'price', 'token', 'page', 'record', 'index', 'queue']

const nameOf = (file, at) => {
  const [verb, noun] = [VERBS[(file + at) % 10], NOUNS[(file * 7 + at * 3) % 10]]
  return `${verb}${noun[0].toUpperCase()}${noun.slice(1)}${file}x${at}`
}

/** Writes modules of ten functions each, every one of which calls two others: here or in an imported module. */
export function writeModules(dir, files) {
  const random = new Random(7)
  const names = []
  for (let file = 0; file < files; file += 1) {
    const other = random.below(files)
    const lines = [`import * as other from './m${other}.js'`]
    for (let at = 0; at < 10; at += 1) {
      const [near, far] = [nameOf(file, (at + 1) % 10), nameOf(other, random.below(10))]
      names.push(nameOf(file, at))
      lines.push(`/** Turns one ${NOUNS[at]} into another. */`)
      lines.push(`export function ${nameOf(file, at)}(input) {`, `  const result = ${near}(input)`)
      lines.push(`  return other.${far}(result)`, '}')
    }
    const path = join(dir, 'src', `m${file}.js`)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, `${lines.join('\n')}\n`)
    utimesSync(path, WRITTEN, WRITTEN)
  }
  return names
}
