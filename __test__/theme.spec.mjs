import assert from 'node:assert/strict'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { fileURLToPath } from 'node:url'
import { freshCommand, json } from './support/command.mjs'
import { onTerminal } from './support/terminal.mjs'

/** The backgrounds and the colours of common terminals: red and magenta, and those that are not used. */
const PALETTES = {
  'xterm, dark': { background: '#000000', 31: '#cd0000', 35: '#cd00cd', 36: '#00cdcd', 33: '#cdcd00' },
  'xterm, light': { background: '#ffffff', 31: '#cd0000', 35: '#cd00cd', 36: '#00cdcd', 33: '#cdcd00' },
  'VS Code, dark': { background: '#1e1e1e', 31: '#cd3131', 35: '#bc3fbc', 36: '#11a8cd', 33: '#e5e510' },
  'VS Code, light': { background: '#ffffff', 31: '#cd3131', 35: '#bc05bc', 36: '#0598bc', 33: '#949800' },
  'Solarized, dark': { background: '#002b36', 31: '#dc322f', 35: '#d33682', 36: '#2aa198', 33: '#b58900' },
  'Solarized, light': { background: '#fdf6e3', 31: '#dc322f', 35: '#d33682', 36: '#2aa198', 33: '#b58900' },
}
/** What WCAG asks of large and bold texts, and of shapes such as bars. */
const CONTRAST_MIN = 3

function luminance(color) {
  const [red, green, blue] = [1, 3, 5].map((at) => {
    const value = Number.parseInt(color.slice(at, at + 2), 16) / 255
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

function contrast(one, other) {
  const [low, high] = [luminance(one), luminance(other)].sort((a, b) => a - b)
  return (high + 0.05) / (low + 0.05)
}

const CODE = `export function parseDate(text) {
  return new Date(text)
}
export class Stack {
  push(item) {
    return parseDate(item)
  }
}
`

/** A project with long texts of every kind. */
function fullProject(t) {
  const command = freshCommand(t)
  const ids = ['The gate takes', 'Store money as', 'Deploy on'].map((text, at) => {
    const body = `${text} ${'a good many words '.repeat(20)}${at}`
    return json(command, ['capture', '--type', 'lesson', '--tool', 'forge_sweep', '--tag', 'a-tag', body]).id
  })
  json(command, ['edit', ids[0], `Changed ${'once and again '.repeat(12)}`])
  command.run(['save', '--category', 'convention', `Use tabs ${'and no spaces '.repeat(8)}`])
  const source = join(command.project, 'src', 'a-folder-with-a-long-name', 'and-another-one')
  mkdirSync(source, { recursive: true })
  writeFileSync(join(source, 'dates-and-stacks-of-the-project.js'), CODE)
  assert.equal(command.run(['lattice', 'index']).status, 0)
  return { command, ids }
}

/** Every command that prints a table or a page. */
const pagesOf = (ids) => [
  ['list'],
  ['recall', 'words', '--explain'],
  ['show', ids[0]],
  ['show', ids[0], '--history'],
  ['forget', '--dry-run', ids[1], ids[2]],
  ['conflicts', '--list'],
  ['review', '--list'],
  ['status'],
  ['status', '--today'],
  ['timeline'],
  ['watch', '--no-follow'],
  ['report'],
  ['doctor'],
  ['doctor', '--audit'],
  ['verify'],
  ['compact', '--dry-run'],
  ['migrate-memory', '--dry-run'],
  ['lattice', 'stat'],
  ['lattice', 'query', 'parse'],
  ['lattice', 'callers', 'parseDate'],
  ['lattice', 'blast', 'parseDate'],
  ['stats'],
  ['search', 'words'],
  ['model', 'status'],
  ['history', 'status'],
]

test('no page has a colour that cannot be read on light or on dark backgrounds', (t) => {
  const { command, ids } = fullProject(t)
  const used = new Set()
  for (const args of [...pagesOf(ids), ['xyzzy'], ['capture', '--type', 'x', '--source', 'Not One', 'another text']]) {
    const { stdout, stderr } = command.run(args, { env: { FORCE_COLOR: '1' } })
    const codes = `${stdout}${stderr}`.split('\u001b[').slice(1)
    for (const code of codes) used.add(code.slice(0, code.indexOf('m')))
  }
  // Bold, underlined, red, magenta, and their ends.
  const readable = ['1', '22', '4', '24', '31', '35', '39']
  assert.deepEqual(
    [...used].filter((code) => !readable.includes(code)),
    [],
  )
  assert.ok(used.has('1') && used.has('35') && used.has('31'), [...used].join(' '))
  for (const [name, palette] of Object.entries(PALETTES)) {
    for (const code of [31, 35]) {
      const found = contrast(palette[code], palette.background)
      assert.ok(found >= CONTRAST_MIN, `${name}: ${code} has ${found.toFixed(1)}`)
    }
  }
  // The measure tells colours apart: yellow and cyan cannot be read everywhere.
  for (const code of [33, 36])
    assert.ok(Object.values(PALETTES).some((one) => contrast(one[code], one.background) < CONTRAST_MIN))
})

test('no page says anything by style alone', (t) => {
  const { command, ids } = fullProject(t)
  const plain = (text) =>
    text
      .split('\u001b[')
      .map((part, at) => (at === 0 ? part : part.replace(/^\d+m/, '')))
      .join('')
  for (const args of pagesOf(ids)) {
    const colored = command.run(args, { env: { FORCE_COLOR: '1' } }).stdout
    assert.equal(plain(colored), command.run(args, { env: { NO_COLOR: '1' } }).stdout, args.join(' '))
  }
})

/** What is not broken at the edge of a page: paths and addresses, which have to stay whole to be copied. */
const isWhole = (line) => !line.trim().includes(' ') || /(\/|\bmem_)\S{30,}/.test(line)

for (const columns of [80, 200]) {
  test(`every table fits ${columns} columns`, (t) => {
    const { command, ids } = fullProject(t)
    for (const args of pagesOf(ids)) {
      const { stdout } = command.run(args, { env: { COLUMNS: String(columns) } })
      const wide = stdout.split('\n').filter((line) => line.length > columns && !isWhole(line))
      assert.deepEqual([args.join(' '), wide], [args.join(' '), []])
    }
    const rows = command.run(['list'], { env: { COLUMNS: String(columns) } }).stdout.split('\n')
    assert.equal(Math.max(...rows.map((row) => row.length)), columns)
  })
}

/** Parts a text at its links: each has where it leads and what it shows; `rest` is the text without the marks. */
function partedAtLinks(text) {
  const [first, ...marks] = text.split('\u001b]8;;').map((part) => part.split('\u0007'))
  const links = marks.filter(([url]) => url !== '').map(([url, shown]) => ({ path: fileURLToPath(url), shown }))
  return { links, rest: first + marks.map(([, ...shown]) => shown.join('\u0007')).join('') }
}

const linksIn = (text) => partedAtLinks(text).links

test('files are links where the terminal shows them, and never in a pipe', (t) => {
  const { command, ids } = fullProject(t)
  const query = ['lattice', 'query', 'parse']
  const piped = (env) => command.run(query, { env }).stdout
  for (const env of [{}, { TERM_PROGRAM: 'vscode' }, { FORCE_HYPERLINK: '0' }])
    assert.deepEqual(linksIn(piped(env)), [])
  const [first, ...others] = linksIn(piped({ FORCE_HYPERLINK: '1' }))
  assert.ok(others.length > 0)
  assert.match(first.shown, /^src\/a-folder.*\.js:\d+$/)
  for (const { path } of [first, ...others]) assert.ok(existsSync(path), path)
  // Without its marks, the text is the same.
  assert.equal(partedAtLinks(piped({ FORCE_HYPERLINK: '1' })).rest, piped({}))
  assert.ok(linksIn(command.run(['status'], { env: { FORCE_HYPERLINK: '1' } }).stdout).length > 0)
  const none = {
    TERM_PROGRAM: '',
    VTE_VERSION: '',
    WT_SESSION: '',
    KITTY_WINDOW_ID: '',
    TERM: 'xterm',
    CI: '',
    TMUX: '',
    STY: '',
  }
  const shown = (env) => {
    const terminal = { ...command, env: (extra) => command.env({ ...extra, ...none, ...env }) }
    return linksIn(onTerminal(terminal, query, '').screen).length
  }
  assert.equal(shown({}), 0)
  assert.ok(shown({ TERM_PROGRAM: 'vscode' }) > 0)
  assert.ok(shown({ VTE_VERSION: '7600' }) > 0)
  assert.equal(shown({ VTE_VERSION: '4200' }), 0)
  assert.equal(shown({ TERM_PROGRAM: 'vscode', TERM: 'dumb' }), 0)
  assert.equal(shown({ TERM_PROGRAM: 'vscode', TMUX: '/tmp/tmux' }), 0)
  assert.ok(ids.length > 0)
})

test('a file name in a clone cannot forge a link', (t) => {
  const command = freshCommand(t)
  const name = 'a\u0007b;c\u001b]8;;http:evil.js'
  mkdirSync(join(command.project, 'src'))
  writeFileSync(join(command.project, 'src', name), CODE)
  command.run(['lattice', 'index'])
  const { stdout } = command.run(['lattice', 'query', 'parse'], { env: { FORCE_HYPERLINK: '1' } })
  for (const { path } of linksIn(stdout)) assert.ok(path.startsWith(command.project), path)
  assert.ok(!stdout.includes('\u001b]8;;http') && !stdout.includes('\u0007b'))
})

test('with 256 colours grey is what nobody looks for, and yellow is a warning', (t) => {
  const command = freshCommand(t)
  command.run(['add', '-t', 'gotcha', '--tool', 'forge_sweep', 'The gate takes 12 s'])
  command.run(['add', '-t', 'lesson', '--confidence', '0.95', 'Caches are warm at noon'])
  const shown = (args, env = { FORCE_COLOR: '2' }) => command.run(args, { env })
  const grey = (text) => new RegExp(`\u001b\\[38;5;243m[^\u001b]*${text}`)
  for (const page of [shown(['find', 'gate']).stdout, shown(['list']).stdout])
    for (const text of ['0\\.80', '[0-9a-f]{8}']) assert.match(page, grey(text))
  assert.match(shown(['find', 'gate']).stdout, grey('forge_sweep'))
  assert.doesNotMatch(shown(['find', 'caches']).stdout, grey('0\\.95'))
  const { stderr } = shown(['add', '-t', 'lesson', '--source', 'Not One', 'Another text'])
  assert.ok(stderr.startsWith('\u001b[38;5;136mwarning:\u001b[39m'), stderr)
  assert.ok(shown(['nonsense']).stderr.startsWith('\u001b[1m\u001b[31merror:'))
  const [gray, amber] = ['#767676', '#af8700']
  for (const [name, { background }] of Object.entries(PALETTES))
    for (const colour of [gray, amber]) assert.ok(contrast(colour, background) >= CONTRAST_MIN, `${name} ${colour}`)
  for (const env of [{ NO_COLOR: '1' }, { NO_COLOR: '1', FORCE_COLOR: '2' }])
    assert.ok(!shown(['find', 'gate'], env).stdout.includes('\u001b'))
})

test('with 256 colours each type has one of its own, which can be read on every background', (t) => {
  const command = freshCommand(t)
  const types = ['gotcha', 'lesson', 'decision', 'pattern', 'convention', 'runbook']
  for (const type of types) command.run(['add', '-t', type, `What is ${type} about the gate`])
  const { stdout } = command.run(['list'], { env: { FORCE_COLOR: '2' } })
  const used = types.map((type) => new RegExp(`\u001b\\[([\\d;]+)m${type}\u001b`).exec(stdout)?.[1])
  assert.equal(new Set(used).size, types.length)
  // A type of the user's own has the colour that all have elsewhere.
  assert.equal(used.at(-1), '35')
  const levels = [0, 95, 135, 175, 215, 255]
  for (const code of used.slice(0, -1)) {
    const cube = Number(/^38;5;(\d+)$/.exec(code)?.[1]) - 16
    const rgb = [Math.floor(cube / 36), Math.floor(cube / 6) % 6, cube % 6].map((at) => levels[at])
    const color = `#${rgb.map((value) => value.toString(16).padStart(2, '0')).join('')}`
    for (const { background } of Object.values(PALETTES)) assert.ok(contrast(color, background) >= CONTRAST_MIN, code)
  }
})
