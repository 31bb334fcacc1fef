// Writes the reference of the command line from what the built commands say about themselves.
//   node scripts/cli-reference.mjs           writes the generated part of docs/reference/cli.md
//   node scripts/cli-reference.mjs --check   exits with 1 where it is out of date
import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { printedBy } from './one-process/commands.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const page = `${root}docs/reference/cli.md`
const BEGIN = '<!-- begin: node scripts/cli-reference.mjs -->'
const END = '<!-- end -->'

/** The environment of a page of so many columns. */
function pageOf(columns) {
  const { FORCE_COLOR, ...env } = process.env
  return { ...env, COLUMNS: String(columns), NO_COLOR: '1' }
}

function run(args, columns) {
  const options = { encoding: 'utf8', env: pageOf(columns), maxBuffer: 1 << 26 }
  const { stdout, status, stderr } = spawnSync(process.execPath, [`${root}dist/cli/main.js`, ...args], options)
  if (status !== 0) throw new Error(`forge-memory ${args.join(' ')} failed: ${stderr}`)
  return stdout
}

/** The program as it describes itself: every command with its options and examples. */
export const described = () => JSON.parse(run(['help', '--json'], 80))

/** What a command prints about itself. */
export const helpOf = (words, columns = 100) => run([...words, '--help'], columns).trimEnd()

/** What each of several commands prints about itself, by its words. One process prints all: starting a hundred takes a minute. */
export function helpOfAll(paths, columns = 100) {
  const commands = paths.map((words) => ({ args: [...words, '--help'] }))
  const texts = printedBy(commands, pageOf(columns))
  return new Map(paths.map((words, at) => [words.join(' '), texts[at].trimEnd()]))
}

/** The paths of the program and of all its commands. */
export const pathsOf = ({ path, commands }) => [path, ...commands.flatMap(pathsOf)]

/** Without the options that every command has: they are listed once, at the top. */
const withoutGlobals = (help) => help.replace(/\n\nGlobal options:\n(?: .*\n?)*/, '\n').trimEnd()

/** Returns a section for each command, and one for each command of its own. */
export function renderCommands() {
  const program = described()
  const pages = helpOfAll(pathsOf(program))
  const sections = ({ path, commands }) => {
    const help = pages.get(path.join(' '))
    const shown = `\`\`\`\n${path.length === 0 ? help : withoutGlobals(help)}\n\`\`\`\n`
    const section = path.length === 0 ? shown : `${'#'.repeat(path.length + 2)} ${path.join(' ')}\n\n${shown}`
    return [section].concat(commands.flatMap(sections))
  }
  return sections(program).join('\n')
}

/** Returns the page with its generated part updated. */
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
