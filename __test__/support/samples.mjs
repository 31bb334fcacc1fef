import { spawnSync } from 'node:child_process'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './project.mjs'

/** The samples of a page in JavaScript, with their line numbers. */
export function samplesOf({ blocks }) {
  return blocks.filter(({ language }) => language === 'js')
}

/** Every name that the samples of a page import from this package, as `module name`, if they also use it. */
export function namesUsed(page) {
  const text = samplesOf(page)
    .map(({ lines }) => lines.join('\n'))
    .join('\n')
  const imports = [...text.matchAll(/^import \{([^}]+)\} from '(forge-memory[^']*)'/gm)]
  const code = text.replace(/^import .*$/gm, '').replace(/\/\/.*$/gm, '')
  return imports.flatMap(([, names, module]) =>
    names
      .split(',')
      .map((name) => name.trim().split(' as '))
      .filter(([name, local = name]) => new RegExp(`\\b${local}\\b`).test(code))
      .map(([name]) => `${module} ${name}`),
  )
}

/**
 * Returns a program that runs the samples of a page one after the other. `expression // => shape` is an assertion, and so is a line
 * `// => shape` after a declaration. A shape is a literal in which `String`, `Number`, `Boolean`, `Array` and `Object` stand for any
 * value of that type, a regular expression for a text that matches it, and an object for one that has at least these fields.
 */
export function programOf(page) {
  const lines = samplesOf(page).flatMap(({ lines, line }) => checked(lines, page.path, line + 1))
  return [PRELUDE, ...lines].join('\n')
}

function checked(lines, path, firstLine) {
  let declared
  return lines.map((text, at) => {
    const place = JSON.stringify(`${path}:${firstLine + at}`)
    declared = /^const (\w+) = /.exec(text)?.[1] ?? declared
    const [, code, shape] = /^(.*?)\s*\/\/ => (.+)$/.exec(text) ?? []
    if (shape === undefined) return text
    if (code === '') return `$check(${declared}, ${shape}, ${place})`
    const isDeclaration = code.startsWith('const ')
    return isDeclaration ? `${code}; $check(${declared}, ${shape}, ${place})` : `$check(${code}, ${shape}, ${place})`
  })
}

const PRELUDE = `
import $assert from 'node:assert/strict'
const $types = new Map([[String, 'string'], [Number, 'number'], [Boolean, 'boolean']])
function $matches(actual, shape) {
  if ($types.has(shape)) return typeof actual === $types.get(shape)
  if (shape === Array) return Array.isArray(actual)
  if (shape === Object) return typeof actual === 'object' && actual !== null
  if (shape instanceof RegExp) return shape.test(actual)
  if (Array.isArray(shape)) {
    return Array.isArray(actual) && actual.length === shape.length && shape.every((each, at) => $matches(actual[at], each))
  }
  if (typeof shape !== 'object' || shape === null) return Object.is(actual, shape)
  return Object(actual) === actual && Object.keys(shape).every((name) => $matches(actual[name], shape[name]))
}
function $check(actual, shape, place) {
  if (!$matches(actual, shape)) $assert.deepEqual(actual, shape, place + ': the answer is ' + JSON.stringify(actual, null, 1))
}
`

/** Runs the samples of a page in an empty project, with an empty folder of the user. Returns its exit status and its output. */
export function runSamples(page, folder) {
  const project = join(folder, 'project')
  mkdirSync(project)
  mkdirSync(join(folder, 'node_modules'))
  symlinkSync(root, join(folder, 'node_modules', 'forge-memory'), 'junction')
  const file = join(folder, 'samples.mjs')
  writeFileSync(file, programOf(page))
  const env = { ...process.env, FORGE_HOME: join(folder, 'home') }
  return spawnSync(process.execPath, [file], { cwd: project, env, encoding: 'utf8', timeout: 300_000 })
}
