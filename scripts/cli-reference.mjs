// Writes the reference of the command line from what the built commands say about themselves.
//   node scripts/cli-reference.mjs           writes the generated part of docs/reference/cli.md
//   node scripts/cli-reference.mjs --check   exits with 1 where it is out of date
import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const page = `${root}docs/reference/cli.md`
const BEGIN = '<!-- begin: node scripts/cli-reference.mjs -->'
const END = '<!-- end -->'

/** What a command prints about itself, on a page of 100 columns. */
function helpOf(...words) {
  const { stdout, status, stderr } = spawnSync(process.execPath, [`${root}dist/cli/main.js`, ...words, '--help'], {
    encoding: 'utf8',
    env: { ...process.env, COLUMNS: '100', NO_COLOR: '1' },
  })
  if (status !== 0) throw new Error(`forge-memory ${words.join(' ')} --help failed: ${stderr}`)
  return stdout.trimEnd()
}

/** Without the options that every command has: they are listed once, at the top. */
const withoutGlobals = (help) => help.replace(/\n\nGlobal Options:\n(?: .*\n?)*/, '\n').trimEnd()

/** The names in the list of commands that a help text ends with; `help` itself is not one. */
function commandsIn(help) {
  const [, list = ''] = help.split('\nCommands:\n')
  return [...list.matchAll(/^ {2}([a-z][a-z-]*)/gm)].map(([, name]) => name).filter((name) => name !== 'help')
}

/** Returns a section for each command, and one for each command of its own. */
export function renderCommands() {
  const sections = (words, depth) => {
    const help = helpOf(...words)
    const shown = `\`\`\`\n${words.length === 0 ? help : withoutGlobals(help)}\n\`\`\`\n`
    const section = words.length === 0 ? shown : `${'#'.repeat(depth)} ${words.join(' ')}\n\n${shown}`
    return [section].concat(commandsIn(help).flatMap((name) => sections([...words, name], words.length === 0 ? 3 : 4)))
  }
  return sections([], 2).join('\n')
}

/** Returns the page with its generated part made anew. */
export function renderPage(text) {
  const [before, rest] = text.split(BEGIN)
  const [, after] = rest?.split(END) ?? []
  if (after === undefined) throw new Error(`${page} has no part between ${BEGIN} and ${END}`)
  return `${before}${BEGIN}\n\n${renderCommands()}\n${END}${after}`
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const now = readFileSync(page, 'utf8')
  const due = renderPage(now)
  if (process.argv.includes('--check')) process.exitCode = now === due ? 0 : 1
  else writeFileSync(page, due)
}
