// Writes the manual page from what the built commands say about themselves: the source of the help and of the reference.
//   node scripts/man-page.mjs           writes man/forge-memory.1
//   node scripts/man-page.mjs --check   exits with 1 where it is out of date
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { described } from './cli-reference.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
export const PAGE = `${root}man/forge-memory.1`

const SIGNS = { '\\': '\\e', '-': '\\-', '~': '\\(ti', '^': '\\(ha', '`': '\\(ga', "'": '\\(aq', '"': '\\(dq' }

/** Text for roff: signs that it would change are written by name, and no line is taken for a request. */
function roff(text) {
  const escaped = text
    .replace(/[\\~^`'"-]/g, (sign) => SIGNS[sign])
    .replace(/[^\n -~]/gu, (sign) => `\\[u${sign.codePointAt(0).toString(16).toUpperCase().padStart(4, '0')}]`)
  return escaped.replace(/^\./gm, '\\&.')
}

const bold = (text) => `\\fB${roff(text)}\\fR`

/** A term with what it is, indented below. */
const item = (term, text) => `.TP\n${term}\n${roff(text)}`

/** Bold for what is typed, and italics for what stands for something else. */
function flags(text) {
  return text
    .split(/([<[][^>\]]+[>\]])/)
    .map((part) => (/^[<[]/.test(part) ? `\\fI${roff(part)}\\fR` : part.trim() === '' ? part : bold(part)))
    .join('')
}

function optionItem({ flags: shown, description, choices, default: standard }) {
  const values = choices === undefined ? '' : `: ${choices.join(', ')}`
  const usual = standard === undefined ? '' : ` (default: ${standard})`
  return item(flags(shown), `${description}${values}${usual}`)
}

function argumentItem({ name, description, choices }) {
  return item(`\\fI${roff(name)}\\fR`, `${description}${choices === undefined ? '' : `: ${choices.join(', ')}`}`)
}

const literal = (lines) => ['.PP', '.nf', ...lines.map((line) => `.RS\n${roff(line)}\n.RE`), '.fi'].join('\n')

function commandSection(command) {
  const { path, usage, description, examples, note, commands } = command
  const parts = [
    `.SS "${roff(path.join(' '))}"`,
    flags(usage),
    `.PP\n${roff(description)}`,
    ...command.arguments.map(argumentItem),
    ...command.options.map(optionItem),
    ...(examples.length > 0 ? [literal(examples)] : []),
    ...(note === undefined ? [] : [`.PP\n${roff(note)}`]),
  ]
  return [...parts, ...commands.map(commandSection)].join('\n')
}

const overview = ({ commands }) => commands.map(({ path, summary }) => item(bold(path[0]), summary)).join('\n')

const EXIT_STATUS = [
  ['0', 'The command did what it was asked to.'],
  ['1', 'It failed, or it was not confirmed. The error has a stable code and a hint.'],
  ['2', 'It was called wrongly, or given input that is not valid.'],
]

const ENVIRONMENT = [
  ['FORGE_HOME', 'The folder of the user, in place of ~/.forge.'],
  ['FORGE_MEMORY', 'With the value off, agents get no notes.'],
  ['NO_COLOR, FORCE_COLOR', 'No colours, or colours also where there is no terminal.'],
  ['COLUMNS', 'The width of the output.'],
  ['VISUAL, EDITOR', 'The editor.'],
]

const FILES = [
  ['.forge/', 'The memory of a project: one JSON object a line.'],
  ['.forge.json', 'The settings of a project.'],
  ['~/.forge/', 'What belongs to the user: memories for all projects, keys, models.'],
]

const table = (rows) => rows.map(([term, text]) => item(bold(term), text)).join('\n')

/** Returns the page. It names no date, so that it is the same whenever it is written. */
export function renderManPage(program = described()) {
  const { version } = JSON.parse(readFileSync(`${root}package.json`, 'utf8'))
  const sections = [
    ['NAME', `forge\\-memory \\- ${roff('durable memory for coding agents, kept as plain files')}`],
    ['SYNOPSIS', flags('forge-memory [--json] [--project <dir>] <command> [arguments]')],
    ['DESCRIPTION', roff(program.description)],
    ['COMMANDS', overview(program)],
    ['GLOBAL OPTIONS', program.options.map(optionItem).join('\n')],
    ['COMMAND REFERENCE', program.commands.map(commandSection).join('\n')],
    ['EXIT STATUS', table(EXIT_STATUS)],
    ['ENVIRONMENT', table(ENVIRONMENT)],
    ['FILES', table(FILES)],
  ]
  // Words are not divided: a divided option cannot be copied.
  const head = `.\\" Written by node scripts/man-page.mjs from the help of the commands.\n.TH FORGE\\-MEMORY 1 "" "${roff(`forge-memory ${version}`)}" "User Commands"\n.nh\n.ad l`
  return `${[head, ...sections.map(([title, text]) => `.SH "${title}"\n${text}`)].join('\n')}\n`
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const due = renderManPage()
  mkdirSync(dirname(PAGE), { recursive: true })
  if (process.argv.includes('--check')) process.exitCode = readFileSync(PAGE, 'utf8') === due ? 0 : 1
  else writeFileSync(PAGE, due)
}
