import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Reads the arguments of `npm start`: which program is meant, its own arguments, and the folder. A wrong one is refused before anything is
 * built, by what the reference says of `dashboard`, whose page is opened with `--open` only.
 */
export function commandLine(argv, root) {
  const rest = [...argv]
  const isTour = take(rest, '--tour')
  if (isTour) {
    requireKnown(rest, new Map([['--dir', 'folder']]))
    return { program: 'tour', args: rest, dir: undefined }
  }
  const at = rest.indexOf('--dir')
  const [, dir] = at < 0 ? [] : rest.splice(at, 2)
  if (at >= 0 && dir === undefined) throw refusal('--dir needs a folder')
  requireKnown(rest, optionsOf(root))
  return { program: 'main', args: ['serve', ...rest], dir }
}

/** The options of `serve`, which is `dashboard` without a browser, each with what it takes. */
function optionsOf(root) {
  const reference = readFileSync(join(root, 'docs', 'reference', 'cli.md'), 'utf8')
  const [, section = ''] = reference.split('\n### dashboard\n')
  const lines = section.split('\n### ')[0].matchAll(/^ {2}(?:-\w, )?(--[\w-]+)(?: <(\w+)>)? /gm)
  return new Map([...Array.from(lines, ([, name, takes]) => [name, takes]), ['--open', undefined]])
}

function requireKnown(words, options) {
  const rest = [...words]
  while (rest.length > 0) {
    const word = rest.shift()
    const [name, given] = word.split(/=(.*)/s)
    if (!options.has(name) && name !== '-h') {
      const known = [...new Set(['--dir', '--tour', ...options.keys()])].join(', ')
      throw refusal(`npm start does not know ${word}`, `it takes ${known}`)
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
