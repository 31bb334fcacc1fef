import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'

/**
 * Reads the arguments of `npm test`: which halves run, whether what was built is used as it is, and the commit with which the checkout is
 * compared when only the tests of a change run.
 */
export function testArguments(argv) {
  const [rest, changed] = withoutCommit(argv)
  const known = new Map([
    ['--only', 'half'],
    ['--prebuilt', undefined],
  ])
  requireKnown(rest, known, 'npm test', ['--changed'])
  const options = { only: { type: 'string' }, prebuilt: { type: 'boolean', default: false } }
  const { only, prebuilt: isPrebuilt } = parseArgs({ args: rest, options }).values
  const halves = ['node', 'rust'].filter((name) => only === undefined || name === only)
  if (halves.length === 0) throw refusal(`--only ${only} names no tests`, 'rust or node')
  return { halves, isPrebuilt, changed }
}

/** Takes `--changed` out of the arguments, with the commit that may follow it. */
function withoutCommit(argv) {
  const at = argv.indexOf('--changed')
  if (at < 0) return [argv, undefined]
  const [, commit = '-'] = argv.slice(at)
  const isNamed = !commit.startsWith('-')
  return [argv.toSpliced(at, isNamed ? 2 : 1), isNamed ? commit : 'HEAD']
}

/**
 * Reads the arguments of `npm start`: which program is meant, its own arguments, and the folder. A wrong one is refused before anything is
 * built, by what the reference says of `dashboard`, whose page is opened with `--open` only.
 */
export function commandLine(argv, root) {
  const rest = [...argv]
  const isTour = take(rest, '--tour')
  if (isTour) {
    requireKnown(rest, new Map([['--dir', 'folder'], ...HELP]), 'npm start', TAKEN)
    return { program: 'tour', args: rest, dir: undefined }
  }
  const at = rest.indexOf('--dir')
  const [, dir] = at < 0 ? [] : rest.splice(at, 2)
  if (at >= 0 && dir === undefined) throw refusal('--dir needs a folder')
  requireKnown(rest, new Map([...optionsOf(root), ...HELP]), 'npm start', TAKEN)
  return { program: 'main', args: ['serve', ...rest], dir }
}

/** The options of `serve`, which is `dashboard` without a browser, each with what it takes. */
function optionsOf(root) {
  const reference = readFileSync(join(root, 'docs', 'reference', 'cli.md'), 'utf8')
  const [, section = ''] = reference.split('\n### dashboard\n')
  const lines = section.split('\n### ')[0].matchAll(/^ {2}(?:-\w, )?(--[\w-]+)(?: <(\w+)>)? /gm)
  return new Map([...Array.from(lines, ([, name, takes]) => [name, takes]), ['--open', undefined]])
}

/** What has been taken from the words of `npm start` before they are looked at. */
const TAKEN = ['--dir', '--tour']
const HELP = [['-h', undefined]]

/** Refuses what a program does not know; `taken` is what it knows as well. */
function requireKnown(words, options, program, taken = []) {
  const rest = [...words]
  while (rest.length > 0) {
    const word = rest.shift()
    const [name, given] = word.split(/=(.*)/s)
    if (!options.has(name)) {
      const known = [...new Set([...taken, ...options.keys()])].filter((option) => option.startsWith('--'))
      throw refusal(`${program} does not know ${word}`, `it takes ${known.join(', ')}`)
    }
    const takes = options.get(name)
    if (takes === undefined) continue
    const value = given ?? rest.shift()
    if (value === undefined) throw refusal(`${name} needs a ${takes}`)
    if (takes === 'number' && !/^\d+$/.test(value)) throw refusal(`${name} needs a number, not ${value}`)
  }
}

const refusal = (message, hint) => Object.assign(new Error(message), { hint })

function take(list, word) {
  const at = list.indexOf(word)
  if (at >= 0) list.splice(at, 1)
  return at >= 0
}
