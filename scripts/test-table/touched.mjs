// What the processes of one specification have noted, as the list of the files that it touches.
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { importsIn } from '../changed/imports.mjs'
import { readBundles } from './bundles.mjs'

/** Installed copies of the package, which tests make elsewhere, are what lies here. */
const INSTALLED = /\/node_modules\/forge-memory\/(dist\/.*)$/
/** The dashboard as a browser loads it. */
const SERVED = /^https?:.*\/(assets\/[^/?#]+\.js)$/
/** What tsc writes at the top of files, and calls there. */
const HELPERS = /^__\w+$/

/** Reads this checkout, and returns a function that returns the files which the notes in a folder tell of. */
export async function touchedIn(root) {
  const bundles = await readBundles(root)
  const native = nativeFilesIn(root)
  const git = ['ls-files', '--cached', '--others', '--exclude-standard', '-z']
  const sources = execFileSync('git', git, { cwd: root, encoding: 'utf8', maxBuffer: 1 << 28 }).split('\0')
  const own = new Set(sources.filter((name) => name !== '' && !/\.spec\.mjs$|^scripts\/test-table\//.test(name)))
  const folders = new Set(
    [...own].flatMap((name) =>
      name
        .split('/')
        .slice(0, -1)
        .map((_, at, parts) => parts.slice(0, at + 1).join('/')),
    ),
  )
  const { directly } = importsIn(root)
  return (folder) => {
    const touched = new Set()
    for (const name of readdirSync(folder)) {
      const text = readFileSync(join(folder, name), 'utf8')
      if (name.startsWith('noted-')) addNoted(touched, text, native)
      else if (name.endsWith('.json')) addCoverage(touched, root, parsed(text), bundles)
    }
    // What has no function is touched by those who use it.
    for (const file of touched) {
      if (!file.startsWith('lib/')) continue
      for (const other of directly(file)) if (!bundles.hasFunctions(other)) touched.add(other)
    }
    return [...touched]
      .filter((name) => own.has(name.replace(/\(\)$/, '')) || folders.has(name.replace(/\/\*+$/, '')))
      .sort()
  }
}

/** A process that is killed while it writes leaves half a file. */
function parsed(text) {
  try {
    return JSON.parse(text).result
  } catch {
    return []
  }
}

function addNoted(touched, text, native) {
  for (const line of text.split('\n')) {
    const [, what, name] = /^(read|call) (.+)$/.exec(line) ?? []
    if (what === 'read') touched.add(name)
    if (what === 'call' && native.has(name)) touched.add(native.get(name))
  }
}

function addCoverage(touched, root, scripts, { sourceAt, isOnLoad, addFunction }) {
  for (const { url, functions } of scripts) {
    const file = fileOf(root, url)
    if (file === undefined) continue
    // The first function is the module itself.
    for (const { functionName, ranges } of functions.slice(1)) {
      const [{ startOffset, count }] = ranges
      if (file.startsWith('dist/dashboard/')) addFunction(file, startOffset)
      if (count > 0 && !HELPERS.test(functionName) && !isOnLoad(file, startOffset))
        touched.add(sourceAt(file, startOffset) ?? '')
    }
  }
}

function fileOf(root, url) {
  const served = SERVED.exec(url)
  if (served !== null) return `dist/dashboard/${served[1]}`
  if (!url.startsWith('file:')) return undefined
  const installed = INSTALLED.exec(url)
  if (installed !== null) return installed[1]
  return relative(root, fileURLToPath(url)).replaceAll('\\', '/')
}

/** Where each function of the addon is: napi exports `pub fn some_name` as `someName`. Whoever calls it touches `src/file.rs()`. */
function nativeFilesIn(root) {
  const files = readdirSync(join(root, 'src')).filter((name) => name.endsWith('.rs'))
  return new Map(
    files.flatMap((name) => {
      const functions = readFileSync(join(root, 'src', name), 'utf8').matchAll(/^pub (?:async )?fn (\w+)/gm)
      return Array.from(functions, ([, snake]) => [camelCase(snake), `src/${name}()`])
    }),
  )
}

const camelCase = (snake) => snake.replace(/_(\w)/g, (_, letter) => letter.toUpperCase())
